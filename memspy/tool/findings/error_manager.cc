// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings as the core's errors: when two are the same error, and which suppression matches which.

#include "findings/kept.h"
#include "findings/record.h"
#include "vg/client_arena.h"
#include "vg/entry_frame.h"
#include "vg/report_files.h"

namespace memspy::findings {
namespace {

// The data kept with each suppression that has an extra line or counts leaks.
struct SuppressionState {
    SuppressionExtra extra;     // the strings belong to this state
    u32 search = 0;             // the leak search that the counts belong to
    u64 blocks = 0, bytes = 0;  // hidden in that search
};

u32 reporting = 0;  // the guest thread
u32 leak_search = 1;
bool reading_foreign_entries = false;

ErrorFacts facts_of(const Error* error) {
    const FindingKind kind = kind_of(error);
    if (is_leak(kind) || is_summed(kind)) return {.kind = kind};
    const Finding& finding = record_of(error).finding;
    return {.kind = kind,
            .size = finding.size,
            .any_size = finding.whole_call,
            .name = VG_(get_error_string)(error),
            .argument = finding.argument};
}

SuppressionState* state_of(const Supp* suppression) {
    return static_cast<SuppressionState*>(VG_(get_supp_extra)(suppression));
}

const SuppressionRule& rule_of(const Supp* suppression) { return rule_at(VG_(get_supp_kind)(suppression)); }

// Callbacks of the core

// Two errors are the same if they have the same kind and stack. Addresses, blocks and origins may differ, as
// in Memcheck: a loop over many blocks makes one error.
bool are_same(const Error* a, const Error* b) {
    CHECK(!is_leak(kind_of(a)) && !is_summed(kind_of(a)));
    const Finding& left = record_of(a).finding;
    const Finding& right = record_of(b).finding;
    if (!same_text(VG_(get_error_string)(a), VG_(get_error_string)(b))) return False;
    switch (left.kind) {
        case FindingKind::InvalidRead:
        case FindingKind::InvalidWrite:
            // A system call's buffer may have another length each time.
            return VG_(get_error_string)(a) != nullptr || (left.whole_call && right.whole_call) ||
                   left.size == right.size;
        case FindingKind::StackOverflow:
        case FindingKind::GlobalOverflow:
            return left.writes == right.writes && left.place.name == right.place.name;
        case FindingKind::UninitValue: return left.size == right.size;
        case FindingKind::SyscallParam:
            return left.unaddressable == right.unaddressable && left.in_memory == right.in_memory;
        case FindingKind::ClientCheck: return left.unaddressable == right.unaddressable;
        case FindingKind::FishyValue: return same_text(left.argument, right.argument);
        default: return left.sentence == right.sentence && left.begun == right.begun;
    }
}

// The core asks whether a new error is one that it has.
Bool same_error(VgRes, const Error* known, const Error* fresh) {
    if (!are_same(known, fresh)) return False;
    kept_errors().happened_again(known);
    return True;
}

void before_print(const Error*) {}

// Completes an error that is about to be stored, and returns the size of its extra part.
UInt complete(const Error* error) {
    if (is_leak(kind_of(error))) return sizeof(LeakRecord);
    if (is_summed(kind_of(error))) return sizeof(SummedRecord);
    ErrorRecord& record = *static_cast<ErrorRecord*>(VG_(get_error_extra)(error));
    if (record.finding.place.what != AddressOwner::OwnerKind::Unknown || !tells_address(record.finding))
        return sizeof(ErrorRecord);

    const DiEpoch epoch = VG_(get_ExeContext_epoch)(VG_(get_error_where)(error));
    VG_(describe_addr)(epoch, record.finding.address, &record.described);
    // The arena that the core would describe holds memspy's chunks, not the client's blocks; a mapping may be ours.
    if (record.described.tag == Addr_Block ||
        (record.described.tag == Addr_SegmentKind && !vg::has_client_memory(record.finding.address))) {
        VG_(clear_addrinfo)(&record.described);
        record.described.tag = Addr_Unknown;
    }
    if (record.described.tag == Addr_Unknown) record.nearest = nearest_memory(record.finding.address);
    return sizeof(ErrorRecord);
}

Bool recognise(const HChar* name, Supp* suppression) {
    const SuppressionRule* rule = find_rule(name);
    // An entry of another tool that memspy does not know is not a mistake of its user.
    if (rule == nullptr && reading_foreign_entries) rule = &never_rule();
    if (rule == nullptr) return False;
    VG_(set_supp_kind)(suppression, number_of(*rule));
    return True;
}

Bool read_extra(Int file, HChar** buffer, SizeT* capacity, Int* line_number, Supp* suppression) {
    const SuppressionRule& rule = rule_of(suppression);
    if (rule.extra == ExtraLine::None) {
        if (&rule == &never_rule()) VG_(get_line)(file, buffer, capacity, line_number);
        return True;
    }
    SuppressionExtra extra;
    // True means that the next line is already a frame, which the core takes from the buffer.
    if (VG_(get_line)(file, buffer, capacity, line_number)) {
        if (rule.extra == ExtraLine::Parameter) return False;
    } else {
        HChar* line = VG_(strdup)("memspy.suppression.line", *buffer);
        if (!parse_extra(rule.extra, line, extra)) {
            VG_(free)(line);
            return False;
        }
        // `line` is not freed: the strings in `extra` are parts of it, and suppressions live until the end.
    }
    auto* state =
        static_cast<SuppressionState*>(rt::allocate(sizeof(SuppressionState), "memspy.suppression"));
    *state = SuppressionState{.extra = extra};
    VG_(set_supp_extra)(suppression, state);
    return True;
}

Bool fits(const Error* error, const Supp* suppression) {
    const SuppressionState* state = state_of(suppression);
    return matches(rule_of(suppression), state == nullptr ? SuppressionExtra{} : state->extra,
                   facts_of(error));
}

const HChar* name_for_suppression(const Error* error) { return generated_name(kind_of(error)); }

SizeT extra_for_suppression(const Error* error, HChar* buffer, Int capacity) {
    const FindingKind kind = kind_of(error);
    if (is_leak(kind)) return VG_(snprintf)(buffer, capacity, "match-leak-kinds: %s", leak_word(kind));
    const char* name = VG_(get_error_string)(error);
    if (find_rule(kind_name(kind))->extra == ExtraLine::OptionalParameter && name != nullptr)
        return VG_(snprintf)(buffer, capacity, "%s", name);
    if (kind == FindingKind::FishyValue)
        return VG_(snprintf)(buffer, capacity, "%s(%s)", name, record_of(error).finding.argument);
    buffer[0] = '\0';
    return 0;
}

SizeT use_of_suppression(const Supp* suppression, HChar* buffer, Int capacity) {
    const SuppressionState* state = state_of(suppression);
    if (state != nullptr && state->search == leak_search && state->blocks > 0)
        return VG_(snprintf)(buffer, capacity, "suppressed: %'lu bytes in %'lu blocks", state->bytes,
                             state->blocks);
    buffer[0] = '\0';
    return 0;
}

void count_use(const Error* error, const Supp* suppression) {
    SuppressionState* state = state_of(suppression);
    if (state == nullptr || !is_leak(kind_of(error))) return;
    if (state->search != leak_search) {
        state->search = leak_search;
        state->blocks = state->bytes = 0;
    }
    const LeakRecord& leak = leak_of(error);
    state->blocks += leak.blocks;
    state->bytes += leak.direct_bytes + leak.indirect_bytes;
}

}  // namespace

namespace {

// To use what an operation may still write is not to use what was never set.
Finding judged(const Finding& finding) {
    const bool is_use = finding.kind == FindingKind::UninitCondition ||
                        finding.kind == FindingKind::UninitValue || finding.kind == FindingKind::SyscallParam;
    const EarlyUse* const use = is_use ? early_use_of(finding.origin) : nullptr;
    if (use == nullptr) return finding;
    return {.kind = use->kind, .name = use->name, .sentence = use->sentence, .begun = finding.origin};
}

}  // namespace

u32 reporting_thread() { return reporting; }

void report(u32 thread, const Finding& found) {
    reporting = thread;
    const Finding finding = judged(found);
    CHECK(!is_leak(finding.kind) && !is_summed(finding.kind));
    load_other_suppressions();
    ErrorRecord record{.finding = finding, .described = {}};
    record.described.tag = Addr_Undescribed;
    const auto kind = static_cast<ErrorKind>(finding.kind);
    if (finding.where != ContextId::None) {
        VG_(unique_error)(thread, kind, finding.address, finding.name, &record, context_of(finding.where),
                          True, False, True);
        return vg::close_xml_for_now();
    }
    const vg::StackFromEntry stack(finding.whole_call);
    VG_(maybe_record_error)(thread, kind, finding.address, finding.name, &record);
    vg::close_xml_for_now();
}

bool report_leak(u32 thread, const LeakRecord& record, bool print, bool count_error) {
    CHECK(is_leak(record.kind));
    reporting = thread;
    load_other_suppressions();
    ExeContext* allocated = context_of(record.allocated);
    if (allocated == nullptr) allocated = VG_(null_ExeContext)();
    LeakRecord copy = record;
    const bool hidden = VG_(unique_error)(thread, static_cast<ErrorKind>(record.kind), 0, nullptr, &copy,
                                          allocated, print, False, count_error);
    vg::close_xml_for_now();
    return hidden;
}

bool report_summed(u32 thread, const SummedRecord& record) {
    CHECK(is_summed(record.kind));
    load_other_suppressions();
    ExeContext* where = context_of(record.sides[0].stack);
    // Consumers of XML require a stack, but at the end of the run there may be no thread with one.
    for (u32 i = 0; i < record.part_count && where == nullptr; ++i)
        where = context_of(record.parts[i].allocated);
    if (where == nullptr) where = VG_(null_ExeContext)();
    SummedRecord copy = record;
    const bool hidden = VG_(unique_error)(thread, static_cast<ErrorKind>(record.kind),
                                          record.parts[0].address, nullptr, &copy, where, True, False, True);
    vg::close_xml_for_now();
    return hidden;
}

void begin_child() {
    kept_errors().forget_times();
    kept_leaks().forget_times();
}

void begin_leak_search() {
    ++leak_search;
    kept_leaks().begin_search();
}

void register_with_core() {
    VG_(needs_tool_errors)(same_error, before_print, print, True, complete, recognise, read_extra, fits,
                           name_for_suppression, extra_for_suppression, use_of_suppression, count_use);
    VG_(needs_xml_output)();
}

}  // namespace memspy::findings

// The core reads the entries of a suppression file for the tool's name, and has no way to ask for a second
// name. So the tool calls itself Memcheck, Helgrind and drd for a moment and has the core read the files
// again. No header for tools declares these symbols; if a later core lacks them, the tool does not link.
extern "C" {
extern const HChar* VG_(libdir);                           // the folder of default.supp
extern XArray* VG_(clo_suppressions);                      // of HChar*, the files' names
extern void VG_(add_suppression_file)(const HChar* name);  // reads it at once if the core has read its own
}

namespace memspy::findings {

void read_suppressions(const char* name) {
    HChar* path = static_cast<HChar*>(
        VG_(malloc)("memspy.suppressions", VG_(strlen)(VG_(libdir)) + VG_(strlen)(name) + 2));
    VG_(sprintf)(path, "%s/%s", VG_(libdir), name);
    struct vg_stat file;
    if (!sr_isError(VG_(stat)(path, &file))) VG_(add_suppression_file)(path);  // the core keeps the name
}

void load_other_suppressions() {
    // How many files of the list are done with. The program may add others by request while it runs.
    static Word done = 0;
    const Word files = VG_(sizeXA)(VG_(clo_suppressions));
    if (files == done) return;
    // Those of the core's own file are for what these two tools do not know of the libraries' order.
    const auto is_core_file = [](const HChar* name) {
        const SizeT length = VG_(strlen)(VG_(libdir));
        return VG_(strncmp)(name, VG_(libdir), length) == 0 &&
               VG_(strcmp)(name + length, "/default.supp") == 0;
    };
    reading_foreign_entries = true;
    constexpr const HChar* kTools[] = {"Memcheck", "Helgrind", "drd"};
    for (const HChar* tool : kTools) {
        VG_(details_name)(tool);
        // Each call appends the file to the list again.
        for (Word i = done; i < files; ++i) {
            const HChar* name = *static_cast<HChar**>(VG_(indexXA)(VG_(clo_suppressions), i));
            if (tool[0] == 'M' || !is_core_file(name)) VG_(add_suppression_file)(name);
        }
    }
    VG_(details_name)("memspy");
    reading_foreign_entries = false;
    done = VG_(sizeXA)(VG_(clo_suppressions));
}

}  // namespace memspy::findings
