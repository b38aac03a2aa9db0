// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/output/summary_text.h"

#include <algorithm>

namespace memspy::contention {
namespace {

using rt::Text;

constexpr View kColumns[] = {View::Modelled, View::Observed};

const char* plural(u64 count) { return count == 1 ? "" : "s"; }

// " 12,345" with its end at `column`.
void put_right(Text& text, usize column, auto&& add) {
    const usize start = text.size();
    add();
    text.align_right(start, column);
}
void put_number(Text& text, usize column, u64 value) {
    put_right(text, column, [&] { text.add_number(value); });
}

void add_blocks(Text& text, const Object& owner, const SummaryOptions& options) {
    if (options.describe_blocks != nullptr) options.describe_blocks(text, owner.allocated, owner.blocks > 1);
}

// What threads waited for.
struct Wait {
    const Awaited* worst = nullptr;
    usize place = 0,
          place_end = 0;  // the place's description among those of all, where what is waited for has no name
    u32 words = 1;        // locks of one object are joined if they are many
    order::WaitFigures figures{};

    void add(const Wait& other) {
        figures.add(other.figures);
        if (other.worst->figures.waited > worst->figures.waited) worst = other.worst;
    }
};

// The locks of a block, as those of a table, are a row for all if they are more than these.
constexpr u32 kMostLocks = 3;

void join_locks(rt::Vector<Wait>& waits) {
    const auto is_alike = [](const Wait& a, const Wait& b) {
        return a.worst->kind == order::WaitKind::Lock && b.worst->kind == order::WaitKind::Lock &&
               a.worst->object == b.worst->object && b.worst->object != ObjectId::None &&
               object(b.worst->object).kind == Object::StorageKind::Heap;
    };
    for (usize i = 0; i < waits.size(); ++i) {
        const auto like = [&](const Wait& wait) { return is_alike(waits[i], wait); };
        if (std::count_if(waits.begin(), waits.end(), like) <= kMostLocks) continue;
        usize kept = i + 1;
        for (usize k = i + 1; k < waits.size(); ++k) {
            if (!like(waits[k])) {
                waits[kept++] = waits[k];
                continue;
            }
            waits[i].add(waits[k]);
            ++waits[i].words;
        }
        waits.resize(kept);
    }
}

// "lock m", "queue+8", "the end of another thread", "16 locks in heap block table of main (program.c:8)".
void add_awaited(Text& text, const Wait& wait, const SummaryOptions& options) {
    const Awaited& row = *wait.worst;
    const bool lock = row.kind == order::WaitKind::Lock;
    if (row.kind == order::WaitKind::End) {
        text.add("the end of a thread");
    } else if (row.object == ObjectId::None) {
        text.add(lock ? "a lock" : "another thread");
    } else {
        const Object& owner = object(row.object);
        // Names of a library's own data mean nothing to those who call it.
        if (owner.kind == Object::StorageKind::Static && options.is_library_data != nullptr &&
            options.is_library_data(owner))
            return places::add_base_name(text.add(lock ? "a lock of " : "data of "), owner.module);
        if (wait.words > 1) return add_blocks(text.add_number(wait.words).add(" locks in "), owner, options);
        text.add(lock ? "lock " : "");
        if (row.name[0] != '\0') return void(text.add(row.name));
        if (owner.kind == Object::StorageKind::Heap)
            add_blocks(text.add("in "), owner, options);
        else
            add_object_name(text, owner);
        if (row.offset != 0) text.add("+").add_number(row.offset);
    }
}

class Layout {
public:
    Layout(const SharingReport& report, const ReplayStatus& status, const SummaryOptions& options)
        : report_(report), status_(status), options_(options) {}

    void print() {
        line_.add("Cache contention and sharing: ").add_number(status_.threads).add(" thread");
        line_.add(plural(status_.threads))
            .add(", lines of ")
            .add_number(report_.settings.line_bytes)
            .add(" bytes");
        end();
        print_totals();
        print_threads();
        print_time();
        print_waits();
        if (options_.top > 0) {
            print_objects();
            print_maps();
        }
        print_notes();
        blank();
    }

private:
    void end() {
        // Remove blanks at the end of the line.
        usize length = line_.size();
        while (length > 0 && line_.c_str()[length - 1] == ' ') --length;
        line_.cut(length);
        options_.line(line_.c_str());
        line_.reset();
    }
    void blank() { end(); }

    void print_totals();
    void print_threads();
    void print_time();
    void print_waits();
    void print_objects();
    void print_maps();
    void print_map(u32 index);
    void print_line_map(const ReportLine& line);
    void print_rows(const ReportGroup& group);
    void print_pairs(const ReportGroup& group);
    void print_notes();
    void print_wrapped(const char* text, usize indent);
    bool is_worth_telling(const ReportGroup& group) const {
        Text gain;
        return add_gain(gain, report_, group);
    }

    const SharingReport& report_;
    const ReplayStatus& status_;
    const SummaryOptions& options_;
    Text line_;
    bool marked_ = false;  // a figure has the mark for "observed more than modelled"
};

void Layout::print_totals() {
    const auto number = [this](const char* name, auto&& value) {
        line_.add("  ").add(name);
        usize column = 50;
        for (View view : kColumns) {
            put_number(line_, column, value(report_.totals[static_cast<u32>(view)]));
            column += 18;
        }
        end();
    };
    blank();
    line_.pad_to(42).add("modelled").pad_to(60).add("observed");
    end();
    number("misses: first touch by anyone (cold)", [](const CoherenceCounts& c) { return c.cold; });
    number("misses: first touch by a further thread",
           [](const CoherenceCounts& c) { return c.first_touches; });
    number("misses: copy lost to another thread",
           [](const CoherenceCounts& c) { return c.coherence_misses; });
    number("invalidations of other threads' copies",
           [](const CoherenceCounts& c) { return c.invalidations; });

    line_.add("  contention ratio");
    usize column = 50;
    for (View view : kColumns) {
        put_right(line_, column, [&] {
            line_.add_ratio(report_.totals[static_cast<u32>(view)].events(), report_.accesses.all());
        });
        column += 18;
    }
    line_.add("   events / accesses");
    end();
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
        end();
    }
    line_.add("  accesses");
    put_number(line_, 50, report_.accesses.all());
    end();
}

void Layout::print_threads() {
    if (report_.threads.empty()) return;
    blank();
    line_.add("  thread  parent").pad_to(22).add("instructions").pad_to(42).add("accesses");
    line_.pad_to(51).add("modelled misses").pad_to(69).add("invalidations");
    end();
    u32 printed = 0;
    u32 printed_threads = 0;
    for (const ThreadRow& thread : report_.threads) {
        if (printed++ == options_.threads) break;
        printed_threads += thread.threads;
        const CoherenceCounts& counts = thread.counts[static_cast<u32>(View::Modelled)];
        if (thread.serial != 0)
            put_number(line_, 8, thread.serial);
        else
            put_right(line_, 8, [&] { line_.add("others"); });
        if (thread.parent != 0)
            put_number(line_, 16, thread.parent);
        else
            put_right(line_, 16, [&] { line_.add('-'); });
        put_number(line_, 34, thread.instructions);
        put_number(line_, 50, thread.accesses.all());
        put_number(line_, 66, counts.misses());
        put_number(line_, 82, counts.invalidations);
        end();
    }
    if (report_.thread_count > printed_threads) {
        line_.add("  ... and ").add_number(report_.thread_count - printed_threads).add(" more threads");
        end();
    }
}

void Layout::print_time() {
    const order::VirtualEnd& end = report_.settings.end;
    if (end.end == 0) return;
    blank();
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
    print_wrapped(text.add('.').c_str(), 2);
}

// Locks and words that threads waited for, each with the place where they waited longest.
void Layout::print_waits() {
    if (options_.describe_place == nullptr) return;
    rt::Vector<Wait> waits;
    Text places;
    for (const Awaited& row : report_.waits) {
        const bool nameless = row.object == ObjectId::None && row.kind != order::WaitKind::End;
        const usize place = places.size();
        if (nameless) options_.describe_place(places, row.place);
        const auto is_same = [&](const Wait& known) {
            if (row.kind != known.worst->kind) return false;
            if (row.kind == order::WaitKind::End) return true;
            if (!nameless) return is_of_one_name(row, *known.worst);
            if (known.worst->object != ObjectId::None) return false;
            const char* text = places.c_str();
            return std::equal(text + place, text + places.size(), text + known.place, text + known.place_end);
        };
        const Wait one{.worst = &row, .place = place, .place_end = places.size(), .figures = row.figures};
        Wait* const known = std::find_if(waits.begin(), waits.end(), is_same);
        if (known == waits.end()) {
            waits.push_back(one);
        } else {
            places.cut(place);
            known->add(one);
        }
    }
    join_locks(waits);
    // Their share is that of the time that all threads had.
    u64 all = report_.waited;
    for (const ThreadRow& thread : report_.threads) all += thread.instructions;
    std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
        return a.figures.waited != b.figures.waited ? a.figures.waited > b.figures.waited : a.worst < b.worst;
    });
    constexpr usize kMost = 10;
    const usize shown = std::min<usize>({waits.size(), kMost, options_.top});
    constexpr u64 kLeastShare = 1000;
    if (shown == 0 || waits[0].figures.waited < all / kLeastShare) return;
    blank();
    constexpr usize kName = 36;
    line_.add("  waited for, and mostly at").pad_to(kName + 7).add("virtual time").pad_to(kName + 23);
    line_.add("share").pad_to(kName + 34).add("times").pad_to(kName + 47).add("longest");
    end();
    for (usize i = 0; i < shown && waits[i].figures.waited >= all / kLeastShare; ++i) {
        const Wait& wait = waits[i];
        Text name, place;
        add_awaited(name, wait, options_);
        if (wait.worst->place.instruction != 0) {
            options_.describe_place(place, wait.worst->place);
            name.add(',');
        }
        line_.add("  ").add_short(name.c_str(), kSummaryWidth - 2);
        if (line_.size() + 1 + place.size() > kSummaryWidth) {
            end();
            line_.add("   ");
        }
        if (!place.empty()) line_.add(' ').add_short(place.c_str(), kSummaryWidth - 4);
        if (line_.size() >= kName + 4) end();  // the time has 15 columns at most
        put_number(line_, kName + 19, wait.figures.waited);
        put_right(line_, kName + 28, [&] { line_.add_percent(wait.figures.waited, all); });
        put_number(line_, kName + 39, wait.figures.times);
        put_number(line_, kName + 54, wait.figures.longest);
        end();
    }
}

// One row for each object; the objects of one group are adjacent and have one number.
void Layout::print_objects() {
    blank();
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
        end();
        return;
    }
    print_wrapped(
        "Most contended objects, by events that repeat: misses by lost copies, and invalidations. The shares "
        "are "
        "those of the larger figure. Objects with the same number are in each other's way.",
        2);
    blank();
    line_.add("   #  object")
        .pad_to(31)
        .add("accesses")
        .pad_to(42)
        .add("modelled")
        .pad_to(53)
        .add("observed");
    line_.pad_to(65).add("gain").pad_to(71).add("false  finding");
    end();
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
        const Object& owner = object(reported.id);
        const CoherenceCounts& counts = figures.in(figures.leading());
        put_number(line_, 4, reported.group + 1);
        line_.add("  ");
        Text name;
        if (owner.kind == Object::StorageKind::Heap) {
            if (owner.blocks > 1) name.add_brief(owner.blocks).add(' ');
            add_blocks(name, owner, options_);
        } else {
            add_object_name(name, owner);
        }
        // A name that is too long gets a line of its own.
        line_.add_short(name.c_str(), kSummaryWidth - 8);
        if (line_.size() > 28) end();
        put_number(line_, 39, figures.accesses.all());
        put_number(line_, 50, contended(figures.in(View::Modelled)));
        put_number(line_, 61, contended(figures.in(View::Observed)));
        if (figures.leading() == View::Observed) {
            line_.add('*');
            marked_ = true;
        }
        put_right(line_, 69, [&] {
            const order::Time full = report_.settings.end.costly.full;
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
        end();
    }
    if (small > 0) {
        line_.add("  ... and ").add_number(small).add(small == 1 ? " object" : " objects");
        line_.add(" with fewer than ").add_number(least).add(" events");
        end();
    }
    if (left > 0) {
        line_.add("  ... and ")
            .add_number(left)
            .add(" more objects (--top=, or all of them in the profile file)");
        end();
    }
    if (handovers >= least) {
        line_.add("  ... and ")
            .add_number(handed_over)
            .add(handed_over == 1 ? " object that was" : " objects that were");
        line_.add(" only handed over, with ").add_number(handovers).add(" events");
        end();
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

// Prints text that may be longer than a line, broken at blanks.
void Layout::print_wrapped(const char* text, usize indent) {
    while (*text != '\0') {
        line_.pad_to(indent);
        usize length = 0, cut = 0;
        while (text[length] != '\0' && indent + length < kSummaryWidth) {
            if (text[length] == ' ') cut = length;
            ++length;
        }
        if (text[length] == '\0' || text[length] == ' ' || cut == 0) cut = length;
        for (usize i = 0; i < cut; ++i) line_.add(text[i]);
        end();
        text += cut;
        while (*text == ' ') ++text;
    }
}

void Layout::print_map(u32 index) {
    const ReportGroup& group = report_.groups[index];
    blank();
    Text text;
    text.add_number(index + 1).add(". ").add(kind_name(group.kind)).add(": ").add(group.title).add(", ");
    text.add_number(group.all_lines).add(" contended line").add(plural(group.all_lines));
    if (is_worth_telling(group)) {
        text.add("; gain ");
        add_gain(text, report_, group);
    }
    print_wrapped(text.c_str(), 2);
    if (group.lines.size() > 0) print_line_map(report_.lines[group.lines.begin]);
    print_rows(group);
    print_pairs(group);
    if (group.advice[0] != '\0') {
        text.reset();
        text.add("Advice: ").add(group.advice);
        print_wrapped(text.c_str(), 4);
    }
}

// The bytes of a line, one row for each thread:
//    byte       0       8       16 ...
//    thread 2   ++++............       100k/100k
//    object     aaaabbbb........
void Layout::print_line_map(const ReportLine& line) {
    constexpr usize kMapColumn = 15;
    const u32 bytes = report_.settings.line_bytes;
    const u32 step = bytes <= 64 ? 1 : bytes / 64;  // bytes for each character
    const u32 width = bytes / step;

    line_.add("    line ").add_hex(line.line * bytes).add(": ");
    for (View view : kColumns) {
        line_.add_number(contended(line.figures.in(view))).add(" events ");
        line_.add(view == View::Modelled ? "modelled, " : "observed; ");
    }
    line_.add("r read, w written, + both");
    end();
    line_.add("    byte").pad_to(kMapColumn);
    for (u32 byte = 0; byte < bytes; byte += 8 * step) {
        line_.pad_to(kMapColumn + byte / step);
        line_.add_number(byte);
    }
    line_.pad_to(kMapColumn + width).add("  r/w");
    end();

    // Threads by accesses, then printed by serial.
    struct MapUse {
        u32 thread;
        AccessCounts accesses;
    };
    rt::Vector<MapUse> uses;
    const auto begin = report_.ranges.data() + line.ranges.begin;
    const auto end_of_ranges = report_.ranges.data() + line.ranges.end;
    for (const ReportRange* range = begin; range != end_of_ranges; ++range) {
        MapUse* use = std::find_if(uses.begin(), uses.end(),
                                   [&](const MapUse& u) { return u.thread == range->thread; });
        if (use == uses.end()) {
            uses.push_back({range->thread, {}});
            use = &uses.back();
        }
        use->accesses.loads += range->accesses.loads;
        use->accesses.stores += range->accesses.stores;
    }
    std::sort(uses.begin(), uses.end(), [](const MapUse& a, const MapUse& b) {
        return a.accesses.all() != b.accesses.all() ? a.accesses.all() > b.accesses.all()
                                                    : a.thread < b.thread;
    });
    const usize shown = std::min<usize>(uses.size(), options_.threads);
    std::sort(uses.begin(), uses.begin() + shown,
              [](const MapUse& a, const MapUse& b) { return a.thread < b.thread; });

    constexpr u8 kRead = 1, kWritten = 2;
    for (usize i = 0; i < shown; ++i) {
        u8 marks[64] = {};
        for (const ReportRange* range = begin; range != end_of_ranges; ++range) {
            if (range->thread != uses[i].thread) continue;
            for (u32 byte = range->first; byte < u32{range->first} + range->bytes && byte < bytes; ++byte) {
                if (range->accesses.loads > 0) marks[byte / step] |= kRead;
                if (range->accesses.stores > 0) marks[byte / step] |= kWritten;
            }
        }
        if (uses[i].thread == 0)
            line_.add("    others");
        else
            line_.add("    thread ").add_number(uses[i].thread);
        line_.pad_to(kMapColumn);
        for (u32 column = 0; column < width; ++column) line_.add(".rw+"[marks[column]]);
        line_.add(' ').add_brief(uses[i].accesses.loads).add('/').add_brief(uses[i].accesses.stores);
        end();
    }
    if (uses.size() > shown) {
        line_.add("    ... and ").add_number(uses.size() - shown).add(" more threads");
        end();
    }

    // Letters stand for blocks and symbols, in the order of their addresses.
    rt::Vector<const ReportRange*> owners;  // the first range of each
    char letters[64];
    for (char& letter : letters) letter = '.';
    for (const ReportRange* range = begin; range != end_of_ranges; ++range) {
        usize number = 0;
        while (number < owners.size() &&
               (owners[number]->start != range->start || owners[number]->object != range->object))
            ++number;
        if (number == owners.size()) owners.push_back(range);
        const char letter = number < 26 ? static_cast<char>('a' + number) : '#';
        for (u32 byte = range->first; byte < u32{range->first} + range->bytes && byte < bytes; ++byte)
            letters[byte / step] = letter;
    }
    line_.add("    object").pad_to(kMapColumn);
    for (u32 column = 0; column < width; ++column) line_.add(letters[column]);
    end();
    Text names;
    for (usize number = 0; number < owners.size() && number < 8; ++number) {
        const ReportRange& range = *owners[number];
        names.add(number == 0 ? "" : "; ").add(static_cast<char>('a' + number)).add(": ");
        add_object_name(names, object(range.object));
        if (range.offset != 0) names.add(" from byte ").add_number(range.offset);
    }
    if (owners.size() > 8) names.add("; ...");
    print_wrapped(names.c_str(), kMapColumn);
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
    end();
    for (PlaceOfRows* place = places; place != places + count; ++place) {
        line_.add("      ").add_short(place->name.c_str(), 54);
        put_number(line_, 66, place->first->thread);
        put_number(line_, 77, contended(place->counts[static_cast<u32>(View::Modelled)]));
        put_number(line_, 88, contended(place->counts[static_cast<u32>(View::Observed)]));
        end();
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
    print_wrapped(text.c_str(), 4);
}

void Layout::print_notes() {
    blank();
    Text text;
    text.add(
        "Modelled: one core and one private, infinite cache for each thread; an instruction takes one unit "
        "of ");
    text.add("time, a miss or an invalidation ")
        .add_number(options_.coherence_latency)
        .add(" more; who comes to a lock that is held ");
    text.add("waits. Observed: the order in which Valgrind ran the threads, one at a time.");
    print_wrapped(text.c_str(), 2);
    if (marked_) {
        text.reset();
        text.add(
            "* observed more than modelled: an order that really happened is worse than that of the model.");
        print_wrapped(text.c_str(), 2);
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
        print_wrapped(text.c_str(), 2);
    }
    if (status_.unlogged > 0) {
        text.reset();
        text.add(
                "Accesses without an effect, as far as was known then, are not logged "
                "(--contention-exact=yes logs "
                "all): ")
            .add_number(status_.unlogged)
            .add(". Accesses to objects and lines are without them; at most ")
            .add_number(status_.missing)
            .add(" events are missing in the model.");
        print_wrapped(text.c_str(), 2);
    }
    if (report_.lines_left_out > 0) {
        text.reset();
        text.add("Only the most contended lines were looked at byte by byte, ");
        text.add_number(report_.lines_left_out).add(" others were not.");
        print_wrapped(text.c_str(), 2);
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
        print_wrapped(text.c_str(), 2);
    }
    const u32 shown = std::min({report_.findings, options_.top, report_.settings.detailed});
    if (report_.findings > shown) {
        text.reset();
        const u32 rest = report_.findings - shown;
        text.add_number(rest)
            .add(rest == 1 ? " more finding is" : " more findings are")
            .add(" not shown (--top=");
        text.add_number(options_.top).add("); the profile file has them all.");
        print_wrapped(text.c_str(), 2);
    }
}

}  // namespace

void lay_out_summary(const SharingReport& report, const ReplayStatus& status, const SummaryOptions& options) {
    Layout(report, status, options).print();
}

}  // namespace memspy::contention
