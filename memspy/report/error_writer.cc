// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/error_writer.h"

#include "report/error_facts.h"
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

void write_error(XmlOut& xml, const Error& error) {
    xml.open("error");
    xml.text_element("unique", std::string(error.unique));
    xml.text_element("tid", std::to_string(error.thread));
    xml.text_element("kind", std::string(error.kind));
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

}  // namespace

void write_error_file(std::ostream& out, const ErrorFile& file, const char* tool, const char* protocol) {
    XmlOut xml(out);
    xml.open("valgrindoutput");
    xml.text_element("protocolversion", protocol);
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
    std::vector<std::pair<Text, u64>> counted;
    for (std::size_t i = 0; i < file.errors.size(); ++i) {
        const Error& error = file.errors[i];
        write_error(xml, error);
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
}

}  // namespace memspy::report
