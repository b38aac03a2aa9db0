// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/output/summary_text.h"

#include <algorithm>

#include "analyses/contention/output/latent_text.h"
#include "analyses/contention/output/summary_lines.h"

namespace memspy::contention {
namespace {

using rt::Text;

constexpr View kColumns[] = {View::Modelled, View::Observed};

class Layout {
public:
    Layout(const SharingReport& report, const ReplayStatus& status, const SummaryOptions& options)
        : report_(report), status_(status), options_(options), lines_(options) {}

    void print() {
        line_.add("Cache contention and sharing: ").add_number(status_.threads).add(" thread");
        line_.add(plural(status_.threads))
            .add(", lines of ")
            .add_number(report_.settings.line_bytes)
            .add(" bytes");
        lines_.end();
        if (options_.brief) return print_brief();
        print_totals();
        print_threads();
        print_time();
        print_waits(lines_, report_);
        if (options_.top > 0) {
            print_objects();
            print_maps();
        }
        print_latent();
        print_notes();
        lines_.blank();
    }

private:
    void print_brief() {
        print_totals();
        print_time();
        if (options_.top > 0) print_objects();
        print_latent();
        print_notes();
        lines_.blank();
    }
    void print_totals();
    void print_threads();
    void print_time();
    void print_objects();
    void add_row_name(Text& text, const ReportObject& reported) const;
    void print_maps();
    void print_map(u32 index);
    void print_rows(const ReportGroup& group);
    void print_pairs(const ReportGroup& group);
    void print_latent();
    void print_assumptions();
    void print_notes();
    bool is_worth_telling(const ReportGroup& group) const {
        Text gain;
        return add_gain(gain, report_, group);
    }

    const SharingReport& report_;
    const ReplayStatus& status_;
    const SummaryOptions& options_;
    SummaryLines lines_;
    Text& line_ = lines_.text;
    bool marked_ = false;  // a figure has the mark for "observed more than modelled"
};

void Layout::print_totals() {
    const auto number = [this](const char* name, auto&& value) {
        line_.add("  ").add(name);
        usize column = 50;
        for (View view : kColumns) {
            lines_.number(column, value(report_.totals[static_cast<u32>(view)]));
            column += 18;
        }
        lines_.end();
    };
    lines_.blank();
    line_.pad_to(42).add("modelled").pad_to(60).add("observed");
    lines_.end();
    if (!options_.brief) {
        number("misses: first touch by anyone (cold)", [](const CoherenceCounts& c) { return c.cold; });
        number("misses: first touch by a further thread",
               [](const CoherenceCounts& c) { return c.first_touches; });
    }
    number("misses: copy lost to another thread",
           [](const CoherenceCounts& c) { return c.coherence_misses; });
    number("invalidations of other threads' copies",
           [](const CoherenceCounts& c) { return c.invalidations; });

    if (options_.brief) return;
    line_.add("  contention ratio");
    usize column = 50;
    for (View view : kColumns) {
        put_right(line_, column, [&] {
            line_.add_ratio(report_.totals[static_cast<u32>(view)].events(), report_.accesses.all());
        });
        column += 18;
    }
    line_.add("   events / accesses");
    lines_.end();
    if (report_.settings.sharing) {
        line_.add("  false sharing, share of events");
        column = 50;
        for (View view : kColumns) {
            const CoherenceCounts& counts = report_.totals[static_cast<u32>(view)];
            put_right(line_, column, [&] {
                line_.add_percent(counts.false_events(), counts.false_events() + counts.true_events());
            });
            column += 18;
        }
        lines_.end();
    }
    line_.add("  accesses");
    lines_.number(50, report_.accesses.all());
    lines_.end();
}

void Layout::print_threads() {
    if (report_.threads.empty()) return;
    lines_.blank();
    line_.add("  thread  parent").pad_to(22).add("instructions").pad_to(42).add("accesses");
    line_.pad_to(51).add("modelled misses").pad_to(69).add("invalidations");
    lines_.end();
    u32 printed = 0;
    u32 printed_threads = 0;
    for (const ThreadRow& thread : report_.threads) {
        if (printed++ == options_.threads) break;
        printed_threads += thread.threads;
        const CoherenceCounts& counts = thread.counts[static_cast<u32>(View::Modelled)];
        if (thread.serial != 0)
            lines_.number(8, thread.serial);
        else
            put_right(line_, 8, [&] { line_.add("others"); });
        if (thread.parent != 0)
            lines_.number(16, thread.parent);
        else
            put_right(line_, 16, [&] { line_.add('-'); });
        lines_.number(34, thread.instructions);
        lines_.number(50, thread.accesses.all());
        lines_.number(66, counts.misses());
        lines_.number(82, counts.invalidations);
        lines_.end();
    }
    if (report_.thread_count > printed_threads) {
        line_.add("  ... and ").add_number(report_.thread_count - printed_threads).add(" more threads");
        lines_.end();
    }
}

void Layout::print_time() {
    const order::VirtualEnd& end = report_.settings.end;
    if (end.end == 0) return;
    lines_.blank();
    Text text;
    text.add("The run ends after ").add_number(end.end).add(" units of virtual time");
    if (end.price != 0 && end.costly.full > end.end) {
        text.add("; if each miss and invalidation takes ").add_number(end.price).add(", after ");
        text.add_number(end.costly.full);
        if (report_.settings.sharing && end.costly.without_all < end.costly.full) {
            text.add("; of these, without false sharing, ").add_number(end.costly.without_all).add(" (");
            text.add_times(end.costly.full, end.costly.without_all).add(')');
        }
    }
    lines_.wrapped(text.add('.').c_str(), 2);
}

// Blocks of one line of the program have one name, so they have numbers besides, in the order of their addresses.
void Layout::add_row_name(Text& text, const ReportObject& reported) const {
    const Object& owner = object(reported.id);
    if (owner.kind != Object::StorageKind::Heap) return add_object_name(text, owner);
    Text name;
    const auto add_name = [&](Text& to, const Object& blocks) {
        if (blocks.on_lines > 1) to.add_brief(blocks.on_lines).add(' ');
        add_blocks(to, blocks, options_);
    };
    add_name(name, owner);
    text.add(name.c_str());
    constexpr u32 kMostCompared = 64;  // the worst ones; who has more rows than these reads the profile
    u32 same = 0, before = 0, compared = 0;
    for (const ReportObject& other : report_.objects) {
        const Object& known = object(other.id);
        if (known.kind != Object::StorageKind::Heap || !goes_back_and_forth(other.figures)) continue;
        if (++compared > kMostCompared) break;
        Text others;
        add_name(others, known);
        if (!others.equals(name)) continue;
        ++same;
        if (known.start < owner.start) ++before;
    }
    if (same < 2) return;
    text.add(", no. ").add_number(before + 1);
    if (owner.on_lines == 1 && owner.size != 0) text.add(", ").add_number(owner.size).add(" bytes");
}

// One row for each object; the objects of one group are adjacent and have one number.
void Layout::print_objects() {
    lines_.blank();
    // Every program has a few lines that move between threads now and then. They are noise, beside a real
    // problem and without one.
    u64 most = 0;
    for (const ReportGroup& group : report_.groups)
        if (goes_back_and_forth(group.figures)) most = std::max(most, group.figures.peak());
    const u64 least = std::max(most / 1000, report_.settings.floor / 10);
    if (most == 0 || most < least) {
        line_.add("  No line went back and forth between threads");
        if (most > 0) line_.add(" often: no object has as many as ").add_number(least).add(" events");
        line_.add('.');
        lines_.end();
        return;
    }
    if (!options_.brief)
        lines_.wrapped(
            "Most contended objects, by events that repeat: misses by lost copies, and invalidations. The "
            "shares "
            "are "
            "those of the larger figure. Objects with the same number are in each other's way.",
            2);
    if (!options_.brief) lines_.blank();
    line_.add("   #  object")
        .pad_to(31)
        .add("accesses")
        .pad_to(42)
        .add("modelled")
        .pad_to(53)
        .add("observed");
    line_.pad_to(65).add("gain").pad_to(71).add("false  finding");
    lines_.end();
    u32 printed = 0, left = 0, small = 0, handed_over = 0;
    u64 handovers = 0;
    for (const ReportObject& reported : report_.objects) {
        if (reported.figures.peak() == 0) continue;
        if (!goes_back_and_forth(reported.figures)) {
            ++handed_over;
            handovers += reported.figures.peak();
            continue;
        }
        if (reported.figures.peak() < least) {
            ++small;
            continue;
        }
        if (printed == options_.top) {
            ++left;
            continue;
        }
        ++printed;
        const ReportGroup& group = report_.groups[reported.group];
        const SharingFigures& figures = reported.figures;
        const CoherenceCounts& counts = figures.in(figures.leading());
        lines_.number(4, reported.group + 1);
        line_.add("  ");
        // A name that is too long gets a line of its own.
        add_row_name(line_, reported);
        if (line_.size() > 28) lines_.end();
        lines_.number(39, figures.accesses.all());
        lines_.number(50, contended(figures.in(View::Modelled)));
        lines_.number(61, contended(figures.in(View::Observed)));
        if (figures.observed_more()) line_.add('*');
        marked_ |= figures.observed_more();
        put_right(line_, 69, [&] {
            const lines::Time full = report_.settings.end.costly.full;
            if (!is_worth_telling(group))
                line_.add('-');
            else
                line_.add_times(full, group.end_without);
        });
        put_right(line_, 76, [&] {
            // A lock's words cannot be parted.
            if (report_.settings.sharing && !group.synchronises)
                line_.add_percent(counts.false_events(), counts.false_events() + counts.true_events());
            else
                line_.add('-');
        });
        line_.add("  ").add(group.finding ? kind_name(group.kind) : "-");
        lines_.end();
    }
    if (small > 0) {
        line_.add("  ... and ").add_number(small).add(small == 1 ? " object" : " objects");
        line_.add(" with fewer than ").add_number(least).add(" events");
        lines_.end();
    }
    if (left > 0) {
        line_.add("  ... and ")
            .add_number(left)
            .add(" more objects (--top=, or all of them in the profile file)");
        lines_.end();
    }
    if (handovers >= least) {
        line_.add("  ... and ")
            .add_number(handed_over)
            .add(handed_over == 1 ? " object that was" : " objects that were");
        line_.add(" only handed over, with ").add_number(handovers).add(" events");
        lines_.end();
    }
}

void Layout::print_maps() {
    u32 printed = 0;
    const u32 most = std::min({options_.maps, options_.top, report_.settings.detailed});
    for (u32 i = 0; i < report_.groups.size() && printed < most; ++i) {
        const ReportGroup& group = report_.groups[i];
        if (!group.finding || group.figures.peak() == 0) break;
        print_map(i);
        ++printed;
    }
}

void Layout::print_map(u32 index) {
    const ReportGroup& group = report_.groups[index];
    lines_.blank();
    Text text;
    text.add_number(index + 1).add(". ").add(kind_name(group.kind)).add(": ").add(group.title).add(", ");
    text.add_number(group.all_lines).add(" contended line").add(plural(group.all_lines));
    if (is_worth_telling(group)) {
        text.add("; gain ");
        add_gain(text, report_, group);
    }
    lines_.wrapped(text.c_str(), 2);
    if (group.lines.size() > 0) {
        const ReportLine& worst = report_.lines[group.lines.begin];
        print_line_map(lines_, report_, worst);
        marked_ |= worst.figures.observed_more();
    }
    print_rows(group);
    print_pairs(group);
    if (group.advice[0] != '\0') {
        text.reset();
        text.add("Advice: ").add(group.advice);
        lines_.wrapped(text.c_str(), 4);
    }
}

void Layout::print_rows(const ReportGroup& group) {
    if (group.rows.size() == 0 || options_.describe_place == nullptr) return;
    // Instructions of one line are one place.
    struct PlaceOfRows {
        Text name;
        const SharingRow* first;
        CoherenceCounts counts[kViews];
    };
    constexpr u32 kMostPlaces = 4;
    PlaceOfRows places[kMostPlaces];
    u32 count = 0;
    for (u32 i = group.rows.begin; i < group.rows.end; ++i) {
        const SharingRow& row = report_.rows[i];
        if (peak_of(row.counts) == 0) break;
        Text name;
        const bool reads = row.accesses.loads > 0, writes = row.accesses.stores > 0;
        name.add(reads && writes ? "r+w " : reads ? "r   " : "w   ");
        options_.describe_place(name, row.place);
        PlaceOfRows* place = std::find_if(places, places + count, [&](const PlaceOfRows& known) {
            return known.first->thread == row.thread && known.name.equals(name);
        });
        if (place == places + count) {
            if (count == kMostPlaces) continue;
            ++count;
            place->name.add(name.c_str());
            place->first = &row;
        }
        for (u32 view = 0; view < kViews; ++view) place->counts[view].add(row.counts[view]);
    }
    if (count == 0) return;
    line_.add("    most events at").pad_to(60).add("thread   modelled   observed");
    lines_.end();
    for (PlaceOfRows* place = places; place != places + count; ++place) {
        line_.add("      ").add(place->name.c_str());
        if (line_.size() > 60) lines_.end();  // files' names stay whole
        lines_.number(66, place->first->thread);
        lines_.number(77, contended(place->counts[static_cast<u32>(View::Modelled)]));
        lines_.number(88, contended(place->counts[static_cast<u32>(View::Observed)]));
        lines_.end();
    }
}

void Layout::print_pairs(const ReportGroup& group) {
    if (group.pairs.size() == 0) return;
    Text text;
    text.add("threads, and whom they meet:");
    for (u32 i = group.pairs.begin; i < group.pairs.end && i < group.pairs.begin + 4; ++i) {
        const PairRow& pair = report_.pairs[i];
        if (pair.events[static_cast<u32>(group.figures.leading())] == 0) break;
        text.add(i == group.pairs.begin ? " " : ", ")
            .add_number(pair.thread)
            .add(" and ")
            .add_number(pair.other);
        text.add(" (").add_brief(pair.events[static_cast<u32>(group.figures.leading())]).add(')');
    }
    lines_.wrapped(text.c_str(), 4);
}

void Layout::print_latent() {
    if (report_.latent.empty()) return;
    lines_.blank();
    lines_.wrapped("Latent, estimated from samples; not so in the present layout:", 2);
    for (u32 i = 0; i < report_.latent.size() && i < options_.top; ++i) {
        Text text;
        add_latent(text, report_, report_.latent[i], options_.describe_blocks);
        lines_.wrapped(text.add('.').c_str(), 4);
    }
}

void Layout::print_assumptions() {
    lines_.blank();
    Text text;
    text.add(
        "Modelled: one core and one private, infinite cache for each thread; an instruction takes one unit "
        "of ");
    text.add("time, a miss or an invalidation ")
        .add_number(options_.coherence_latency)
        .add(" more; a thread that needs a held lock ");
    text.add("waits. Observed: the order in which Valgrind ran the threads, one at a time.");
    lines_.wrapped(text.c_str(), 2);
}

void Layout::print_notes() {
    if (!options_.brief) print_assumptions();
    Text text;
    if (marked_) {
        text.reset();
        text.add(
            "* observed more than modelled: an order that really happened is worse than that of the model.");
        lines_.wrapped(text.c_str(), 2);
    }
    if (status_.forced > 0) {
        text.reset();
        text.add("The access log was full ")
            .add_number(status_.forced)
            .add(" time")
            .add(plural(status_.forced));
        if (status_.lifted > 0) {
            text.add(", and ")
                .add_number(status_.lifted)
                .add(" times a thread's clock was set forward for it: the ");
            text.add("modelled figures are approximate. A larger --access-log-size= avoids that.");
        } else {
            text.add("; no clock had to be changed for it, so the modelled figures are exact.");
        }
        lines_.wrapped(text.c_str(), 2);
    }
    if (status_.unlogged > 0 && !options_.brief) {
        text.reset();
        text.add(
                "Accesses without an effect, as far as was known then, are not logged "
                "(--contention-exact=yes logs "
                "all): ")
            .add_number(status_.unlogged)
            .add(". Accesses to objects and lines are without them; at most ")
            .add_number(status_.missing)
            .add(" events are missing in the model.");
        lines_.wrapped(text.c_str(), 2);
    }
    if (report_.lines_left_out > 0 && !options_.brief) {
        text.reset();
        text.add("Only the most contended lines were looked at byte by byte, ");
        text.add_number(report_.lines_left_out).add(" others were not.");
        lines_.wrapped(text.c_str(), 2);
    }
    if (report_.parted_places > 0 && options_.describe_allocation != nullptr) {
        text.reset();
        text.add("Different threads use small blocks that one thread allocates in ");
        options_.describe_allocation(text, report_.parted.allocated);
        if (report_.parted_places > 1) text.add(" and in ").add_number(report_.parted_places - 1);
        if (report_.parted_places > 1) text.add(report_.parted_places == 2 ? " more place" : " more places");
        text.add(
            ". Red zones part them; with --defects=no they lie in lines as the program's own allocator puts "
            "them.");
        lines_.wrapped(text.c_str(), 2);
    }
    const u32 shown = std::min({report_.findings, options_.top, report_.settings.detailed});
    if (report_.findings > shown) {
        text.reset();
        const u32 rest = report_.findings - shown;
        text.add_number(rest)
            .add(rest == 1 ? " more finding is" : " more findings are")
            .add(" not shown (--top=");
        text.add_number(options_.top).add("); the profile file has them all.");
        lines_.wrapped(text.c_str(), 2);
    }
}

}  // namespace

void lay_out_summary(const SharingReport& report, const ReplayStatus& status, const SummaryOptions& options) {
    Layout(report, status, options).print();
}

}  // namespace memspy::contention
