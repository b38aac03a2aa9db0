// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core's description of a frame: only this text has inlined calls, and only its XML has folders.
#pragma once

#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::places {

// The text of one element of the core's description of a frame, which is XML already: "" if there is none.
class FrameText {
public:
    FrameText(const char* description, const char* begin_tag) {
        const HChar* at = VG_(strstr)(description, begin_tag);
        if (at == nullptr) return;
        at += VG_(strlen)(begin_tag);
        const usize length = VG_(strcspn)(at, "<");
        text_.resize(length + 1);
        usize used = 0;
        for (const HChar* end = at + length; at < end; ++at) {
            char c = *at;
            for (const Entity& entity : kEntities) {
                if (VG_(strncmp)(at, entity.name, VG_(strlen)(entity.name)) != 0) continue;
                c = entity.character;
                at += VG_(strlen)(entity.name) - 1;
                break;
            }
            text_[used++] = c;
        }
        text_[used] = '\0';
    }
    const char* text() const { return text_.empty() ? "" : text_.data(); }

private:
    struct Entity {
        const char* name;
        char character;
    };
    static constexpr Entity kEntities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};
    rt::Vector<char> text_;
};

// While it lives, the core describes frames as XML, or as text, whatever the report is.
class DescribeAs {
public:
    enum class FrameForm : u8 { Text, Xml };
    explicit DescribeAs(FrameForm form) : before_(VG_(clo_xml)) {
        VG_(clo_xml) = form == FrameForm::Xml ? True : False;
    }
    DescribeAs(const DescribeAs&) = delete;
    DescribeAs& operator=(const DescribeAs&) = delete;
    ~DescribeAs() { VG_(clo_xml) = before_; }

private:
    Bool before_;
};

}  // namespace memspy::places
