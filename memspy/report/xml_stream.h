// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads XML as a stream of events: only the present element is in memory. Files may come from anywhere, so
// everything that a profile never has is refused: document types (with them the file's own entities, as used
// for entity bombs, and external ones), and deep nesting. Nothing is ever fetched.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace memspy::report {

// A file that is not valid: what() is `FILE:LINE: reason`.
class InputError : public std::runtime_error {
public:
    InputError(const std::string& file, int line, const std::string& why)
        : std::runtime_error(line > 0 ? file + ":" + std::to_string(line) + ": " + why : file + ": " + why) {}
};

// Thrown by a sink for an invalid element; XmlStream adds file and line.
class BadElement : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct XmlAttribute {
    std::string_view name, value;
};

// The value of an attribute, or nullptr.
inline const std::string_view* find_attribute(std::span<const XmlAttribute> attributes,
                                              std::string_view name) {
    for (const XmlAttribute& each : attributes)
        if (each.name == name) return &each.value;
    return nullptr;
}

// Views are valid during the call only.
class XmlSink {
public:
    virtual ~XmlSink() = default;
    virtual void start(std::string_view name, std::span<const XmlAttribute> attributes) = 0;
    virtual void end(std::string_view name) = 0;
    virtual void text(std::string_view part) = 0;
};

// Appends to an element's text. No text of a profile comes near the limit.
inline void append_text(std::string& text, std::string_view part) {
    constexpr std::size_t kLongestText = 16 * 1024 * 1024;
    if (text.size() + part.size() > kLongestText) throw BadElement("a text is too long");
    text.append(part);
}

// Reads the file (`-`: standard input) to its end. Everything before an error has been passed to the sink.
void read_xml(const std::string& file, XmlSink& sink);
// Reads a document in memory; `name` is its name in messages.
void read_xml_text(const std::string& name, std::string_view document, XmlSink& sink);

}  // namespace memspy::report
