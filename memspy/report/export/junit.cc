// SPDX-License-Identifier: GPL-2.0-or-later
//
// JUnit's XML, which every CI server shows: a suite for each run, a failed case for each error.
#include "report/error_facts.h"
#include "report/export/export.h"
#include "report/xml_out.h"

namespace memspy::report {

void export_junit(ExportJob& job) {
    XmlOut xml(job.out);
    xml.open("testsuites");
    for (const ErrorFile& file : read_errors(job)) {
        const std::size_t cases = file.errors.size() + file.signals.size();
        xml.open("testsuite");
        xml.attribute("name", ("memspy: " + std::string(file.run.exe)).c_str());
        xml.attribute("tests", cases == 0 ? 1 : cases);
        xml.attribute("failures", cases);
        xml.attribute("errors", u64{0});
        xml.attribute("skipped", u64{0});
        auto failed = [&](const std::string& name, Text kind, const std::string& message,
                          const std::string& text) {
            xml.open("testcase");
            xml.attribute("classname", std::string(file.run.exe).c_str());
            xml.attribute("name", name.c_str());
            xml.open("failure");
            xml.attribute("type", std::string(kind).c_str());
            xml.attribute("message", message.c_str());
            xml.text(text.c_str());
            xml.close();
            xml.close();
        };
        for (const Error& error : file.errors) {
            const ErrorFrame* frame = own_frame(error, job.own);
            const std::string where = frame == nullptr ? "" : " at " + label(*frame);
            failed(std::string(error.kind) + where, error.kind, std::string(error.what), full_text(error));
        }
        for (const FatalSignal& signal : file.signals) {
            std::string text(signal.name);
            for (const ErrorFrame& frame : signal.stack) text += "\n   at " + label(frame);
            failed("ended by " + std::string(signal.name), signal.name, std::string(signal.name), text);
        }
        if (cases == 0) {
            xml.open("testcase");
            xml.attribute("classname", std::string(file.run.exe).c_str());
            xml.attribute("name", "no errors");
            xml.close();
        }
        xml.close();
    }
    xml.close();
    xml.finish();
}

}  // namespace memspy::report
