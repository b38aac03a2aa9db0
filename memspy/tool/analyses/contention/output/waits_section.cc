// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/output/waits_section.h"

#include "fields/contention.h"
#include "places/place.h"

namespace memspy::contention {
namespace {

using profile::XmlWriter;
namespace names = fields::contention;

template <typename Names>
void write_figures(XmlWriter& xml, const replay::WaitFigures& figures) {
    xml.attribute(Names::waited, figures.waited);
    xml.attribute(Names::times, figures.times);
    xml.attribute(Names::longest, figures.longest);
}

void write_span(XmlWriter& xml, const ThreadWait& wait) {
    xml.open(names::Wait::spans);
    xml.attribute(names::WaitSpan::thread, wait.thread);
    xml.attribute_unless_zero(names::WaitSpan::whom, wait.span.whom);
    xml.attribute_unless_zero(names::WaitSpan::from, wait.span.from);
    xml.attribute(names::WaitSpan::until, wait.span.until);
    xml.attribute(names::WaitSpan::waited, wait.span.waited);
    xml.attribute(names::WaitSpan::times, wait.span.times);
    xml.close();
}

}  // namespace

void write_waits(XmlWriter& xml, const SharingReport& report) {
    for (u32 number = 0; number < report.waits.size(); ++number) {
        const Awaited& row = report.waits[number];
        constexpr const char* kKinds[] = {"lock", "word", "end"};
        xml.open(names::kWait);
        xml.attribute(names::Wait::kind, kKinds[static_cast<u32>(row.kind)]);
        if (row.object != ObjectId::None) {
            xml.attribute(names::Wait::object, static_cast<u64>(row.object));
            xml.attribute_unless_zero(names::Wait::offset, row.offset);
        }
        if (row.name[0] != '\0') xml.attribute(names::Wait::name, row.name);
        if (const ContextId stack = places::stack_of(row.place); stack != ContextId::None)
            xml.attribute(names::Wait::stack, static_cast<u64>(stack));
        write_figures<names::Wait>(xml, row.figures);
        for (const replay::WaitPart& part : report.wait_parts) {
            if (part.row != number) continue;
            xml.open(names::Wait::pairs);
            xml.attribute(names::WaitPair::thread, part.thread);
            xml.attribute(names::WaitPair::whom, part.whom);
            write_figures<names::WaitPair>(xml, part.figures);
            xml.close();
        }
        for (const ThreadWait& wait : report.thread_waits)
            if (wait.span.row == number) write_span(xml, wait);
        xml.close();
    }
}

}  // namespace memspy::contention
