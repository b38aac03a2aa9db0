// SPDX-License-Identifier: GPL-2.0-or-later
//
// SARIF 2.1.0, in which code hosts accept the results of static and dynamic analysis.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "report/catalog.h"
#include "report/error_facts.h"
#include "report/export/export.h"
#include "report/export/rule_help.h"

namespace memspy::report {
namespace {

using Json = nlohmann::ordered_json;

// A path as a URI reference.
std::string uri_of(const std::string& path) {
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-._~/+").find(c) != std::string_view::npos;
        if (plain) {
            uri += c;
        } else {
            constexpr char kDigits[] = "0123456789ABCDEF";
            uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        }
    }
    return uri;
}

Json location_of(const ErrorFrame& frame, const std::string& root) {
    Json location = Json::object();
    if (const std::string path = source_path(frame, root); !path.empty()) {
        Json artifact{{"uri", uri_of(path)}};
        if (!path.starts_with('/') && !root.empty()) artifact["uriBaseId"] = "SRCROOT";
        Json physical{{"artifactLocation", std::move(artifact)}};
        if (frame.line != 0) physical["region"] = {{"startLine", frame.line}};
        location["physicalLocation"] = std::move(physical);
    }
    if (!frame.fn.empty())
        location["logicalLocations"] =
            Json::array({{{"fullyQualifiedName", frame.fn}, {"kind", "function"}}});
    return location;
}

Json stack_of(const ErrorPart& part, Text message, const std::string& root) {
    Json frames = Json::array();
    for (const ErrorFrame& frame : part.stack) {
        Json object{{"location", location_of(frame, root)}};
        if (!frame.object.empty()) object["module"] = base_name(frame.object);
        frames.push_back(std::move(object));
    }
    return {{"message", {{"text", message}}}, {"frames", std::move(frames)}};
}

// Of the error's further stacks, such as that of the block's allocation: what editors offer to go to.
Json related_locations(const Error& error, const ExportJob& job) {
    Json related = Json::array();
    for (std::size_t i = 1; i < error.parts.size(); ++i) {
        const ErrorFrame* const frame = own_frame(error.parts[i].stack, job.own);
        if (frame == nullptr) continue;
        Json location = location_of(*frame, job.root);
        if (!location.contains("physicalLocation")) continue;
        location["id"] = related.size() + 1;
        location["message"] = {{"text", error.parts[i].text}};
        related.push_back(std::move(location));
    }
    return related;
}

// The error is one between two threads.
bool has_two_sides(Text kind) {
    constexpr Text kKinds[] = {"Race", "LockOrder", "FalseSharing", "TrueSharing", "Contention"};
    return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

// How each of the two threads got to its access, from its outermost function on; empty where only one is known.
Json code_flows(const Error& error, const std::string& root) {
    Json threads = Json::array();
    for (const ErrorPart& side : error.parts) {
        Json way = Json::array();
        for (auto frame = side.stack.rbegin(); frame != side.stack.rend(); ++frame)
            if (Json location = location_of(*frame, root); location.contains("physicalLocation"))
                way.push_back({{"location", std::move(location)}});
        if (!way.empty()) threads.push_back({{"locations", std::move(way)}});
        if (threads.size() == 2) return Json::array({{{"threadFlows", std::move(threads)}}});
    }
    return {};
}

// `work (heap.cc:25)`: without the function's parameters.
std::string bare_label(const ErrorFrame& frame) {
    std::string whole = label(frame);
    if (frame.fn.empty() || !whole.starts_with(frame.fn)) return whole;
    return bare_function(frame.fn) + whole.substr(frame.fn.size());
}

const char* level_of(const Error& error) {
    switch (class_of(error)) {
        case ErrorClass::Leak:
            return error.kind == "Leak_DefinitelyLost" || error.kind == "Leak_IndirectlyLost" ? "error"
                                                                                              : "note";
        case ErrorClass::Defect: return "error";
        case ErrorClass::Object:
        case ErrorClass::Code:
        case ErrorClass::Other: break;
    }
    return "warning";
}

Json rule_of(Text kind) {
    Json rule{{"id", kind}, {"name", kind}};
    if (const RuleHelp* const help = rule_help(kind)) {
        rule["shortDescription"] = {{"text", help->what}};
        rule["help"] = {{"text", std::string(help->what) + " " + std::string(help->remedy)}};
    }
    // Code hosts sort by it: 7 is high, 9 critical. What destroys memory can be made use of, the others can
    // stop a program.
    constexpr std::pair<Text, const char*> kSeverities[] = {
        {"InvalidWrite", "9.0"}, {"InvalidFree", "9.0"},     {"InvalidJump", "9.0"},
        {"InvalidRead", "7.5"},  {"Overlap", "7.0"},         {"FishyValue", "7.0"},
        {"UninitValue", "6.5"},  {"UninitCondition", "5.5"}, {"SyscallParam", "6.5"},
        {"MpiBuffer", "5.5"},    {"MpiTruncation", "7.0"},   {"MismatchedFree", "5.0"},
        {"ClientCheck", "5.0"},  {"MpiBufferInUse", "5.0"}};
    for (const auto& [each, severity] : kSeverities)
        if (each == kind)
            rule["properties"] = {{"tags", {"security", "memory"}}, {"security-severity", severity}};
    return rule;
}

// A step's fields have the names of the profile.
Json properties_of(const ErrorRemedy& step) {
    Json properties{{"remedy", step.remedy}};
    if (!step.object.empty()) properties["object"] = step.object;
    if (step.bytes != 0) properties["bytes"] = step.bytes;
    if (step.stride != 0) properties["stride"] = step.stride;
    if (!step.means.empty()) properties["means"] = step.means;
    if (step.removes != 0 || step.events != 0) properties["removes"] = step.removes;
    if (step.events != 0) properties["events"] = step.events;
    if (step.gain != 0) properties["gain"] = step.gain;
    return properties;
}

// The first step of the advice, what all steps remove and gain, and the further ones.
Json properties_of(const std::vector<ErrorRemedy>& steps) {
    ErrorRemedy whole = steps.front();
    Json further = Json::array();
    for (const ErrorRemedy& step : steps) {
        if (step.events != 0) {
            whole.removes = step.removes;
            whole.events = step.events;
        }
        whole.gain = std::max(whole.gain, step.gain);
        if (&step != &steps.front()) further.push_back(properties_of(step));
    }
    Json properties = properties_of(whole);
    if (!further.empty()) properties["further"] = std::move(further);
    return properties;
}

}  // namespace

void export_sarif(ExportJob& job) {
    Json rules = Json::array();
    Json results = Json::array();
    std::map<Text, std::size_t> rule_numbers;
    for (const ErrorFile& file : read_errors(job)) {
        for (std::size_t i = 0; i < file.errors.size(); ++i) {
            const Error& error = file.errors[i];
            const auto [rule, is_new] = rule_numbers.emplace(error.kind, rules.size());
            if (is_new) rules.push_back(rule_of(error.kind));
            std::string message(error.what);
            Json stacks = Json::array();
            for (std::size_t part = 0; part < error.parts.size(); ++part) {
                const Text text = part == 0 ? error.what : error.parts[part].text;
                const std::vector<ErrorFrame>& stack = error.parts[part].stack;
                if (part > 0) message += "\n" + std::string(text);
                if (stack.empty()) continue;
                // "Block was alloc'd at": the text goes on with the place.
                if (part > 0) message += " " + bare_label(*own_frame(stack, job.own));
                stacks.push_back(stack_of(error.parts[part], text, job.root));
            }
            Json result{{"ruleId", error.kind},
                        {"ruleIndex", rule->second},
                        {"level", level_of(error)},
                        {"message", {{"text", message}}}};
            Json locations = Json::array();
            if (const ErrorFrame* frame = own_frame(error, job.own))
                locations.push_back(location_of(*frame, job.root));
            result["locations"] = std::move(locations);
            if (Json related = related_locations(error, job); !related.empty())
                result["relatedLocations"] = std::move(related);
            if (Json flows = has_two_sides(error.kind) ? code_flows(error, job.root) : Json(); !flows.empty())
                result["codeFlows"] = std::move(flows);
            if (!stacks.empty()) result["stacks"] = std::move(stacks);
            result["partialFingerprints"] = {{"memspy/v1", fingerprint(identity(error))}};
            result["occurrenceCount"] = file.counts[i];
            if (!error.remedies.empty()) result["properties"] = properties_of(error.remedies);
            results.push_back(std::move(result));
        }
    }
    Json driver{{"name", "memspy"}, {"version", MEMSPY_VERSION}};
    if (constexpr std::string_view kPage = MEMSPY_URL; !kPage.empty()) driver["informationUri"] = kPage;
    driver["rules"] = std::move(rules);
    Json run{{"tool", {{"driver", std::move(driver)}}}};
    if (!job.root.empty()) run["originalUriBaseIds"] = {{"SRCROOT", {{"uri", uri_of(job.root) + "/"}}}};
    run["results"] = std::move(results);
    const Json document{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                        {"version", "2.1.0"},
                        {"runs", Json::array({std::move(run)})}};
    job.out << document.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace memspy::report
