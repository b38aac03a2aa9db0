// SPDX-License-Identifier: GPL-2.0-or-later
//
// GitLab's code quality report: a list of findings, each with one place in the sources.
#include <map>
#include <nlohmann/json.hpp>

#include "report/error_facts.h"
#include "report/export/export.h"
#include "report/export/rule_help.h"

namespace memspy::report {
namespace {

using Json = nlohmann::ordered_json;

const char* severity_of(const Error& error) {
    switch (class_of(error)) {
        case ErrorClass::Defect: return "critical";
        case ErrorClass::Leak: return error.kind == "Leak_StillReachable" ? "info" : "major";
        case ErrorClass::Object:
        case ErrorClass::Code:
        case ErrorClass::Other: break;
    }
    return "minor";
}

// With the advice, which a merge request shows beside the line; stacks are in the body.
std::string description_of(const Error& error) {
    std::string text(error.what);
    for (const ErrorPart& part : error.parts)
        if (&part != &error.parts.front() && part.stack.empty()) text += ". " + std::string(part.text);
    return text;
}

std::string body_of(const Error& error) {
    const RuleHelp* const help = rule_help(error.kind);
    return full_text(error) + (help == nullptr ? "" : "\n" + std::string(help->remedy));
}

}  // namespace

void export_codequality(ExportJob& job) {
    Json list = Json::array();
    std::map<std::string, int> seen;
    for (const ErrorFile& file : read_errors(job)) {
        for (const Error& error : file.errors) {
            const ErrorFrame* frame = own_frame(error, job.own);
            std::string path = frame == nullptr ? "" : source_path(*frame, job.root);
            // A finding without a place is not shown at all, so a finding in a binary names the binary.
            if (path.empty() && frame != nullptr) path = frame->object;
            if (path.empty()) path = file.run.exe;
            // Two errors of one identity are distinguished by their order.
            std::string known_by = identity(error);
            if (const int before = seen[known_by]++; before > 0) known_by += "\n" + std::to_string(before);
            list.push_back(
                {{"description", description_of(error)},
                 {"content", {{"body", body_of(error)}}},
                 {"check_name", error.kind},
                 {"fingerprint", fingerprint(known_by)},
                 {"severity", severity_of(error)},
                 {"location",
                  {{"path", path},
                   {"lines", {{"begin", frame == nullptr || frame->line == 0 ? 1 : frame->line}}}}}});
        }
    }
    job.out << list.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace memspy::report
