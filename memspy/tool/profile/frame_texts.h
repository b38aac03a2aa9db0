// SPDX-License-Identifier: GPL-2.0-or-later
//
// The frames of a profile's stacks, as the core describes them.
#pragma once

#include "places/frame_text.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "vg/late_lines.h"
#include "vg/vg.h"

namespace memspy::profile {

// The frames of code addresses, the inlined ones first, as the core describes them, in the order in which
// stacks first have them. Most addresses stand in many stacks.
class FrameTexts {
public:
    struct FrameOfCode {
        Addr ip;
        u32 function, folder, file, line;  // texts
        bool is_inlined;                   // into the next one's function
    };
    // Calls f(index) for each frame of `ip`.
    template <typename F>
    void for_each(DiEpoch epoch, Addr ip, F&& f) {
        for (u32 i = first_of(epoch, ip);; ++i) {
            f(i);
            if (!frames_[i].is_inlined) return;
        }
    }
    u32 count() const { return static_cast<u32>(frames_.size()); }
    const FrameOfCode& frame(u32 index) const { return frames_[index]; }
    const char* text(u32 text) const { return texts_.data() + text; }
    void forget() {
        first_.clear();
        frames_.clear();
        texts_.clear();
    }

private:
    // Code of an earlier time may have been unloaded, and other code be there now.
    u32 first_of(DiEpoch epoch, Addr ip) {
        if (epoch.n != VG_(current_DiEpoch)().n) return look_up(epoch, ip);
        u32& first = first_[ip];
        if (first == 0) first = look_up(epoch, ip) + 1;
        return first - 1;
    }
    u32 look_up(DiEpoch epoch, Addr ip) {
        const u32 first = count();
        const places::DescribeAs as_xml(places::DescribeAs::FrameForm::Xml);
        const vg::LeaveSystemLines for_reports;  // half of a short run's time is reading the C library's
        InlIPCursor* cursor = VG_(new_IIPC)(epoch, ip);
        bool more;
        do {
            const HChar* description = VG_(describe_IP)(epoch, ip, cursor);
            FrameOfCode frame{.ip = ip,
                              .function = add(description, "<fn>"),
                              .folder = add(description, "<dir>"),
                              .file = add(description, "<file>"),
                              .line = add(description, "<line>"),
                              .is_inlined = false};
            more = VG_(next_IIPC)(cursor);
            frame.is_inlined = more;
            frames_.push_back(frame);
        } while (more);
        VG_(delete_IIPC)(cursor);
        return first;
    }
    u32 add(const char* description, const char* tag) {
        const places::FrameText text(description, tag);
        const u32 at = static_cast<u32>(texts_.size());
        for (const char* c = text.text(); *c != '\0'; ++c) texts_.push_back(*c);
        texts_.push_back('\0');
        return at;
    }

    rt::HashMap<u32> first_;  // of those of now: index + 1
    rt::Vector<FrameOfCode> frames_;
    rt::Vector<char> texts_;
};

}  // namespace memspy::profile
