// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <contention> of the profile file.
#include <algorithm>

#include "analyses/contention/contention.h"
#include "analyses/contention/output/latent_text.h"
#include "analyses/contention/output/remedies.h"
#include "analyses/contention/output/sharing_findings.h"
#include "analyses/contention/output/waits_section.h"
#include "fields/contention.h"
#include "options.h"
#include "order/passing.h"
#include "places/objects.h"
#include "places/variables.h"
#include "profile/profile.h"
#include "remedies/sharing_report.h"
#include "rt/hash_map.h"

namespace memspy::contention {
namespace {

using findings::kind_name;
using findings::SummedRecord;
using places::Extent;
using profile::ProfileNeeds;
using profile::ProfileSection;
using profile::XmlWriter;
namespace names = fields::contention;

constexpr char kAssumptions[] =
    "one core and one private, infinite cache per thread; one unit of time per instruction; accesses of all "
    "threads ordered by virtual time; a thread that needs a held lock waits; a load that misses brings the "
    "line for a store that follows it";

// `Names`: the attributes' names for the element.
template <typename Names>
const char* name_of(u32 view) {
    return view == static_cast<u32>(View::Observed) ? Names::observed : Names::modelled;
}

template <typename Names>
void write_accesses(XmlWriter& xml, const AccessCounts& accesses) {
    xml.attribute_unless_zero(Names::loads, accesses.loads);
    xml.attribute_unless_zero(Names::stores, accesses.stores);
}

// Writes an element for each view that has any count.
template <typename Names>
void write_counts(XmlWriter& xml, const CoherenceCounts* counts) {
    for (u32 view = 0; view < kViews; ++view) {
        const CoherenceCounts& c = counts[view];
        if (c.cold + c.events() == 0) continue;
        xml.open(name_of<Names>(view));
        xml.attribute_unless_zero(names::Counts::cold, c.cold);
        xml.attribute_unless_zero(names::Counts::first_touches, c.first_touches);
        xml.attribute_unless_zero(names::Counts::coherence_misses, c.coherence_misses);
        xml.attribute_unless_zero(names::Counts::invalidations, c.invalidations);
        xml.attribute_unless_zero(names::Counts::true_misses, c.true_misses);
        xml.attribute_unless_zero(names::Counts::false_misses, c.false_misses);
        xml.attribute_unless_zero(names::Counts::true_invalidations, c.true_invalidations);
        xml.attribute_unless_zero(names::Counts::false_invalidations, c.false_invalidations);
        xml.close();
    }
}

void write_object(XmlWriter& xml, const char* name, ObjectId object) {
    if (object != ObjectId::None) xml.attribute(name, static_cast<u64>(object));
}

void write_model(XmlWriter& xml) {
    xml.open(names::kModel);
    xml.attribute(names::Model::line_size, static_cast<u64>(options().line_size));
    xml.yes_or_no(names::Model::sharing, options().sharing);
    xml.attribute(names::Model::coherence_latency, static_cast<u64>(options().coherence_latency));
    xml.attribute(names::Model::interleave, static_cast<u64>(options().interleave));
    xml.attribute(names::Model::access_log_bytes, static_cast<u64>(options().access_log_size) * 1'000'000);
    xml.text(kAssumptions);
    xml.close();

    const ReplayStatus& s = status();
    xml.open(names::kQuality);
    xml.yes_or_no(names::Quality::exact, s.lifted == 0);
    xml.yes_or_no(names::Quality::several_threads, s.several_threads);
    xml.attribute(names::Quality::threads, s.threads);
    xml.attribute(names::Quality::merged, s.merged);
    xml.attribute(names::Quality::forced, s.forced);
    xml.attribute(names::Quality::lifted, s.lifted);
    xml.attribute_unless_zero(names::Quality::unlogged, s.unlogged);
    xml.attribute_unless_zero(names::Quality::missing, s.missing);
    xml.close();
}

void write_missing(XmlWriter& xml) {
    order::for_each_missing(
        [](ObjectId object, u64 events, void* argument) {
            XmlWriter& to = *static_cast<XmlWriter*>(argument);
            to.open(names::kMissing);
            write_object(to, names::Missing::object, object);
            to.attribute(names::Missing::events, events);
            to.close();
        },
        &xml);
}

void write_virtual_time(XmlWriter& xml) {
    const order::VirtualEnd end = order::virtual_end();
    xml.open(names::kVirtualTime);
    xml.attribute(names::VirtualTime::end, end.end);
    xml.attribute(names::VirtualTime::cost, end.price);
    xml.attribute(names::VirtualTime::costly_end, end.costly.full);
    xml.attribute(names::VirtualTime::without_false, end.costly.without_all);
    xml.close();
}

// What rows and threads end with.
template <typename Names>
void close_counted(XmlWriter& xml, const AccessCounts& accesses, const CoherenceCounts* counts) {
    write_accesses<Names>(xml, accesses);
    write_counts<Names>(xml, counts);
    xml.close();
}

void write_totals(XmlWriter& xml) {
    xml.open(names::kTotal);
    const CoherenceCounts counts[kViews] = {total(View::Observed), total(View::Modelled)};
    close_counted<names::Total>(xml, total_accesses(), counts);
}

void write_thread(const ThreadRow& row, void* argument) {
    XmlWriter& xml = *static_cast<XmlWriter*>(argument);
    xml.open(names::kThreadCounts);
    xml.attribute(names::ThreadCounts::thread, row.serial);
    xml.attribute_unless_zero(names::ThreadCounts::instructions, row.instructions);
    if (const auto* const time = order::waits().times().find(row.serial);
        time != nullptr && row.serial != 0) {
        xml.attribute_unless_zero(names::ThreadCounts::begin, time->begin);
        xml.attribute_unless_zero(names::ThreadCounts::end, time->end);
    }
    close_counted<names::ThreadCounts>(xml, row.accesses, row.counts);
}

// Rows without events say only who accesses what is shared, and those with a few that something was handed
// over and back. Where there are many of them, they are summed over their stacks, and over objects that have no event
// either: the dynamic linker of a program of many libraries makes a quarter of a million rows on the stack of main, and
// two thirds of a rank's profile with OpenMP were such rows, and stacks that only they have.
constexpr u64 kMostQuietRows = 1'000;
constexpr u64 kFewEvents = 4;  // a miss and an invalidation each way

bool has_event(const SharingRow& row) {
    return std::any_of(std::begin(row.counts), std::end(row.counts),
                       [](const CoherenceCounts& counts) { return counts.events() + counts.cold != 0; });
}
bool is_quiet(const SharingRow& row) {
    return std::all_of(std::begin(row.counts), std::end(row.counts), [](const CoherenceCounts& counts) {
        return counts.events() + counts.cold <= kFewEvents;
    });
}

template <typename F>
void for_each_written_row(F f) {
    struct Sums {
        F* write;
        u64 quiet = 0;
        rt::HashMap<u8> eventful;      // objects
        rt::HashMap<SharingRow> rows;  // by object and thread
    };
    Sums sums{.write = &f, .eventful = {}, .rows = {}};
    for_each_row(
        [](const SharingRow& row, void* argument) {
            Sums& to = *static_cast<Sums*>(argument);
            to.quiet += is_quiet(row);
            if (has_event(row)) to.eventful[static_cast<u64>(row.object)] = 1;
        },
        &sums);
    for_each_row(
        [](const SharingRow& row, void* argument) {
            Sums& to = *static_cast<Sums*>(argument);
            if (to.quiet <= kMostQuietRows || !is_quiet(row)) return (*to.write)(row);
            const u64 object =
                to.eventful.find(static_cast<u64>(row.object)) != nullptr ? static_cast<u64>(row.object) : 0;
            SharingRow& sum = to.rows[object << 32 | row.thread];
            sum.object = static_cast<ObjectId>(object);
            sum.thread = row.thread;
            sum.accesses.add(row.accesses);
            for (u32 view = 0; view < kViews; ++view) sum.counts[view].add(row.counts[view]);
        },
        &sums);
    sums.rows.for_each([&](u64, const SharingRow& row) { f(row); });
}

// Where many lines are shared, only those are written that matter to the program, and the worst of each
// object: blocks that go from thread to thread once make a hundred thousand lines with an event or two, and a
// profile of as many megabytes; arrays that threads exchange have thousands alike. Of the others there are counts by
// object.
class WrittenLines {
public:
    WrittenLines();

    // Calls f(const LineRow&), by ascending address. The row has no ranges.
    template <typename F>
    void for_each(F f) const {
        for (const u64 line : lines_) f(*find_line_counts(line));
    }

    // Calls f(ObjectId, u64): so many lines of the object with events are not written.
    template <typename F>
    void for_each_left_out(F f) {
        left_out_.for_each([&](u64 object, u64 lines) { f(static_cast<ObjectId>(object), lines); });
    }

private:
    static constexpr usize kAll = 500;               // up to so many lines all are written
    static constexpr u64 kShareThatMatters = 1'000;  // a line matters with one of so many events
    static constexpr u64 kWorstOfObject = 8;
    static constexpr u64 kRepeated = kFewEvents + 1;  // events of a line that was not only handed over

    struct EventfulLine {
        u64 line, events;
    };
    bool is_wanted(const EventfulLine& busy, u64 all_events, rt::HashMap<u64>& written);

    rt::Vector<u64> lines_;
    rt::HashMap<u64> left_out_;
};

WrittenLines::WrittenLines() {
    rt::Vector<EventfulLine> all;
    for_each_line(
        [](const LineRow& row, void* lines) {
            static_cast<rt::Vector<EventfulLine>*>(lines)->push_back({row.line, peak_of(row.counts)});
        },
        &all);
    u64 events = 0;
    for (const EventfulLine& busy : all) events += busy.events;
    std::sort(all.begin(), all.end(), [](const EventfulLine& a, const EventfulLine& b) {
        return a.events != b.events ? a.events > b.events : a.line < b.line;
    });
    rt::HashMap<u64> written;  // by object
    for (const EventfulLine& busy : all)
        if (all.size() <= kAll || is_wanted(busy, events, written)) lines_.push_back(busy.line);
    std::sort(lines_.begin(), lines_.end());
}

bool WrittenLines::is_wanted(const EventfulLine& busy, u64 all_events, rt::HashMap<u64>& written) {
    if (busy.events == 0) return false;
    rt::Vector<ObjectId> objects;
    const Address line = busy.line * static_cast<u64>(options().line_size);
    places::for_each_known_extent(
        line, line + static_cast<u64>(options().line_size),
        [](const Extent& extent, void* found) {
            rt::Vector<ObjectId>& to = *static_cast<rt::Vector<ObjectId>*>(found);
            if (std::find(to.begin(), to.end(), extent.object) == to.end()) to.push_back(extent.object);
        },
        &objects);
    const auto is_among_worst = [&](ObjectId object) {
        const u64* count = written.find(static_cast<u64>(object));
        return count == nullptr || *count < kWorstOfObject;
    };
    const bool wanted =
        busy.events * kShareThatMatters >= all_events ||
        (busy.events >= kRepeated && std::any_of(objects.begin(), objects.end(), is_among_worst));
    for (const ObjectId object : objects) ++(wanted ? written : left_out_)[static_cast<u64>(object)];
    return wanted;
}

void write_row(XmlWriter& xml, const SharingRow& row) {
    xml.open(names::kRow);
    write_object(xml, names::Row::object, row.object);
    if (const ContextId stack = places::stack_of(row.place); stack != ContextId::None)
        xml.attribute(names::Row::stack, static_cast<u64>(stack));
    xml.attribute(names::Row::thread, row.thread);
    close_counted<names::Row>(xml, row.accesses, row.counts);
}

void write_pair(const PairRow& row, void* argument) {
    XmlWriter& xml = *static_cast<XmlWriter*>(argument);
    xml.open(names::kPair);
    write_object(xml, names::Pair::object, row.object);
    xml.attribute(names::Pair::thread, row.thread);
    if (row.other != 0) xml.attribute(names::Pair::other, row.other);
    for (u32 view = 0; view < kViews; ++view) {
        if (row.events[view] == 0) continue;
        xml.open(name_of<names::Pair>(view));
        xml.attribute(names::PairCounts::events, row.events[view]);
        xml.attribute_unless_zero(names::PairCounts::false_events, row.false_events[view]);
        xml.close();
    }
    xml.close();
}

struct LineOutput {
    XmlWriter& xml;
    u32 line_bytes;
    Address line;  // the one being written
};

void write_extent(const Extent& extent, void* argument) {
    LineOutput& output = *static_cast<LineOutput*>(argument);
    XmlWriter& xml = output.xml;
    xml.open(names::Line::extents);
    xml.attribute(names::Extent::object, static_cast<u64>(extent.object));
    xml.attribute(names::Extent::first, extent.begin - output.line);
    xml.attribute(names::Extent::bytes, extent.end - extent.begin);
    // The extent's offset in its block, symbol, section…, and the start of that. A frame's red zone is below it.
    const Address start = extent.start < extent.begin ? extent.start : extent.begin;
    xml.attribute(names::Extent::offset, extent.begin - start);
    xml.hexadecimal(names::Extent::start, start);
    xml.close();
}

void write_line(const LineRow& row, LineOutput& output) {
    XmlWriter& xml = output.xml;
    output.line = row.line * output.line_bytes;
    xml.open(names::kLine);
    xml.hexadecimal(names::Line::address, output.line);
    write_counts<names::Line>(xml, row.counts);
    places::for_each_known_extent(output.line, output.line + output.line_bytes, write_extent, &output);
    for (const RangeRow& range : *find_line(row.line)->ranges) {
        xml.open(names::Line::ranges);
        xml.attribute(names::Range::thread, range.thread);
        xml.attribute(names::Range::first, range.first);
        xml.attribute(names::Range::bytes, range.bytes);
        write_accesses<names::Range>(xml, range.accesses);
        xml.close();
    }
    xml.close();
}

void write_left_out(XmlWriter& xml, WrittenLines& lines) {
    lines.for_each_left_out([&](ObjectId object, u64 count) {
        xml.open(names::kLinesLeftOut);
        write_object(xml, names::LinesLeftOut::object, object);
        xml.attribute(names::LinesLeftOut::lines, count);
        xml.close();
    });
}

void write_text(XmlWriter& xml, const char* element, const char* text) {
    if (text[0] == '\0') return;
    xml.open(element);
    xml.text(text);
    xml.close();
}

bool is_written(const ReportGroup& group) { return group.finding || group.figures.peak() != 0; }

// The groups and their advice, as in the summary and the findings.
void write_groups(XmlWriter& xml) {
    SharingReport& report = settled_report();
    for (u32 i = 0; i < report.groups.size(); ++i) {
        const ReportGroup& group = report.groups[i];
        if (!is_written(group)) continue;
        xml.open(names::kGroup);
        xml.attribute(names::Group::kind, kind_name(group.kind));
        xml.yes_or_no(names::Group::finding, group.finding);
        xml.attribute_unless_zero(names::Group::removable, group.removable);
        xml.attribute_unless_zero(names::Group::end_without, group.end_without);
        xml.attribute_unless_zero(names::Group::varies, group.varies);
        for (u32 member = group.objects.begin; member < group.objects.end; ++member) {
            xml.open(names::Group::members);
            xml.attribute(names::Member::object, static_cast<u64>(report.objects[member].id));
            xml.close();
        }
        for (const u32 side : group.sides) {
            if (side >= report.rows.size()) continue;
            const SharingRow& row = report.rows[side];
            xml.open(names::Group::sides);
            xml.attribute(names::Side::stack, static_cast<u64>(places::stack_of(row.place)));
            xml.attribute(names::Side::thread, row.thread);
            xml.yes_or_no(names::Side::loads, row.accesses.loads > 0);
            xml.yes_or_no(names::Side::stores, row.accesses.stores > 0);
            xml.close();
        }
        // Advice on a handful of events helps nobody.
        if (i < report.settings.detailed &&
            (group.finding || group.figures.peak() >= report.settings.floor)) {
            const SummedRecord record = record_of(report, i);
            write_headline(xml, report, group);
            write_remedies(xml, report, group);
            write_text(xml, names::Group::what, record.what);
            write_text(xml, names::Group::figures, record.figures);
            write_text(xml, names::Group::advice, record.advice);
        }
        xml.close();
    }
}

void write_latent(XmlWriter& xml) {
    const SharingReport& report = settled_report();
    for (const LatentFinding& finding : report.latent) {
        xml.open(names::kLatent);
        xml.attribute(names::Latent::line_bytes, finding.line_bytes);
        xml.attribute_unless_zero(names::Latent::moved, finding.moved);
        xml.attribute(names::Latent::events, finding.events);
        xml.attribute(names::Latent::accesses, finding.accesses);
        for (u32 i = 0; i < finding.members; ++i) {
            xml.open(names::Latent::members);
            xml.attribute(names::Member::object,
                          static_cast<u64>(report.latent_members[finding.first_member + i]));
            xml.close();
        }
        rt::Text what;
        add_latent(what, report, finding, places::describe_blocks);
        write_text(xml, names::Latent::what, what.c_str());
        xml.close();
    }
}

void collect(ProfileNeeds& needs) {
    const auto need = [&](const SharingRow& row) {
        if (row.object != ObjectId::None) needs.object(row.object);
        if (const ContextId stack = places::stack_of(row.place); stack != ContextId::None)
            needs.stack(stack, row.place);
    };
    for_each_written_row(need);
    for (const SharingRow& row : settled_report().rows) need(row);
    for (const Awaited& row : settled_report().waits) {
        if (row.object != ObjectId::None) needs.object(row.object);
        if (const ContextId stack = places::stack_of(row.place); stack != ContextId::None)
            needs.stack(stack, row.place);
    }
    const u32 line_bytes = static_cast<u32>(options().line_size);
    WrittenLines lines;
    lines.for_each_left_out([&](ObjectId object, u64) { needs.object(object); });
    lines.for_each([&](const LineRow& row) {
        const Address line = row.line * line_bytes;
        places::for_each_known_extent(
            line, line + line_bytes,
            [](const Extent& extent, void* all) { static_cast<ProfileNeeds*>(all)->object(extent.object); },
            &needs);
    });
    for_each_pair(
        [](const PairRow& row, void* all) {
            if (row.object != ObjectId::None) static_cast<ProfileNeeds*>(all)->object(row.object);
        },
        &needs);
    for (const ObjectId id : settled_report().latent_members) needs.object(id);
    for (const advice::AdviceItem& item : settled_report().items)
        if (item.object != 0) needs.object(ObjectId{item.object});
    for (const ReportObject& each : settled_report().objects)
        if (each.id != ObjectId::None && is_written(settled_report().groups[each.group]))
            needs.object(each.id);
}

void write(XmlWriter& xml) {
    xml.open(names::kSection);
    write_model(xml);
    write_totals(xml);
    write_virtual_time(xml);
    write_missing(xml);
    for_each_thread(write_thread, &xml);
    for_each_written_row([&](const SharingRow& row) { write_row(xml, row); });
    for_each_pair(write_pair, &xml);
    LineOutput output{xml, static_cast<u32>(options().line_size), 0};
    WrittenLines lines;
    lines.for_each([&](const LineRow& row) { write_line(row, output); });
    write_left_out(xml, lines);
    write_waits(xml, settled_report());
    write_groups(xml);
    write_latent(xml);
    xml.close();
}

bool has_data() { return status().several_threads; }

}  // namespace

extern const ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::contention
