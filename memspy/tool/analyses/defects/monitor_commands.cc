// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/monitor_commands.h"

#include "analyses/defects/accesses.h"
#include "analyses/defects/leak_check.h"
#include "analyses/defects/place.h"
#include "analyses/defects/unseen_writes.h"
#include "instrument/core/policy.h"
#include "options.h"
#include "places/origins.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "vg/compat.h"

namespace memspy::defects {
namespace {

constexpr u64 kUnlimited = 999'999'999;

// Reads a number of at least 1; prints a message if there is none.
bool read_limit(CommandWords& words, u64* limit) {
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

bool read_heuristics(CommandWords& words, u32* set) {
    HChar* word = words.next();
    if (word != nullptr && parse_option_set(kHeuristicTokens, word, set)) return true;
    VG_(gdb_printf)("missing or malformed heuristics set\n");
    return false;
}

void leak_check(u32 thread, CommandWords& words) {
    LeakRequest request;
    request.mode = LeakCheck::Full;
    request.delta = LeakDelta::Increased;
    request.show_kinds = kPossible | kDefinite;
    request.error_kinds = 0;  // looking is not an error of the program
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
                if (kinds == nullptr || !parse_option_set(kLeakKindTokens, kinds, &request.show_kinds)) {
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
    if (good) run_leak_check(thread, request);
}

// NUMBER or FROM..TO, with or without spaces around the dots. Moves `*text` behind it.
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

void block_list(u32, CommandWords& words) {
    u64 from = 0, to = 0;
    const HChar* text = words.rest();
    if (!read_slice(&text, &from, &to)) return;
    CommandWords options_text(const_cast<HChar*>(text));
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
    if (!print_block_list(from, to, limit, heuristics)) VG_(gdb_printf)("invalid loss record nr\n");
}

void catch_up() {
    if (!instrument::policy().enabled) define_what_was_not_seen();
}

// The offset of the first byte in the range that the client may not read, by shadow memory or by its
// mappings; `length` if there is none. Unmapped memory is fine in the shadow.
usize first_unreadable(Address address, usize length) {
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

void check_memory(u32, CommandWords& words) {
    catch_up();
    enum { Addressable, Defined };
    Int keyword = words.keyword("addressable defined");
    Addr address = 0;
    SizeT length = 1;
    if (!words.address_and_length(&address, &length) || keyword < 0 || covers_too_much(address, length))
        return;
    usize addressable = first_unreadable(address, length);
    usize defined = keyword == Defined ? shadow::find_first(address, addressable, 3) : length;
    if (defined < addressable) {
        Address bad = address + defined;
        VG_(printf)("Address 0x%lx len %lu not defined:\nUninitialised value at 0x%lx\n", address, length,
                    bad);
        const shadow::SideEntry* entry = shadow::side_empty() ? nullptr : shadow::side_find(bad);
        if (const ContextId origin = entry == nullptr ? ContextId::None : entry->origin(bad);
            origin != ContextId::None) {
            const char* variable = places::origin_variable(origin);
            VG_(printf)("It comes from a %s%s%s:\n",
                        places::is_frame(origin) ? "frame of this function" : "block allocated here",
                        variable == nullptr ? "" : ", ", variable == nullptr ? "" : variable);
            if (ExeContext* stack = places::origin_stack(origin)) VG_(pp_ExeContext)(stack);
        }
    } else if (addressable < length) {
        VG_(printf)("Address 0x%lx len %lu not addressable:\nbad address 0x%lx\n", address, length,
                    address + addressable);
    } else {
        VG_(printf)("Address 0x%lx len %lu %s\n", address, length,
                    keyword == Defined ? "defined" : "addressable");
    }
    print_description(address);
}

// The undefined bits of a byte; -1 if it is not addressable.
Int bits_of(Address address) { return first_unreadable(address, 1) == 0 ? -1 : undefined_bits(address); }

void print_unaddressable(Addr address, SizeT length, SizeT count) {
    if (count > 0) VG_(printf)("Address 0x%lx len %lu has %lu bytes unaddressable\n", address, length, count);
}

void get_vbits(u32, CommandWords& words) {
    catch_up();
    Addr address = 0;
    SizeT length = 1;
    if (!words.address_and_length(&address, &length) || covers_too_much(address, length)) return;
    SizeT unaddressable = 0;
    for (SizeT i = 0; i < length; ++i) {
        if (i > 0 && i % 4 == 0) VG_(printf)(i % 32 == 0 ? "\n" : " ");
        Int bits = bits_of(address + i);
        if (bits >= 0)
            VG_(printf)("%02x", static_cast<UInt>(bits));
        else
            VG_(printf)("__");
        if (bits < 0) ++unaddressable;
    }
    VG_(printf)("\n");
    print_unaddressable(address, length, unaddressable);
}

// Prints eight bytes in each line: their undefined bits, and the bytes below.
void xb(u32, CommandWords& words) {
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
            Int bits = bits_of(address + i);
            if (bits >= 0)
                VG_(printf)("\t  %02x", static_cast<UInt>(bits));
            else
                VG_(printf)("\t  __");
            if (bits < 0) ++unaddressable;
        }
        VG_(printf)("\n0x%lx:", address + line);
        for (SizeT i = line; i < end; ++i) {
            if (bits_of(address + i) >= 0)
                VG_(printf)("\t0x%02x",
                            static_cast<UInt>(*reinterpret_cast<const volatile u8*>(address + i)));
            else
                VG_(printf)("\t0x??");
        }
        VG_(printf)("\n");
    }
    print_unaddressable(address, length, unaddressable);
}

void who_points_at(u32, CommandWords& words) {
    Addr address = 0;
    SizeT length = 1;
    if (!words.address_and_length(&address, &length)) return;
    if (address == 0)
        VG_(gdb_printf)("Cannot search who points at 0x0\n");
    else
        print_who_points_at(address, length);
}

constexpr MonitorCommand kCommands[] = {
    {"leak_check",
     "  leak_check [full*|summary]\n"
     "             [kinds KIND,KIND...|reachable|possibleleak*|definiteleak]\n"
     "             [heuristics HEURISTIC,HEURISTIC...]\n"
     "             [increased*|changed|any|new]\n"
     "             [unlimited*|limited NUMBER]\n"
     "        searches for lost blocks; * marks the defaults.\n"
     "        KIND is definite, indirect, possible, reachable, all or none;\n"
     "        HEURISTIC is stdstring, length64, newarray, multipleinheritance, dtv, all or none*.\n"
     "        Differences are to the search before; limited shows the largest records only.\n"
     "        Example: leak_check full kinds indirect,possible any\n",
     leak_check},
    {"block_list",
     "  block_list RECORD|FROM..TO [unlimited*|limited NUMBER]\n"
     "             [heuristics HEURISTIC,HEURISTIC...]\n"
     "        lists the blocks of loss records of the last search, and the blocks lost through them;\n"
     "        with heuristics only those which one of these saved\n",
     block_list},
    {"who_points_at",
     "  who_points_at ADDR [LEN]\n"
     "        shows where pointers into LEN (1) bytes at ADDR stand\n",
     who_points_at},
    {"check_memory",
     "  check_memory [addressable|defined] ADDR [LEN]\n"
     "        prints whether LEN (1) bytes at ADDR are so, and the owner of ADDR\n",
     check_memory},
    {"get_vbits",
     "  get_vbits ADDR [LEN]\n"
     "        shows which bits of LEN (1) bytes at ADDR are undefined (1), __ for unaddressable bytes\n",
     get_vbits},
    {"xb",
     "  xb ADDR [LEN]\n"
     "        the same with the bytes themselves in a second line\n",
     xb},
};

}  // namespace

std::span<const MonitorCommand> monitor_commands() { return kCommands; }

}  // namespace memspy::defects
