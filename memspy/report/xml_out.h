// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tool's XmlWriter on a C++ stream.
#pragma once

#include <ostream>
#include <string>

#include "report/model.h"
#include "rt/xml_writer.h"

namespace memspy::report {

class XmlOut : public profile::XmlWriter {
public:
    explicit XmlOut(std::ostream& out) : XmlWriter(to_stream, &out) {}

    // <name>text</name>
    void text_element(const char* name, const std::string& content) {
        open(name);
        text(content.c_str());
        close();
    }
    void text_element_unless_empty(const char* name, Text content) {
        if (!content.empty()) text_element(name, std::string(content));
    }

private:
    static bool to_stream(const char* bytes, usize count, void* stream) {
        return static_cast<bool>(
            static_cast<std::ostream*>(stream)->write(bytes, static_cast<std::streamsize>(count)));
    }
};

}  // namespace memspy::report
