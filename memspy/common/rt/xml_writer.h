// SPDX-License-Identifier: GPL-2.0-or-later
//
// XmlWriter: XML 1.0 in UTF-8, streamed through a buffer of its own to a sink. No Valgrind here.
//
// Each element is on one line; attributes follow open() directly. Bytes that XML or UTF-8 cannot represent
// become U+FFFD. Names of elements and attributes are literals and must be valid until close().
#pragma once

#include "rt/base.h"

namespace memspy::profile {

class XmlWriter {
public:
    // Returns false if not all bytes could be written; it is not called again then.
    using Sink = bool (*)(const char* bytes, usize count, void* argument);
    XmlWriter(Sink sink, void* argument);
    XmlWriter(const XmlWriter&) = delete;
    XmlWriter& operator=(const XmlWriter&) = delete;
    ~XmlWriter();

    void open(const char* element);
    void close();

    void attribute(const char* name, const char* value);
    void attribute(const char* name, u64 value);
    void hexadecimal(const char* name, u64 value);  // "0x…"
    void attribute_unless_zero(const char* name, u64 value);
    void yes_or_no(const char* name, bool value);
    // The content of the innermost element, which can have no other.
    void text(const char* content);

    // Call after the last close(). Returns true if everything was written.
    bool finish();

private:
    static constexpr usize kBuffer = usize{64} << 10;
    static constexpr u32 kMostDepth = 16;

    void end_tag_head();
    void new_line();
    void put(char c);
    void put(const char* text);
    void put_number(u64 value, u32 base);
    void put_escaped(const char* text, bool in_attribute);
    void flush();

    Sink sink_;
    void* argument_;
    char* buffer_;
    usize used_ = 0;
    bool failed_ = false;
    const char* elements_[kMostDepth] = {};
    u32 depth_ = 0;
    bool head_open_ = false;  // the innermost element's start tag is still open for attributes
    bool has_text_ = false;   // the innermost element has text, so its end tag follows directly
};

}  // namespace memspy::profile
