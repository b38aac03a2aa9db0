// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/output/summary.h"

#include "analyses/locality/names.h"
#include "analyses/locality/output/advice.h"
#include "analyses/locality/output/words.h"
#include "analyses/locality/reading.h"
#include "analyses/locality/region.h"
#include "analyses/order_note.h"
#include "options.h"
#include "places/names.h"
#include "places/objects.h"
#include "places/stacks.h"
#include "vg/vg.h"

namespace memspy::locality {
namespace {

// Columns' ends; with errors, scores need more room.
constexpr usize kAccesses = 16, kSpatial = 26, kTemporal = 36, kError = 8, kName = 2;

void end(rt::Text& line) {
    VG_(umsg)("%s\n", line.c_str());
    line.reset();
}

// Scores of a sample.
bool has_errors() { return !streams().exact() && streams().burst_stage() != 0; }

u64 root(u64 square) {
    u64 root = 0;
    for (u64 bit = u64{1} << 31; bit != 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= square) root += bit;
    return root;
}
// Of a score, to a millionth.
double error_of(double variance) {
    constexpr double kUnit = 1e6;
    return static_cast<double>(root(static_cast<u64>(variance * kUnit * kUnit))) / kUnit;
}

void print_row(rt::Text& line, const Stream& stream, const StreamFigures& figures) {
    auto right = [&](usize column, auto add) {
        const usize start = line.size();
        add();
        line.align_right(start, column);
    };
    right(kAccesses, [&] { line.add_number(figures.accesses); });
    const usize room = has_errors() ? kError : 0;
    const auto score = [&](double value, double variance) {
        if (figures.followed <= 0) return void(line.add('-'));
        add_fraction(line, value);
        if (variance != 0) add_fraction(line.add(" +-"), error_of(variance));
    };
    right(kSpatial + room, [&] { score(figures.spatial, figures.spatial_variance); });
    right(kTemporal + 2 * room, [&] { score(figures.temporal, figures.temporal_variance); });
    line.pad_to(kTemporal + 2 * room + kName);
    rt::Text name;
    add_name(name, stream);
    if (stream.kind == StreamKind::Function)
        places::add_bare_function(line, name.c_str());
    else
        line.add(name.c_str());
    end(line);
}

struct StreamRow {
    const Stream* stream;
    StreamFigures figures;
    bool own;
};

// Whether it is the program's own, or is not of one object, function or line.
bool is_own(const Stream& stream) {
    switch (stream.kind) {
        case StreamKind::Function: return function_name(stream.first).own;
        case StreamKind::Line: return stream.first != 0 && line_name(stream.first).own;
        case StreamKind::Object: {
            if (stream.first == 0) return false;
            const places::Object& object = places::object(static_cast<places::ObjectId>(stream.first));
            return object.kind == places::Object::StorageKind::Stack || places::is_own_variable(object);
        }
        default: return true;
    }
}

// The program's own first, by accesses; equal ones in the order of their first accesses.
Int more(const void* a, const void* b) {
    const auto &left = *static_cast<StreamRow*const*>(a), &right = *static_cast<StreamRow*const*>(b);
    if (left->own != right->own) return left->own ? -1 : 1;
    if (left->figures.accesses != right->figures.accesses)
        return left->figures.accesses > right->figures.accesses ? -1 : 1;
    return left < right ? -1 : left > right;
}

// Twice the standard error of the count of a stream that has a hundredth of all accesses, in per cent of it.
u64 count_error(Streams& from) {
    u64 variance = 0;
    from.for_each([&](const Stream& stream) {
        if (stream.kind == StreamKind::All) variance = stream.squares;
    });
    return (2 * 10 * 100 * root(variance) + from.accesses() - 1) / from.accesses();
}

void print_kind(rt::Text& line, StreamKind kind, const char* heading, u32 most) {
    rt::Vector<StreamRow> rows;
    streams().for_each([&](const Stream& stream) {
        if (stream.kind == kind)
            rows.push_back(StreamRow{&stream, streams().figures(stream), is_own(stream)});
    });
    if (rows.empty()) return;
    rt::Vector<StreamRow*> order;
    for (StreamRow& row : rows) order.push_back(&row);
    VG_(ssort)(order.data(), order.size(), sizeof(StreamRow*), more);
    end(line.add(heading));
    u32 shown = 0;
    for (const StreamRow* row : order) {
        if (row->figures.accesses * 1000 < streams().accesses()) continue;
        if (shown++ == most) break;
        print_row(line, *row->stream, row->figures);
    }
}

}  // namespace

void print_summary() {
    if (VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    rt::Text line;
    if (!was_in_region()) {
        line.add("Locality: no function ").add(options().locality_from).add(" was run; it may be inlined");
        return end(line);
    }
    Streams& from = streams();
    line.add("Locality of ").add_number(from.accesses()).add(" accesses to words of 8 bytes");
    if (from.exact())
        line.add(", each of them measured");
    else if (from.burst_stage() == 0)
        line.add(", each of them measured so far");
    else
        line.add(": sampled, in bursts of one in ")
            .add_number(u64{1} << from.burst_stage())
            .add(", and one word in ")
            .add_number(u64{1} << from.word_stage())
            .add("; +- is a score's standard error; expect errors of up to ")
            .add_number(count_error(from))
            .add(" % in the count of a stream with a hundredth of all");
    end(line);
    if (add_order_note(line)) end(line);
    end(line.add(has_errors() ? "        accesses           spatial          temporal"
                              : "        accesses   spatial  temporal"));
    const u32 top = options().top < 10 ? static_cast<u32>(options().top) : 10;
    print_kind(line, StreamKind::All, "  The whole program", 1);
    print_kind(line, StreamKind::Thread, "  Threads", top);
    print_kind(line, StreamKind::Object, "  Objects", top);
    print_kind(line, StreamKind::Function, "  Functions", top);
    print_kind(line, StreamKind::Line, "  Source lines", top);
    rt::Vector<LocalityAdvice> advice;
    find_advice(advice);
    if (!advice.empty()) end(line.add("  Advice"));
    for (u32 i = 0; i < advice.size() && i < top; ++i) {
        line.add("    ");
        add_advice(line, advice[i]);
        end(line);
    }
    end(line);
}

}  // namespace memspy::locality
