// SPDX-License-Identifier: GPL-2.0-or-later
//
// Valgrind's error XML for older tools: protocol 4, with the name and kinds of a tool that they know. Defects
// and leaks are written in memcheck's dialect, sharing and contention in helgrind's, as its kind for other
// errors.
#include <iostream>

#include "report/error_facts.h"
#include "report/export/export.h"
#include "report/xml_out.h"

namespace memspy::report {
namespace {

void write_stack(XmlOut& xml, const std::vector<ErrorFrame>& stack) {
    if (stack.empty()) return;
    xml.open("stack");
    for (const ErrorFrame& frame : stack) {
        xml.open("frame");
        xml.text_element("ip", std::string(frame.ip));
        xml.text_element_unless_empty("obj", frame.object);
        xml.text_element_unless_empty("fn", frame.fn);
        xml.text_element_unless_empty("dir", frame.dir);
        xml.text_element_unless_empty("file", frame.file);
        if (frame.line != 0) xml.text_element("line", std::to_string(frame.line));
        xml.close();
    }
    xml.close();
}

void write_error(XmlOut& xml, const Error& error, Text kind) {
    xml.open("error");
    xml.text_element("unique", std::string(error.unique));
    xml.text_element("tid", std::to_string(error.thread));
    xml.text_element("kind", std::string(kind));
    if (class_of(error) == ErrorClass::Leak) {
        xml.open("xwhat");
        xml.text_element("text", std::string(error.what));
        xml.text_element("leakedbytes", std::to_string(error.leaked_bytes));
        xml.text_element("leakedblocks", std::to_string(error.leaked_blocks));
        xml.close();
    } else {
        xml.text_element("what", std::string(error.what));
    }
    write_stack(xml, error.parts.front().stack);
    for (std::size_t i = 1; i < error.parts.size(); ++i) {
        xml.text_element("auxwhat", std::string(error.parts[i].text));
        write_stack(xml, error.parts[i].stack);
    }
    xml.close();
}

void write_status(XmlOut& xml, const char* state) {
    xml.open("status");
    xml.text_element("state", state);
    xml.text_element("time", "00:00:00:00.000 ");
    xml.close();
}

void write_command(XmlOut& xml, const char* name, Text exe, const std::vector<Text>& arguments) {
    xml.open(name);
    xml.text_element("exe", std::string(exe));
    for (const Text each : arguments) xml.text_element("arg", std::string(each));
    xml.close();
}

// `kind_of` returns an error's kind in the dialect, empty if it has none.
template <typename F>
void write_document(ExportJob& job, const char* tool, F&& kind_of) {
    const std::vector<ErrorFile> files = read_errors(job);
    if (files.size() != 1) throw UsageError("this format holds one run: give one error file");
    const ErrorFile& file = files.front();
    XmlOut xml(job.out);
    xml.open("valgrindoutput");
    xml.text_element("protocolversion", "4");
    xml.text_element("protocoltool", tool);
    xml.open("preamble");
    for (const Text line : file.run.preamble) xml.text_element("line", std::string(line));
    xml.close();
    xml.text_element("pid", std::to_string(file.run.pid));
    xml.text_element("ppid", std::to_string(file.run.ppid));
    xml.text_element("tool", tool);
    xml.open("args");
    write_command(xml, "vargv", "valgrind", file.run.options);
    write_command(xml, "argv", file.run.exe, file.run.arguments);
    xml.close();
    write_status(xml, "RUNNING");
    u64 left_out = 0;
    std::vector<std::pair<Text, u64>> counted;
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        const Error& error = file.errors[i];
        const Text kind = kind_of(error);
        if (kind.empty()) {
            ++left_out;
            continue;
        }
        write_error(xml, error, kind);
        if (class_of(error) != ErrorClass::Leak) counted.emplace_back(error.unique, file.counts[i]);
    }
    xml.open("errorcounts");
    for (const auto& [unique, count] : counted) {
        xml.open("pair");
        xml.text_element("count", std::to_string(count));
        xml.text_element("unique", std::string(unique));
        xml.close();
    }
    xml.close();
    if (file.finished) write_status(xml, "FINISHED");
    xml.open("suppcounts");
    for (const ErrorFile::Suppressed& each : file.suppressed) {
        xml.open("pair");
        xml.text_element("count", std::to_string(each.count));
        xml.text_element("name", std::string(each.name));
        xml.close();
    }
    xml.close();
    xml.close();
    xml.finish();
    if (left_out != 0)
        std::cerr << "memspy-report: " << left_out << " of " << file.errors.size()
                  << " errors have no kind in " << tool << "'s dialect and are left out\n";
}

}  // namespace

void export_memcheck4(ExportJob& job) {
    if (job.errors.empty()) throw UsageError("profiles have no defects: give an error file (--xml=yes)");
    write_document(job, "memcheck", [](const Error& error) -> Text {
        // This kind is younger than the protocol.
        if (error.kind == "ReallocSizeZero") return "FishyValue";
        const ErrorClass what = class_of(error);
        return what == ErrorClass::Defect || what == ErrorClass::Leak ? error.kind : Text{};
    });
}

void export_helgrind4(ExportJob& job) {
    write_document(job, "helgrind", [](const Error& error) -> Text {
        return class_of(error) == ErrorClass::Object ? "Misc" : "";
    });
}

}  // namespace memspy::report
