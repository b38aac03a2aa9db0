// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "analyses/contention/output/summary_lines.h"

namespace memspy::contention {
namespace {

using rt::Text;

// What threads waited for.
struct Wait {
    const Awaited* worst = nullptr;
    usize place = 0,
          place_end = 0;  // the place's description among those of all, where what is waited for has no name
    u32 words = 1;        // locks of one object are joined if they are many
    replay::WaitFigures figures{};

    void add(const Wait& other) {
        figures.add(other.figures);
        if (other.worst->figures.waited > worst->figures.waited) worst = other.worst;
    }
};

// The locks of a block, as those of a table, are a row for all if they are more than these.
constexpr u32 kMostLocks = 3;

void join_locks(rt::Vector<Wait>& waits) {
    const auto is_alike = [](const Wait& a, const Wait& b) {
        return a.worst->kind == replay::WaitKind::Lock && b.worst->kind == replay::WaitKind::Lock &&
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
    const bool lock = row.kind == replay::WaitKind::Lock;
    if (row.kind == replay::WaitKind::End) {
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

}  // namespace

void print_waits(SummaryLines& to, const SharingReport& report) {
    const SummaryOptions& options = to.options();
    if (options.describe_place == nullptr) return;
    rt::Vector<Wait> waits;
    Text places;
    for (const Awaited& row : report.waits) {
        const bool nameless = row.object == ObjectId::None && row.kind != replay::WaitKind::End;
        const usize place = places.size();
        if (nameless) options.describe_place(places, row.place);
        const auto is_same = [&](const Wait& known) {
            if (row.kind != known.worst->kind) return false;
            if (row.kind == replay::WaitKind::End) return true;
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
    u64 all = report.waited;
    for (const ThreadRow& thread : report.threads) all += thread.instructions;
    std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
        return a.figures.waited != b.figures.waited ? a.figures.waited > b.figures.waited : a.worst < b.worst;
    });
    constexpr usize kMost = 10;
    const usize shown = std::min<usize>({waits.size(), kMost, options.top});
    constexpr u64 kLeastShare = 1000;
    if (shown == 0 || waits[0].figures.waited < all / kLeastShare) return;
    to.blank();
    constexpr usize kName = 36;
    to.text.add("  waited for, and mostly at").pad_to(kName + 7).add("virtual time").pad_to(kName + 23);
    to.text.add("share").pad_to(kName + 34).add("times").pad_to(kName + 47).add("longest");
    to.end();
    for (usize i = 0; i < shown && waits[i].figures.waited >= all / kLeastShare; ++i) {
        const Wait& wait = waits[i];
        Text name, place;
        add_awaited(name, wait, options);
        if (wait.worst->place.instruction != 0) {
            options.describe_place(place, wait.worst->place);
            name.add(',');
        }
        to.text.add("  ").add(name.c_str());
        if (to.text.size() + 1 + place.size() > kSummaryWidth) {
            to.end();
            to.text.add("   ");
        }
        if (!place.empty()) to.text.add(' ').add(place.c_str());  // files' names stay whole
        if (to.text.size() >= kName + 4) to.end();                // the time has 15 columns at most
        to.number(kName + 19, wait.figures.waited);
        put_right(to.text, kName + 28, [&] { to.text.add_percent(wait.figures.waited, all); });
        to.number(kName + 39, wait.figures.times);
        to.number(kName + 54, wait.figures.longest);
        to.end();
    }
}

}  // namespace memspy::contention
