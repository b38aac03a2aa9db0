// SPDX-License-Identifier: GPL-2.0-or-later
#include "monitor.h"

#include "analyses/all.h"
#include "analyses/defects/defects.h"
#include "analyses/defects/leak_check.h"
#include "analyses/defects/place.h"
#include "control.h"
#include "options.h"
#include "profile/output.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "threads/registry.h"
#include "vg/compat.h"

namespace memspy {
namespace {

using defects::LeakDelta;
using defects::LeakRequest;

constexpr u64 kUnlimited = 999'999'999;

// The words of a command, taken one after the other. The text is taken apart in place.
class Words {
public:
    explicit Words(HChar* text) : text_(text) {}

    // The next word, or nullptr.
    HChar* next() {
        HChar* word = VG_(strtok_r)(text_, " ", &rest_);
        text_ = nullptr;
        return word;
    }
    // The number of the keyword that the next word means; < 0, with a message to the user, when none.
    Int keyword(const HChar* keywords) {
        HChar* word = next();
        return VG_(keyword_id)(keywords, word == nullptr ? "" : word, kwd_report_all);
    }
    // ADDR [LEN]; tells the user what is wrong.
    bool address_and_length(Addr* address, SizeT* length) {
        return VG_(strtok_get_address_and_size)(address, length, &rest_);
    }
    // All that is left.
    const HChar* rest() const { return rest_ == nullptr ? "" : rest_; }

private:
    HChar* text_;
    HChar* rest_ = nullptr;
};

void print_help() {
    VG_(gdb_printf)(
        "\n"
        "memspy monitor commands:\n"
        "  leak_check [full*|summary]\n"
        "             [kinds KIND,KIND...|reachable|possibleleak*|definiteleak]\n"
        "             [heuristics HEURISTIC,HEURISTIC...]\n"
        "             [increased*|changed|any|new]\n"
        "             [unlimited*|limited NUMBER]\n"
        "        searches for lost blocks; * marks what is taken when nothing is said.\n"
        "        KIND is definite, indirect, possible, reachable, all or none;\n"
        "        HEURISTIC is stdstring, length64, newarray, multipleinheritance, all or none*.\n"
        "        Differences are to the search before; limited shows the largest records only.\n"
        "        Example: leak_check full kinds indirect,possible any\n"
        "  block_list RECORD|FROM..TO [unlimited*|limited NUMBER]\n"
        "             [heuristics HEURISTIC,HEURISTIC...]\n"
        "        lists the blocks of loss records of the last search, with what was lost through them;\n"
        "        with heuristics only those which one of these saved\n"
        "  who_points_at ADDR [LEN]\n"
        "        shows where pointers into LEN (1) bytes at ADDR stand\n"
        "  check_memory [addressable|defined] ADDR [LEN]\n"
        "        tells whether LEN (1) bytes at ADDR are so, and what ADDR belongs to\n"
        "  get_vbits ADDR [LEN]\n"
        "        shows which bits of LEN (1) bytes at ADDR are undefined (1), __ for unaddressable bytes\n"
        "  xb ADDR [LEN]\n"
        "        the same with the bytes themselves in a second line\n"
        "  status\n"
        "        shows what has been found and counted so far\n"
        "  dump [FILE]\n"
        "        writes the profile of the run so far to FILE, or to what --memspy-out-file names\n"
        "  instrumentation on|off|status\n"
        "        has memspy look at the program's accesses or not, or shows whether it does\n"
        "\n");
}

// A number of at least 1; says what is wrong with others.
bool read_limit(Words& words, u64* limit) {
    HChar* word = words.next();
    HChar* end = word;
    Long value = word == nullptr ? 0 : VG_(strtoll10)(word, &end);
    if (word == nullptr || end == word || *end != '\0') {
        VG_(gdb_printf)("missing or malformed integer value\n");
        return false;
    }
    if (value < 1) {
        VG_(gdb_printf)("the limit must be >= 1, got %lld\n", value);
        return false;
    }
    *limit = static_cast<u64>(value);
    return true;
}

bool read_heuristics(Words& words, u32* set) {
    HChar* word = words.next();
    if (word != nullptr && parse_heuristics(word, set)) return true;
    VG_(gdb_printf)("missing or malformed heuristics set\n");
    return false;
}

void leak_check(u32 thread, Words& words) {
    LeakRequest request;
    request.mode = LeakCheck::Full;
    request.delta = LeakDelta::Increased;
    request.show_kinds = kPossible | kDefinite;
    request.error_kinds = 0;  // looking is no error of the program
    request.heuristics = 0;
    request.from_monitor = true;

    bool good = true;
    while (HChar* word = words.next()) {
        enum {
            Full,
            Summary,
            Kinds,
            Reachable,
            PossibleLeak,
            DefiniteLeak,
            Heuristics,
            Increased,
            Changed,
            Any,
            New,
            Unlimited,
            Limited
        };
        switch (
            VG_(keyword_id)("full summary kinds reachable possibleleak definiteleak heuristics "
                            "increased changed any new unlimited limited",
                            word, kwd_report_all)) {
            case Full: request.mode = LeakCheck::Full; break;
            case Summary: request.mode = LeakCheck::Summary; break;
            case Kinds: {
                HChar* kinds = words.next();
                if (kinds == nullptr || !parse_leak_kinds(kinds, &request.show_kinds)) {
                    VG_(gdb_printf)("missing or malformed leak kinds set\n");
                    good = false;
                }
                break;
            }
            case Reachable: request.show_kinds = kAllLeakKinds; break;
            case PossibleLeak: request.show_kinds = kPossible | kIndirect | kDefinite; break;
            case DefiniteLeak: request.show_kinds = kDefinite; break;
            case Heuristics: good = read_heuristics(words, &request.heuristics) && good; break;
            case Increased: request.delta = LeakDelta::Increased; break;
            case Changed: request.delta = LeakDelta::Changed; break;
            case Any: request.delta = LeakDelta::Any; break;
            case New: request.delta = LeakDelta::New; break;
            case Unlimited: request.max_records = kUnlimited; break;
            case Limited: good = read_limit(words, &request.max_records) && good; break;
            default: good = false; break;
        }
    }
    if (good) defects::run_leak_check(thread, request);
}

// NUMBER or FROM..TO, with or without spaces around the dots. `*text` is moved behind it.
bool read_slice(const HChar** text, u64* from, u64* to) {
    auto skip_spaces = [](const HChar* at) {
        while (*at == ' ') ++at;
        return at;
    };
    auto number = [](const HChar** at, u64* value) {
        if (**at < '0' || **at > '9') return false;
        HChar* end;
        *value = VG_(strtoull10)(*at, &end);
        *at = end;
        return true;
    };
    const HChar* at = skip_spaces(*text);
    if (!number(&at, from)) {
        VG_(gdb_printf)("expecting a loss record number or FROM..TO\n");
        return false;
    }
    *to = *from;
    const HChar* dots = skip_spaces(at);
    if (dots[0] == '.' && dots[1] == '.') {
        at = skip_spaces(dots + 2);
        if (!number(&at, to)) {
            VG_(gdb_printf)("missing or wrong TO in FROM..TO\n");
            return false;
        }
    }
    if (*at != '\0' && *at != ' ') {
        VG_(gdb_printf)("malformed loss record number or FROM..TO\n");
        return false;
    }
    if (*from > *to) {
        VG_(gdb_printf)("FROM cannot be bigger than TO in FROM..TO\n");
        return false;
    }
    *text = at;
    return true;
}

void block_list(Words& words) {
    u64 from = 0, to = 0;
    const HChar* text = words.rest();
    if (!read_slice(&text, &from, &to)) return;
    Words options_text(const_cast<HChar*>(text));
    u64 limit = kUnlimited;
    u32 heuristics = 0;
    while (HChar* word = options_text.next()) {
        enum { Unlimited, Limited, Heuristics };
        switch (VG_(keyword_id)("unlimited limited heuristics", word, kwd_report_all)) {
            case Unlimited: limit = kUnlimited; break;
            case Limited:
                if (!read_limit(options_text, &limit)) return;
                break;
            case Heuristics:
                if (!read_heuristics(options_text, &heuristics)) return;
                break;
            default: return;
        }
    }
    if (!defects::print_block_list(from, to, limit, heuristics)) VG_(gdb_printf)("invalid loss record nr\n");
}

void catch_up() {
    if (!is_instrumentation_on()) defects::define_what_was_not_seen();
}

// The first byte in the range that the client may not read, by shadow memory or by its mappings; an
// offset, `length` when there is none. Memory that nobody maps is fine by its shadow.
usize first_unaddressable(Address address, usize length) {
    usize good = shadow::find_first(address, length, shadow::kInvalidBit);
    Address at = address;
    while (at < address + good) {
        if (!VG_(am_is_valid_for_client)(at, 1, VKI_PROT_READ)) return at - address;
        at = VG_PGROUNDUP(at + 1);
    }
    return good;
}

bool covers_too_much(Addr address, SizeT length) {
    if (address + length >= address) return false;
    VG_(gdb_printf)("the range runs over the end of the address space\n");
    return true;
}

void check_memory(Words& words) {
    catch_up();
    enum { Addressable, Defined };
    Int keyword = words.keyword("addressable defined");
    Addr address = 0;
    SizeT length = 1;
    if (!words.address_and_length(&address, &length) || keyword < 0 || covers_too_much(address, length))
        return;
    usize addressable = first_unaddressable(address, length);
    usize defined = keyword == Defined ? shadow::find_first(address, addressable, 3) : length;
    if (defined < addressable) {
        Address bad = address + defined;
        VG_(printf)("Address 0x%lx len %lu not defined:\nUninitialised value at 0x%lx\n", address, length,
                    bad);
        const shadow::SideEntry* entry = shadow::side_empty() ? nullptr : shadow::side_find(bad);
        if (entry != nullptr && entry->origin != ContextId::None) {
            VG_(printf)("It comes from a block allocated here:\n");
            VG_(pp_ExeContext)(context_of(entry->origin));
        }
    } else if (addressable < length) {
        VG_(printf)("Address 0x%lx len %lu not addressable:\nbad address 0x%lx\n", address, length,
                    address + addressable);
    } else {
        VG_(printf)("Address 0x%lx len %lu %s\n", address, length,
                    keyword == Defined ? "defined" : "addressable");
    }
    defects::print_description(address);
}

// The undefined bits of a byte; -1 when it is not addressable.
Int undefined_bits(Address address) {
    if (first_unaddressable(address, 1) == 0) return -1;
    if (shadow::get(address) == shadow::State::Fine) return 0;
    const shadow::SideEntry* entry = shadow::side_empty() ? nullptr : shadow::side_find(address);
    return entry == nullptr ? 0xff : entry->undefined[address & 7];
}

void print_unaddressable(Addr address, SizeT length, SizeT count) {
    if (count > 0) VG_(printf)("Address 0x%lx len %lu has %lu bytes unaddressable\n", address, length, count);
}

void get_vbits(Words& words) {
    catch_up();
    Addr address = 0;
    SizeT length = 1;
    if (!words.address_and_length(&address, &length) || covers_too_much(address, length)) return;
    SizeT unaddressable = 0;
    for (SizeT i = 0; i < length; ++i) {
        if (i > 0 && i % 4 == 0) VG_(printf)(i % 32 == 0 ? "\n" : " ");
        Int bits = undefined_bits(address + i);
        if (bits >= 0)
            VG_(printf)("%02x", static_cast<UInt>(bits));
        else
            VG_(printf)("__");
        if (bits < 0) ++unaddressable;
    }
    VG_(printf)("\n");
    print_unaddressable(address, length, unaddressable);
}

// Bytes in lines of eight: their undefined bits, and below them the bytes.
void xb(Words& words) {
    catch_up();
    constexpr SizeT kLine = 8;
    Addr address = 0;
    SizeT length = 1;
    if (!words.address_and_length(&address, &length) || covers_too_much(address, length)) return;
    SizeT unaddressable = 0;
    for (SizeT line = 0; line < length; line += kLine) {
        SizeT end = line + kLine < length ? line + kLine : length;
        VG_(printf)("\t");
        for (SizeT i = line; i < end; ++i) {
            Int bits = undefined_bits(address + i);
            if (bits >= 0)
                VG_(printf)("\t  %02x", static_cast<UInt>(bits));
            else
                VG_(printf)("\t  __");
            if (bits < 0) ++unaddressable;
        }
        VG_(printf)("\n0x%lx:", address + line);
        for (SizeT i = line; i < end; ++i) {
            if (undefined_bits(address + i) >= 0)
                VG_(printf)("\t0x%02x",
                            static_cast<UInt>(*reinterpret_cast<const volatile u8*>(address + i)));
            else
                VG_(printf)("\t0x??");
        }
        VG_(printf)("\n");
    }
    print_unaddressable(address, length, unaddressable);
}

// status

const HChar* on_or_off() { return is_instrumentation_on() ? "on" : "off"; }

// Says so when the command goes on though it takes nothing more.
bool is_at_end(Words& words, const HChar* command) {
    const HChar* word = words.next();
    if (word != nullptr) VG_(gdb_printf)("%s takes no '%s'\n", command, word);
    return word == nullptr;
}

void print_status(Words& words) {
    if (!is_at_end(words, "status")) return;
    const vg::ErrorCounts errors = vg::error_counts();
    VG_(gdb_printf)("errors: %u found, %u shown\n", errors.found, errors.shown);
    VG_(gdb_printf)("instrumentation: %s\n", on_or_off());
    VG_(gdb_printf)("threads: %u now, %u ever\n", threads::threads_now(), threads::threads_ever());
    tell_all(&Analysis::print_status);
}

// dump

// A relative name counts from where the program was started; the program itself may have gone elsewhere.
HChar* absolute(const HChar* name) {
    if (name[0] == '/') return VG_(strdup)("memspy.dump", name);
    const HChar* folder = VG_(get_startup_wd)();
    const SizeT room = VG_(strlen)(folder) + 1 + VG_(strlen)(name) + 1;
    auto* path = static_cast<HChar*>(VG_(malloc)("memspy.dump", room));
    VG_(snprintf)(path, static_cast<Int>(room), "%s/%s", folder, name);
    return path;
}

void say_there_is_no_profile() {
    VG_(gdb_printf)("there is no profile with");
    bool first = true;
    for (const Analysis* analysis : kAnalyses) {
        if (analysis->section == nullptr) continue;
        VG_(gdb_printf)("%s --%s=no", first ? "" : " and", analysis->name);
        first = false;
    }
    VG_(gdb_printf)("\n");
}

// The name is all that is left of the command, blanks in it included.
void dump(Words& words) {
    const HChar* name = words.rest();
    while (*name == ' ') ++name;
    if (!profile::has_sections()) return say_there_is_no_profile();
    if (*name == '\0' && options().out_file == nullptr) {
        VG_(gdb_printf)("no file is given, here or by --memspy-out-file\n");
        return;
    }
    tell_all(&Analysis::checkpoint);
    HChar* path = *name != '\0' ? absolute(name) : nullptr;
    const HChar* written = write_profile(profile::MadeBy::Dump, path);
    if (written != nullptr)
        VG_(gdb_printf)("profile written to %s\n", written);
    else
        VG_(gdb_printf)("nothing was written\n");
    if (path != nullptr) VG_(free)(path);
}

// instrumentation

void instrumentation(Words& words) {
    const HChar* word = words.next();
    enum { On, Off, Show };
    const Int what = word == nullptr ? -1 : VG_(keyword_id)("on off status", word, kwd_report_none);
    if (what < 0) {
        VG_(gdb_printf)("instrumentation needs on, off or status\n");
        return;
    }
    if (!is_at_end(words, "instrumentation")) return;
    if (what != Show) switch_instrumentation(what == On);
    VG_(gdb_printf)("instrumentation is %s\n", on_or_off());
}

}  // namespace

bool handle_monitor_command(u32 thread, const char* command) {
    HChar* copy = VG_(strdup)("memspy.monitor", command);
    Words words(copy);
    HChar* name = words.next();
    enum {
        Help,
        LeakCheckCommand,
        BlockList,
        WhoPointsAt,
        CheckMemory,
        GetVbits,
        Xb,
        Status,
        Dump,
        Instrumentation,
        Ambiguous = -2,
        Unknown = -1
    };
    bool known = true;
    switch (name == nullptr
                ? Int{Unknown}
                : VG_(keyword_id)("help leak_check block_list who_points_at check_memory get_vbits xb "
                                  "status dump instrumentation",
                                  name, kwd_report_duplicated_matches)) {
        case Help: print_help(); break;
        case LeakCheckCommand: leak_check(thread, words); break;
        case BlockList: block_list(words); break;
        case WhoPointsAt: {
            Addr address = 0;
            SizeT length = 1;
            if (!words.address_and_length(&address, &length)) break;
            if (address == 0)
                VG_(gdb_printf)("Cannot search who points at 0x0\n");
            else
                defects::print_who_points_at(address, length);
            break;
        }
        case CheckMemory: check_memory(words); break;
        case GetVbits: get_vbits(words); break;
        case Xb: xb(words); break;
        case Status: print_status(words); break;
        case Dump: dump(words); break;
        case Instrumentation: instrumentation(words); break;
        case Ambiguous: break;  // the user has been told
        default: known = false; break;
    }
    VG_(free)(copy);
    return known;
}

}  // namespace memspy
