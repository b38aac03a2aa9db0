// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy's addition to the line on an address.
#pragma once

#include "findings/findings.h"
#include "findings/suppression_names.h"
#include "rt/text.h"
#include "threads/thread_text.h"
#include "vg/vg.h"

namespace memspy::findings {

// " (heap-buffer-overflow by 4 bytes; alloc'd by thread 2 (worker))" and the like: the kind of error as seen
// from the block, and who allocated and freed it where that was another thread than the one at fault; or
// nothing. Counted from the block's edge to the far end of the access.
class Remark {
public:
    // `thread`: the serial of the one at fault.
    Remark(const Finding& finding, u32 thread) {
        const AddressOwner& place = finding.place;
        switch (finding.kind) {
            case FindingKind::InvalidRead:
            case FindingKind::InvalidWrite: set_access(finding); break;
            case FindingKind::InvalidJump:
                if (place.freed) set("use-after-free");
                break;
            case FindingKind::SyscallParam:
            case FindingKind::ClientCheck:
                if (finding.unaddressable) set_access(finding);
                break;
            case FindingKind::InvalidFree:
                if (place.freed && place.offset == 0) set("double free");
                if (!place.freed && place.offset > 0 && static_cast<usize>(place.offset) < place.size)
                    set("interior pointer");
                break;
            case FindingKind::MismatchedFree:
                if (finding.allocator != nullptr)
                    VG_(snprintf)(text_, sizeof text_, " (allocated by %s)", finding.allocator);
                break;
            default:
                if (is_told(finding.kind) && finding.unaddressable) set_access(finding);
                break;
        }
        add_threads(finding.place, thread);
    }
    const char* text() const { return text_; }

private:
    void set(const char* what) { VG_(snprintf)(text_, sizeof text_, " (%s)", what); }
    void set(const char* what, u64 bytes) {
        VG_(snprintf)(text_, sizeof text_, " (%s by %'lu bytes)", what, bytes);
    }
    void set_access(const Finding& finding) {
        const AddressOwner& place = finding.place;
        const i64 begin = place.offset;
        const i64 end = begin + static_cast<i64>(finding.size == 0 ? 1 : finding.size);
        const i64 size = static_cast<i64>(place.size);
        if (place.freed && begin < size && end > 0)
            set("use-after-free");
        else if (begin < 0)
            set("heap-buffer-underflow", static_cast<u64>(-begin));
        else if (end > size && finding.size == 0)
            set("heap-buffer-overflow");
        else if (end > size)
            set("heap-buffer-overflow", static_cast<u64>(end - size));
    }

    void add_threads(const AddressOwner& place, u32 thread) {
        const auto is_other = [&](u32 serial) { return serial != 0 && serial != thread; };
        const bool freed = place.freed && place.freed_by != 0;
        if (!is_other(place.allocated_by) && !(freed && is_other(place.freed_by))) return;
        rt::Text text;
        for (const char* c = text_; *c != '\0' && *c != ')'; ++c) text.add(*c);
        text.add(text_[0] == '\0' ? " (" : "; ");
        if (freed) add_thread(text.add("free'd by "), place.freed_by, thread);
        if (freed && place.allocated_by != 0) text.add(", ");
        if (place.allocated_by != 0) add_thread(text.add("alloc'd by "), place.allocated_by, thread);
        VG_(snprintf)(text_, sizeof text_, "%s)", text.c_str());
    }
    static void add_thread(rt::Text& text, u32 serial, u32 self) {
        if (serial == self)
            text.add("this thread");
        else
            threads::add_thread(text, serial);
    }

    char text_[200] = "";
};

}  // namespace memspy::findings
