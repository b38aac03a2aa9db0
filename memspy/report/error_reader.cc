// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/error_reader.h"

#include <charconv>

namespace memspy::report {

std::string_view ErrorReader::outer(std::size_t up) const {
    return up < path_.size() ? path_[path_.size() - 1 - up] : std::string_view{};
}

bool ErrorReader::inside(std::string_view name) const { return path_.size() >= 2 && path_[1] == name; }

Text ErrorReader::trimmed() {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t first = text_.find_first_not_of(kBlank);
    if (first == std::string::npos) return {};
    return strings_.intern(std::string_view(text_).substr(first, text_.find_last_not_of(kBlank) - first + 1));
}

u64 ErrorReader::number() const {
    u64 value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || end != text_.data() + text_.size())
        throw BadElement("\"" + text_.substr(0, 40) + "\" is not a number");
    return value;
}

void ErrorReader::start(std::string_view name, std::span<const XmlAttribute>) {
    if (path_.empty() && name != "valgrindoutput")
        throw BadElement("<" + std::string(name) + "> is neither a profile nor Valgrind's XML");
    text_.clear();
    if (path_.size() == 1) {
        if (name == "status" || name == "error") say_run();
        if (name == "error") {
            error_ = {};
            error_.parts.emplace_back();
        }
        if (name == "fatal_signal") signal_ = {};
    }
    if (name == "frame" && outer(0) == "stack") {
        if (inside("error")) error_.parts.back().stack.emplace_back();
        if (inside("fatal_signal")) signal_.stack.emplace_back();
    }
    path_.push_back(strings_.intern(name));
}

void ErrorReader::end(std::string_view name) {
    path_.pop_back();
    if (inside("error")) {
        end_of_error_part(name);
    } else if (inside("fatal_signal")) {
        if (name == "tid") signal_.thread = number();
        if (name == "signame") signal_.name = trimmed();
        if (name == "siaddr") signal_.address = trimmed();
        if (outer(0) == "frame") end_of_frame_part(name);
    } else if (name == "error" && path_.size() == 1) {
        handler_.error(error_);
    } else if (name == "fatal_signal" && path_.size() == 1) {
        handler_.fatal_signal(signal_);
    } else if (name == "pair") {
        if (outer(0) == "errorcounts") handler_.error_count(pair_name_, pair_count_);
        if (outer(0) == "suppcounts") handler_.suppression_count(pair_name_, pair_count_);
    } else if (outer(0) == "pair") {
        if (name == "count") pair_count_ = number();
        if (name == "unique" || name == "name") pair_name_ = trimmed();
    } else if (name == "state" && outer(0) == "status") {
        if (text_ == "FINISHED") handler_.finished();
    } else if (!run_said_) {
        end_of_run_part(name);
    }
    text_.clear();
}

void ErrorReader::end_of_error_part(std::string_view name) {
    const std::string_view parent = outer(0);
    if (parent == "frame") {
        end_of_frame_part(name);
    } else if (parent == "error") {
        if (name == "unique") error_.unique = trimmed();
        if (name == "tid") error_.thread = number();
        if (name == "threadname") error_.thread_name = trimmed();
        if (name == "kind") error_.kind = trimmed();
        // Two lines of one error: the file that is not closed, and where it was opened.
        if (name == "what" && error_.what.empty())
            error_.what = trimmed();
        else if (name == "what" || name == "auxwhat")
            error_.parts.push_back({trimmed(), {}});
    } else if (name == "text") {
        if (parent == "xwhat") error_.what = trimmed();
        if (parent == "xauxwhat") error_.parts.push_back({trimmed(), {}});
    } else if (name == "leakedbytes") {
        error_.leaked_bytes = number();
    } else if (name == "leakedblocks") {
        error_.leaked_blocks = number();
    } else if (name == "rawtext" && parent == "suppression") {
        error_.suppression = trimmed();
    }
}

void ErrorReader::end_of_frame_part(std::string_view name) {
    std::vector<ErrorFrame>& stack = inside("error") ? error_.parts.back().stack : signal_.stack;
    if (stack.empty()) return;  // belongs to a stack in another element
    ErrorFrame& frame = stack.back();
    if (name == "ip") frame.ip = trimmed();
    if (name == "obj") frame.object = trimmed();
    if (name == "fn") frame.fn = trimmed();
    if (name == "dir") frame.dir = trimmed();
    if (name == "file") frame.file = trimmed();
    if (name == "line") frame.line = number();
}

void ErrorReader::end_of_run_part(std::string_view name) {
    const std::string_view parent = outer(0);
    if (path_.size() == 1) {
        if (name == "protocolversion") run_.protocol = trimmed();
        if (name == "tool") run_.tool = trimmed();
        if (name == "pid") run_.pid = number();
        if (name == "ppid") run_.ppid = number();
    } else if (parent == "preamble") {
        run_.preamble.push_back(trimmed());
    } else if (parent == "argv") {
        if (name == "exe") run_.exe = trimmed();
        if (name == "arg") run_.arguments.push_back(trimmed());
    } else if (parent == "vargv" && name == "arg") {
        run_.options.push_back(trimmed());
    }
}

void ErrorReader::say_run() {
    if (run_said_) return;
    run_said_ = true;
    handler_.run(run_);
}

}  // namespace memspy::report
