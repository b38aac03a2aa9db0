// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text of every finding. The first lines are exactly Memcheck's, because people, scripts and CTest look
// for them. memspy's additions are in parentheses at the end of the line on the address.

#include "findings/kept.h"
#include "findings/recap.h"
#include "findings/record.h"
#include "findings/remark.h"
#include "places/origins.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/registry.h"

namespace memspy::findings {

namespace {
rt::Global<rt::HashMap<Requester>> requested_origins;
}
rt::Global<rt::HashMap<EarlyUse>> early_uses;

void note_early_use(ContextId origin, const EarlyUse& use) { (*early_uses)[static_cast<u32>(origin)] = use; }
const EarlyUse* early_use_of(ContextId origin) { return early_uses->find(static_cast<u32>(origin)); }

void note_requested(ContextId origin, Requester by) { (*requested_origins)[static_cast<u32>(origin)] = by; }

bool tells_address(const Finding& finding) {
    switch (finding.kind) {
        case FindingKind::InvalidRead:
        case FindingKind::InvalidWrite:
        case FindingKind::InvalidJump:
        case FindingKind::ClientCheck:
        case FindingKind::InvalidFree:
        case FindingKind::MismatchedFree:
        case FindingKind::InvalidMemPool:
        case FindingKind::StackOverflow:
        case FindingKind::GlobalOverflow:
        case FindingKind::ReallocSizeZero: return true;
        case FindingKind::SyscallParam: return finding.in_memory;
        default: return is_told(finding.kind) && finding.address != 0;
    }
}

namespace {

// Writes to the log or the XML file.
#define emit(...) VG_(emit)(__VA_ARGS__)

// Where the finding that is being printed is kept; null: it is not.
KeptFindings* keep = nullptr;

template <typename... Args>
void keep_text(const HChar* format, Args... args) {
    if (keep == nullptr) return;
    HChar text[1024];
    const Bool xml = VG_(clo_xml);
    VG_(clo_xml) = False;  // the profile's writer escapes
    VG_(snprintf)(text, sizeof text, format, args...);
    VG_(clo_xml) = xml;
    keep->add_text(text);
}

void print_context(ExeContext* context) {
    VG_(pp_ExeContext)(context);
    if (keep != nullptr) keep->add_stack(id_of(context));
}

// A line of text, or an element: `print_line` for the description, `print_more` for the part behind a stack.
// Arguments are written with %ps, which escapes them in XML.
#define print_line(format, ...)                                                                              \
    (emit("%s" format "%s", VG_(clo_xml) ? "  <what>" : "", __VA_ARGS__, VG_(clo_xml) ? "</what>\n" : "\n"), \
     keep_text(format, __VA_ARGS__))
#define print_more(format, ...)                                                                              \
    (emit("%s" format "%s", VG_(clo_xml) ? "  <auxwhat>" : " ", __VA_ARGS__,                                 \
          VG_(clo_xml) ? "</auxwhat>\n" : "\n"),                                                             \
     keep_text(format, __VA_ARGS__))

void print_stack(ContextId id) {
    if (ExeContext* context = context_of(id)) print_context(context);
}

// The name of a system call's parameter without `>`: "msg->iov" becomes "msg.iov", because consumers of XML
// cut texts at an escaped character.
class ParameterName {
public:
    explicit ParameterName(const char* name) {
        if (name == nullptr) name = "";
        usize length = 0;
        for (; *name != '\0' && length < sizeof text_ - 1; ++name) {
            if (VG_(clo_xml) && name[0] == '-' && name[1] == '>') {
                text_[length++] = '.';
                ++name;
            } else {
                text_[length++] = *name;
            }
        }
        text_[length] = '\0';
    }
    const char* text() const { return text_; }

private:
    char text_[256];
};

// A name or a sentence with C++ names. Characters that XML would escape are replaced by similar ones, because
// consumers of XML cut texts at an escaped character.
class PlainText {
public:
    explicit PlainText(const char* text) {
        usize length = 0;
        for (; text != nullptr && *text != '\0' && length < sizeof text_ - 1; ++text) {
            char c = *text;
            if (VG_(clo_xml)) c = c == '<' ? '(' : c == '>' ? ')' : c == '&' ? '+' : c;
            text_[length++] = c;
        }
        text_[length] = '\0';
    }
    const char* text() const { return text_; }

private:
    char text_[640];
};

void print_block(const Finding& finding) {
    const AddressOwner& place = finding.place;
    const i64 size = static_cast<i64>(place.size);
    u64 distance = static_cast<u64>(place.offset);
    const char* relation = "inside";
    if (place.offset < 0) {
        distance = static_cast<u64>(-place.offset);
        relation = "before";
    } else if (place.offset >= size) {
        distance = static_cast<u64>(place.offset - size);
        relation = "after";
    }
    using OwnerKind = AddressOwner::OwnerKind;
    const bool named = place.what == OwnerKind::NamedBlock;
    const char* state = place.freed                                   ? "free'd"
                        : named || place.what == OwnerKind::PoolBlock ? "client-defined"
                                                                      : "alloc'd";
    print_more("Address 0x%lx is %'lu bytes %s a %ps of size %'lu %s%s", finding.address, distance, relation,
               named ? PlainText(place.name).text() : "block", place.size, state,
               named ? "" : Remark(finding, threads::thread_of_guest(reporting_thread()).serial).text());
    if (!place.freed) {
        print_stack(place.allocated);
        return;
    }
    print_stack(place.freed_at);
    if (place.allocated == ContextId::None) return;
    print_more("%s", "Block was alloc'd at");
    print_stack(place.allocated);
}

void print_dead_frame(const Finding& finding) {
    const AddressOwner& place = finding.place;
    const HChar* name = "";
    const bool named = place.function != 0 && VG_(get_fnname)(VG_(current_DiEpoch)(), place.function, &name);
    const bool has_variable = place.name != nullptr;
    const PlainText variable(has_variable ? place.name : "");
    print_more(
        "Address 0x%lx is %'ld bytes below the stack pointer, in a frame%s%ps that has returned%s%ps%s",
        finding.address, place.offset, named ? " of " : "", named ? name : "", has_variable ? " (" : "",
        variable.text(), has_variable ? ")" : "");
}

// "is 4 bytes after `buf` of f, of size 40 (stack-buffer-overflow by 8 bytes)", counted as for a block.
void print_variable(const Finding& finding) {
    const AddressOwner& place = finding.place;
    const bool before = place.offset < 0;
    const i64 size = static_cast<i64>(place.size);
    const u64 distance = static_cast<u64>(before                ? -place.offset
                                          : place.offset < size ? 0
                                                                : place.offset - size);
    const u64 far = before ? distance : static_cast<u64>(place.offset - size) + finding.size;
    const PlainText name(place.name), function(place.declared_in == nullptr ? "" : place.declared_in);
    print_more("Address 0x%lx is %'lu bytes %s `%ps`%s%ps, of size %'lu (%s-buffer-%s by %'lu bytes)",
               finding.address, distance, before ? "before" : "after", name.text(),
               place.declared_in == nullptr ? "" : " of ", function.text(), place.size,
               finding.kind == FindingKind::StackOverflow ? "stack" : "global",
               before ? "underflow" : "overflow", far);
}

// What the core has printed of an address, in short.
void keep_described(const ErrorRecord& record) {
    const AddrInfo& info = record.described;
    const Addr address = record.finding.address;
    switch (info.tag) {
        case Addr_Unknown:
            return keep_text("Address 0x%lx is not stack'd, malloc'd or (recently) free'd", address);
        case Addr_Stack:
            return keep_text("Address 0x%lx is on thread %u's stack", address, info.Addr.Stack.tinfo.tid);
        case Addr_DataSym:
            return keep_text("Address 0x%lx is %ld bytes inside data symbol \"%s\"", address,
                             static_cast<long>(info.Addr.DataSym.offset), info.Addr.DataSym.name);
        case Addr_SectKind:
            return keep_text("Address 0x%lx is in the %s segment of %s", address,
                             VG_(pp_SectKind)(info.Addr.SectKind.kind), info.Addr.SectKind.objname);
        default: return keep_text("Address 0x%lx is in mapped memory", address);
    }
}

void print_nearest(const NearestMemory& nearest) {
    using NearestKind = NearestMemory::NearestKind;
    const char* side = nearest.is_below ? "below" : "above";
    if (nearest.what == NearestKind::Mapping)
        print_more("The nearest memory is %s, %'lu bytes %s",
                   nearest.file == nullptr ? "anonymous" : nearest.file, nearest.distance, side);
    if (nearest.what != NearestKind::Block) return;
    print_more("The nearest block is of size %'lu, %'lu bytes %s, alloc'd", nearest.size, nearest.distance,
               side);
    print_stack(nearest.allocated);
}

void print_address(const ErrorRecord& record) {
    if (!tells_address(record.finding)) return;
    if (record.finding.place.what == AddressOwner::OwnerKind::DeadFrame)
        print_dead_frame(record.finding);
    else if (record.finding.place.what == AddressOwner::OwnerKind::Variable)
        print_variable(record.finding);
    else if (record.finding.place.what != AddressOwner::OwnerKind::Unknown)
        print_block(record.finding);
    else if (record.described.tag != Addr_Undescribed)
        VG_(pp_addrinfo_mc)(record.finding.address, &record.described, False);
    else
        return;
    if (record.finding.place.what != AddressOwner::OwnerKind::Unknown) return;
    keep_described(record);
    print_nearest(record.nearest);
}

// "(+12)": the difference from an earlier search.
struct Delta {
    char text[32] = "";
    Delta(bool wanted, u64 now, u64 before) {
        const char sign = now < before ? '-' : '+';
        const u64 by = now < before ? before - now : now - before;
        if (wanted) VG_(snprintf)(text, sizeof text, " (%c%'lu)", sign, by);
    }
};

const char* leak_state(FindingKind kind) {
    return kind == FindingKind::Leak_DefinitelyLost   ? "definitely lost"
           : kind == FindingKind::Leak_IndirectlyLost ? "indirectly lost"
           : kind == FindingKind::Leak_PossiblyLost   ? "possibly lost"
                                                      : "still reachable";
}

void print_leak(const LeakRecord& leak, ExeContext* allocated) {
    const u64 bytes = leak.direct_bytes + leak.indirect_bytes;
    const Delta all(leak.compared, bytes, leak.old_direct_bytes + leak.old_indirect_bytes);
    const Delta blocks(leak.compared, leak.blocks, leak.old_blocks);

    if (VG_(clo_xml)) emit("  <xwhat>\n    <text>");
    emit("%'lu%s ", bytes, all.text);
    if (leak.indirect_bytes > 0)
        emit("(%'lu%s direct, %'lu%s indirect) ", leak.direct_bytes,
             Delta(leak.compared, leak.direct_bytes, leak.old_direct_bytes).text, leak.indirect_bytes,
             Delta(leak.compared, leak.indirect_bytes, leak.old_indirect_bytes).text);
    emit("bytes in %'lu%s blocks are %s in loss record %'lu of %'lu", leak.blocks, blocks.text,
         leak_state(leak.kind), leak.number, leak.total);
    if (VG_(clo_xml))
        emit(
            "</text>\n    <leakedbytes>%lu</leakedbytes>\n    <leakedblocks>%lu</leakedblocks>\n"
            "  </xwhat>\n",
            bytes, leak.blocks);
    else
        emit("\n");
    keep_text("%s", leak_state(leak.kind));
    print_context(allocated);
}

void print_origin(const Finding& finding) {
    const bool wanted = finding.kind == FindingKind::UninitCondition ||
                        finding.kind == FindingKind::UninitValue ||
                        ((finding.kind == FindingKind::SyscallParam ||
                          finding.kind == FindingKind::ClientCheck || is_told(finding.kind)) &&
                         !finding.unaddressable);
    if (!wanted || finding.origin == ContextId::None) return;
    const char* variable = places::origin_variable(finding.origin);
    const Requester* by = requested_origins->find(static_cast<u32>(finding.origin));
    const char* what = by != nullptr ? (*by == Requester::Program ? "client request" : "pending operation")
                       : places::is_frame(finding.origin) ? "stack allocation"
                                                          : "heap allocation";
    const char* returned = places::has_returned(finding.origin) ? ", in a frame that has returned" : "";
    print_more("Uninitialised value was created by a %s%s%ps%s", what, variable == nullptr ? "" : ", ",
               PlainText(variable).text(), returned);
    if (ExeContext* stack = places::origin_stack(finding.origin)) print_context(stack);
}

void print_own_stack(ExeContext* context, u32 frames) {
    if (VG_(clo_xml))
        VG_(pp_ExeContext)(context);
    else
        places::print_own_frames(context, frames);
}

// In text all stacks of a finding behind the first are shortened: it should be readable at a glance.
void print_short_stack(ContextId id) {
    constexpr u32 kFrames = 5;
    if (ExeContext* context = context_of(id)) print_own_stack(context, kFrames);
}

const char* what_it_does(const SummedRecord::AccessSide& side) {
    return side.loads && side.stores ? "reads and writes" : side.stores ? "writes" : "reads";
}

void print_part(const SummedRecord::ObjectPart& part) {
    using PartKind = SummedRecord::ObjectPart::PartKind;
    const PlainText name(part.name == nullptr ? "unknown memory" : part.name);
    const char* in = part.module == nullptr ? "" : " in ";
    const PlainText module(part.module == nullptr ? "" : part.module);
    char size[48] = "";
    if (part.size != 0) VG_(snprintf)(size, sizeof size, " of size %'llu", static_cast<ULong>(part.size));
    const Addr address = part.address;
    const auto offset = static_cast<ULong>(part.offset);
    switch (part.what) {
        case PartKind::HeapBlock:
            if (part.blocks > 1)
                print_more("Address 0x%lx is %'llu bytes inside a block%s, one of %'llu alloc'd", address,
                           offset, size, static_cast<ULong>(part.blocks));
            else
                print_more("Address 0x%lx is %'llu bytes inside a block%s alloc'd", address, offset, size);
            print_short_stack(part.allocated);
            return;
        case PartKind::Variable:
            print_more("Address 0x%lx is %'llu bytes inside global variable %ps%s%s%ps", address, offset,
                       name.text(), size, in, module.text());
            return;
        case PartKind::Section:
            print_more("Address 0x%lx is %'llu bytes inside section %ps%s%ps", address, offset, name.text(),
                       in, module.text());
            return;
        case PartKind::Stack:
            if (part.variable != nullptr)
                return void(print_more(
                    "Address 0x%lx is %'llu bytes inside variable %ps%s, in the frame of %ps on the "
                    "stack of thread %u",
                    address, offset, PlainText(part.variable).text(), size, name.text(), part.thread));
            print_more("Address 0x%lx is on the stack of thread %u%s%ps", address, part.thread,
                       part.name == nullptr ? "" : ", in the frame of ",
                       part.name == nullptr ? "" : name.text());
            return;
        case PartKind::Unknown:
            print_more("Address 0x%lx is %'llu bytes inside %ps%s%ps", address, offset, name.text(), in,
                       module.text());
            return;
    }
}

void print_summed(const SummedRecord& record, ExeContext* where) {
    const bool gain = record.gain[0] != '\0';
    if (gain && !VG_(clo_xml))
        print_line("%ps: %ps", PlainText(record.what).text(), PlainText(record.gain).text());
    else
        print_line("%ps", PlainText(record.what).text());
    print_own_stack(where, ~u32{0});
    const SummedRecord::AccessSide& first = record.sides[0];
    const SummedRecord::AccessSide& other = record.sides[1];
    if (record.met != nullptr) {
        print_more("%ps", PlainText(record.met).text());
        print_short_stack(other.stack);
        for (const SummedRecord::FurtherSide* at = record.further; at->met != nullptr; ++at) {
            print_more("%ps", PlainText(at->met).text());
            print_short_stack(at->stack);
        }
    } else if (other.stack != ContextId::None) {
        const bool same = other.stack == first.stack;
        // Many short-lived threads are shown as one.
        char names[2][24];
        for (u32 i = 0; i < 2; ++i)
            if (const u32 thread = record.sides[i].thread; thread == 0)
                VG_(strcpy)(names[i], i == 0 ? "Another thread" : "another thread");
            else
                VG_(snprintf)(names[i], sizeof names[i], i == 0 ? "Thread %u" : "thread %u", thread);
        print_more("%s %s here; %s %s the same cache line%s", names[0], what_it_does(first), names[1],
                   what_it_does(other), same ? " here, too" : "");
        // In XML every remark of this kind has its stack; in text the stack was printed just before.
        if (!same || VG_(clo_xml)) print_short_stack(other.stack);
    }
    for (u32 i = 0; i < record.part_count; ++i) print_part(record.parts[i]);
    if (record.parts_left_out > 0)
        print_more("... and %u more objects in these lines", record.parts_left_out);
    if (gain && VG_(clo_xml)) print_more("%ps", PlainText(record.gain).text());
    print_more("%ps", PlainText(record.figures).text());
    if (record.advice[0] != '\0') print_more("%ps", PlainText(record.advice).text());
}

void print_begin(const Finding& finding) {
    if (finding.begun == ContextId::None) return;
    print_more("%s", "The operation was begun by");
    print_stack(finding.begun);
}

// Prints only the description.
void print_what(const Finding& finding, const char* name) {
    switch (finding.kind) {
        case FindingKind::InvalidRead:
        case FindingKind::InvalidWrite:
            if (name != nullptr)
                print_line("Syscall param %ps points to unaddressable byte(s)", ParameterName(name).text());
            else
                print_line("Invalid %s of size %lu",
                           finding.kind == FindingKind::InvalidRead ? "read" : "write", finding.size);
            return;
        case FindingKind::StackOverflow:
        case FindingKind::GlobalOverflow:
            return void(
                print_line("Invalid %s of size %lu", finding.writes ? "write" : "read", finding.size));
        case FindingKind::InvalidJump:
            return void(print_line("%s", "Jump to the invalid address stated on the next line"));
        case FindingKind::UninitCondition:
            return void(print_line("%s", "Conditional jump or move depends on uninitialised value(s)"));
        case FindingKind::UninitValue:
            return void(print_line("Use of uninitialised value of size %lu", finding.size));
        case FindingKind::SyscallParam:
            return void(print_line("Syscall param %ps %s %s byte(s)", ParameterName(name).text(),
                                   finding.in_memory ? "points to" : "contains",
                                   finding.unaddressable ? "unaddressable" : "uninitialised"));
        case FindingKind::ClientCheck:
            return void(print_line("%s byte(s) found during client check request",
                                   finding.unaddressable ? "Unaddressable" : "Uninitialised"));
        case FindingKind::InvalidFree:
            return void(print_line("%s", "Invalid free() / delete / delete[] / realloc()"));
        case FindingKind::MismatchedFree:
            return void(print_line("%s", "Mismatched free() / delete / delete []"));
        case FindingKind::InvalidMemPool: return void(print_line("%s", "Illegal memory pool address"));
        case FindingKind::Overlap:
            if (finding.size == 0)
                print_line("Source and destination overlap in %ps(0x%lx, 0x%lx)", name, finding.address,
                           finding.source);
            else
                print_line("Source and destination overlap in %ps(0x%lx, 0x%lx, %lu)", name, finding.address,
                           finding.source, finding.size);
            return;
        case FindingKind::FishyValue:
            return void(
                print_line("Argument '%ps' of function %ps has a fishy (possibly negative) value: %ld",
                           finding.argument, name, finding.value));
        case FindingKind::ReallocSizeZero: return void(print_line("%s", "realloc() with size 0"));
#define MEMSPY_TOLD(name, extra) case FindingKind::name:
#include "kinds/all.def"
            return void(print_line("%s%s%ps %s", finding.subject, finding.subject[0] == '\0' ? "" : " ", name,
                                   finding.sentence));
        case FindingKind::Leak_DefinitelyLost:
        case FindingKind::Leak_IndirectlyLost:
        case FindingKind::Leak_PossiblyLost:
        case FindingKind::Leak_StillReachable:
#define MEMSPY_SUMMED(name, by) case FindingKind::name:
#include "kinds/all.def"
        case FindingKind::Count: CHECK(!"leaks and sums are printed from their own records");
    }
}

#undef print_line
#undef print_more

}  // namespace

namespace {
// While it lives, what is printed is kept.
class Keeping {
public:
    explicit Keeping(KeptFindings& in) { keep = &in; }
    Keeping(const Keeping&) = delete;
    Keeping& operator=(const Keeping&) = delete;
    ~Keeping() {
        keep->end();
        keep = nullptr;
    }
};
}  // namespace

void print(const Error* error) {
    const FindingKind kind = kind_of(error);
    if (VG_(clo_xml)) emit("  <kind>%s</kind>\n", kind_name(kind));
    if (is_leak(kind)) {
        const Keeping leak(kept_leaks());
        kept_leaks().begin_leak(reporting_thread(), leak_of(error));
        print_leak(leak_of(error), VG_(get_error_where)(error));
        return;
    }
    if (is_summed(kind)) {
        print_summed(summed_of(error), VG_(get_error_where)(error));
        note_for_recap(summed_of(error));
        return;
    }
    const ErrorRecord& record = record_of(error);
    const Keeping each(kept_errors());
    // Such an error is the caller's own and gone after the call.
    const bool once = record.finding.where != ContextId::None;
    kept_errors().begin(kind, reporting_thread(), once ? nullptr : error);
    print_what(record.finding, VG_(get_error_string)(error));
    print_context(VG_(get_error_where)(error));
    print_begin(record.finding);
    print_address(record);
    print_origin(record.finding);
}

}  // namespace memspy::findings
