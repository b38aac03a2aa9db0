// SPDX-License-Identifier: GPL-2.0-or-later
//
// From Valgrind's error XML (of memspy, or of Memcheck) to records. The format has little nesting. The order
// shows what belongs together: a stack belongs to the line of text before it.
#pragma once

#include <string>

#include "report/errors.h"
#include "report/string_pool.h"
#include "report/xml_stream.h"

namespace memspy::report {

class ErrorReader : public XmlSink {
public:
    ErrorReader(ErrorHandler& handler, StringPool& strings) : handler_(handler), strings_(strings) {}

    void start(std::string_view name, std::span<const XmlAttribute> attributes) override;
    void end(std::string_view name) override;
    void text(std::string_view part) override { append_text(text_, part); }

private:
    // The element `up` levels above the one that ends; 0 is its parent.
    std::string_view outer(std::size_t up) const;
    // Whether the reader is in an element of this name directly below the root.
    bool inside(std::string_view name) const;
    Text trimmed();
    u64 number() const;
    void end_of_error_part(std::string_view name);
    void end_of_frame_part(std::string_view name);
    void end_of_run_part(std::string_view name);
    void say_run();

    ErrorHandler& handler_;
    StringPool& strings_;
    std::vector<Text> path_;
    std::string text_;

    ErrorRun run_;
    bool run_said_ = false;
    Error error_;
    FatalSignal signal_;
    u64 pair_count_ = 0;
    Text pair_name_;
};

}  // namespace memspy::report
