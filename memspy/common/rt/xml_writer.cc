// SPDX-License-Identifier: GPL-2.0-or-later
#include "rt/xml_writer.h"

namespace memspy::profile {
namespace {

constexpr char kReplacement[] = "\xEF\xBF\xBD";  // U+FFFD

// The length of the character at `text` if XML can represent it, else 0.
usize character_length(const unsigned char* text) {
    const unsigned char c = text[0];
    if (c < 0x80) return c >= 0x20 || c == '\t' || c == '\n' || c == '\r' ? 1 : 0;
    const usize length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    if (c < 0xC2 || c > 0xF4) return 0;
    u32 code = c & (0x7Fu >> length);
    for (usize i = 1; i < length; ++i) {
        if ((text[i] & 0xC0u) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3Fu);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool no_character = (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF;
    return overlong || no_character || code > 0x10FFFF ? 0 : length;
}

}  // namespace

XmlWriter::XmlWriter(Sink sink, void* argument)
    : sink_(sink), argument_(argument), buffer_(static_cast<char*>(rt::allocate(kBuffer, "memspy.xml"))) {
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
}

XmlWriter::~XmlWriter() { rt::release(buffer_); }

void XmlWriter::open(const char* element) {
    CHECK_LT(depth_, kMostDepth);
    DCHECK(!has_text_);
    end_tag_head();
    new_line();
    put('<');
    put(element);
    elements_[depth_++] = element;
    head_open_ = true;
}

void XmlWriter::close() {
    CHECK_LT(0u, depth_);
    const char* element = elements_[--depth_];
    if (head_open_) {
        put("/>");
    } else {
        if (!has_text_) new_line();
        put("</");
        put(element);
        put('>');
    }
    head_open_ = has_text_ = false;
}

void XmlWriter::attribute(const char* name, const char* value) {
    DCHECK(head_open_);
    put(' ');
    put(name);
    put("=\"");
    put_escaped(value, true);
    put('"');
}

void XmlWriter::attribute(const char* name, u64 value) {
    DCHECK(head_open_);
    put(' ');
    put(name);
    put("=\"");
    put_number(value, 10);
    put('"');
}

void XmlWriter::hexadecimal(const char* name, u64 value) {
    DCHECK(head_open_);
    put(' ');
    put(name);
    put("=\"0x");
    put_number(value, 16);
    put('"');
}

void XmlWriter::attribute_unless_zero(const char* name, u64 value) {
    if (value != 0) attribute(name, value);
}

void XmlWriter::yes_or_no(const char* name, bool value) { attribute(name, value ? "yes" : "no"); }

void XmlWriter::text(const char* content) {
    end_tag_head();
    put_escaped(content, false);
    has_text_ = true;
}

bool XmlWriter::finish() {
    CHECK_EQ(depth_, 0u);
    put('\n');
    flush();
    return !failed_;
}

void XmlWriter::end_tag_head() {
    if (head_open_) put('>');
    head_open_ = false;
}

void XmlWriter::new_line() {
    put('\n');
    for (u32 i = 0; i < depth_; ++i) put("  ");
}

void XmlWriter::put(char c) {
    if (used_ == kBuffer) flush();
    buffer_[used_++] = c;
}

void XmlWriter::put(const char* text) {
    for (; *text != '\0'; ++text) put(*text);
}

void XmlWriter::put_number(u64 value, u32 base) {
    char digits[20];
    u32 count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (count > 0) put(digits[--count]);
}

void XmlWriter::put_escaped(const char* text, bool in_attribute) {
    const auto* at = reinterpret_cast<const unsigned char*>(text);
    while (*at != '\0') {
        const usize length = character_length(at);
        if (length == 0) {
            put(kReplacement);
            ++at;
            continue;
        }
        switch (*at) {
            case '&': put("&amp;"); break;
            case '<': put("&lt;"); break;
            case '>': put("&gt;"); break;
            case '"': put(in_attribute ? "&quot;" : "\""); break;
            // A reader would turn the first two into a space in an attribute, and the last into a newline
            // anywhere.
            case '\t': put(in_attribute ? "&#9;" : "\t"); break;
            case '\n': put(in_attribute ? "&#10;" : "\n"); break;
            case '\r': put("&#13;"); break;
            default:
                for (usize i = 0; i < length; ++i) put(static_cast<char>(at[i]));
        }
        at += length;
    }
}

void XmlWriter::flush() {
    if (!failed_ && used_ > 0) failed_ = !sink_(buffer_, used_, argument_);
    used_ = 0;
}

}  // namespace memspy::profile
