// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <locality> of the profile file.
#include "analyses/locality/names.h"
#include "analyses/locality/output/advice.h"
#include "analyses/locality/output/maps.h"
#include "analyses/locality/output/words.h"
#include "analyses/locality/places.h"
#include "analyses/locality/reading.h"
#include "fields/locality.h"
#include "log/consumer.h"
#include "options.h"
#include "places/block_types.h"
#include "places/objects.h"
#include "places/variables.h"
#include "profile/profile.h"
#include "rt/hash_map.h"

namespace memspy::locality {
namespace {

using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::locality;

// Other streams than variables' with less than this part of all accesses are left out.
constexpr u64 kLeastPart = 20'000;

// The unit of the sum in the spatial score. Profiles are merged by this sum.
constexpr double kNearUnit = 100'000;
constexpr double kErrorUnit = 100;  // of a score times accesses, in variances

bool is_of_block(const Stream& stream) {
    return stream.kind == StreamKind::Block || stream.kind == StreamKind::BlockThread;
}

// What the source has a name for has its row, however few its accesses.
bool is_named(const Stream& stream) {
    if (stream.first == 0) return false;
    if (stream.kind != StreamKind::Object && stream.kind != StreamKind::ObjectThread) return false;
    const places::Object& object = places::object(static_cast<places::ObjectId>(stream.first));
    return object.kind == places::Object::StorageKind::Heap || object.symbol != nullptr ||
           places::is_variable(object);
}

// Blocks of allocations with several, but not many; one alone is its object, unless an array's element holds it: its
// neighbours may be blocks of other allocations.
bool is_block_wanted(const Stream& stream) {
    if (stream.first == 0) return false;
    const auto block = static_cast<places::ObjectId>(stream.first);
    const u32 blocks = blocks_of(object_of_block(block));
    if (blocks > 1) return blocks <= kMostBlocks;
    rt::Text holder;
    return places::add_element_of_block(holder, places::object(block));
}

bool is_reported(const Stream& stream, const StreamFigures& figures) {
    if (figures.accesses == 0) return false;
    if (is_of_block(stream)) return is_block_wanted(stream);
    if (stream.kind == StreamKind::Variables && stream.first == 0) return false;
    return figures.accesses >= streams().accesses() / kLeastPart || is_named(stream);
}

// Writes the value without trailing zeros.
void fraction(XmlWriter& xml, const char* name, double value) {
    rt::Text text;
    add_fraction(text, value);
    while (text.c_str()[text.size() - 1] == '0') text.cut(text.size() - 1);
    if (text.c_str()[text.size() - 1] == '.') text.cut(text.size() - 1);
    xml.attribute(name, text.c_str());
}

u32 object_of(const Stream& stream) {
    const bool has = stream.kind == StreamKind::Object || stream.kind == StreamKind::ObjectThread ||
                     stream.kind == StreamKind::ObjectFunction || stream.kind == StreamKind::Block ||
                     stream.kind == StreamKind::BlockThread;
    return has ? stream.first : 0;
}

void write_declaration(XmlWriter& xml, const Stream& stream) {
    const auto attribute = [&](const char* name, rt::Text& text) {
        if (!text.empty()) xml.attribute(name, text.c_str());
    };
    if (is_named(stream)) xml.attribute(names::Stream::named, "yes");
    if (stream.kind != StreamKind::Object || stream.first == 0) return;
    places::Declaration found;
    places::describe_declaration(found, places::object(static_cast<places::ObjectId>(stream.first)));
    attribute(names::Stream::declared_file, found.file);
    attribute(names::Stream::declared_in, found.function);
    attribute(names::Stream::scope, found.block);
}

u32 thread_of(const Stream& stream) {
    if (stream.kind == StreamKind::Thread) return stream.first;
    return stream.kind == StreamKind::ObjectThread || stream.kind == StreamKind::BlockThread ||
                   stream.kind == StreamKind::FunctionThread
               ? stream.second
               : 0;
}
u32 function_of(const Stream& stream) {
    if (stream.kind == StreamKind::Function || stream.kind == StreamKind::FunctionThread) return stream.first;
    return stream.kind == StreamKind::ObjectFunction ? stream.second : 0;
}

void write_reuses(XmlWriter& xml, const Reuses& reuses) {
    u32 used = kBuckets;
    while (used > 0 && reuses.buckets[used - 1] == 0) --used;
    rt::Text text;
    for (u32 i = 0; i < used; ++i) {
        if (i != 0) text.add(' ');
        text.add_plain(reuses.buckets[i]);
    }
    xml.open(names::Stream::reuses);
    xml.attribute_unless_zero(names::Reuses::far, reuses.far);
    xml.text(text.c_str());
    xml.close();
}

void write_stream(XmlWriter& xml, const Stream& stream, const StreamFigures& figures) {
    rt::Text name;
    add_name(name, stream);
    xml.open(names::kStream);
    xml.attribute(names::Stream::kind, word(stream.kind));
    xml.attribute(names::Stream::name, name.c_str());
    if (const u32 object = object_of(stream); object != 0) {
        const auto id = static_cast<places::ObjectId>(object);
        const u64 written = is_of_block(stream) ? static_cast<u64>(object_of_block(id)) : object;
        xml.attribute(names::Stream::object, written);
    }
    if (const u32 thread = thread_of(stream); thread != 0) xml.attribute(names::Stream::thread, thread);
    if (const u32 function = function_of(stream); function != 0) {
        name.reset();
        add_function_name(name, function);
        xml.attribute(names::Stream::function, name.c_str());
    }
    if (stream.kind == StreamKind::Line && stream.first != 0) {
        const LineName& line = line_name(stream.first);
        if (line.folder != nullptr) xml.attribute(names::Stream::folder, line.folder);
        xml.attribute(names::Stream::file, line.file);
        xml.attribute(names::Stream::line, line.line);
        name.reset();
        add_function_name(name, stream.within);
        xml.attribute(names::Stream::within, name.c_str());
    }
    if (const u32 object = object_of(stream); object != 0) {
        name.reset();
        rt::Text variable, origin;
        if (is_of_block(stream)) {  // its name says all
            const places::Object& block = places::object(static_cast<places::ObjectId>(object));
            xml.attribute(names::Stream::block, block.number);
            xml.attribute(names::Stream::bytes, block.size);
        } else {
            write_block_name<names::Stream>(xml, named_object(object, name, variable, origin));
        }
        write_declaration(xml, stream);
    }
    const Stream& counted = stream.twin != nullptr ? *stream.twin : stream;
    xml.attribute(names::Stream::accesses, figures.accesses);
    xml.attribute_unless_zero(names::Stream::loads, counted.loads);
    xml.attribute_unless_zero(names::Stream::stores, counted.stores);
    xml.attribute_unless_zero(names::Stream::variance, figures.variance);
    if (figures.followed > 0) {
        fraction(xml, names::Stream::spatial, figures.spatial);
        fraction(xml, names::Stream::temporal, figures.temporal);
        fraction(xml, names::Stream::followed, figures.followed);
        const double near = figures.spatial * static_cast<double>(figures.reuses.accesses());
        xml.attribute_unless_zero(names::Stream::near, static_cast<u64>(near * kNearUnit + 0.5));
        const auto variance = [&](const char* attribute, double of_score) {
            const double error = static_cast<double>(figures.reuses.accesses()) / kErrorUnit;
            xml.attribute_unless_zero(attribute, static_cast<u64>(of_score * error * error + 0.5));
        };
        variance(names::Stream::spatial_variance, figures.spatial_variance);
        variance(names::Stream::temporal_variance, figures.temporal_variance);
        write_reuses(xml, figures.reuses);
    }
    xml.close();
}

void write_ranges(XmlWriter& xml, const char* name, const Ranges& ranges) {
    if (ranges.size() == 0) return;
    rt::Text text;
    for (u32 i = 0; i < ranges.size(); ++i) {
        if (i != 0) text.add(' ');
        text.add_plain(ranges[i].begin).add('-').add_plain(ranges[i].end);
    }
    xml.open(name);
    if (!ranges.exact()) xml.attribute(names::Ranges::joined, "yes");
    xml.text(text.c_str());
    xml.close();
}

struct UseRow {
    u32 object = 0, thread = 0, function = 0, line = 0;
    u64 accesses = 0;
    bool operator==(const UseRow& other) const {
        return object == other.object && thread == other.thread && function == other.function &&
               line == other.line;
    }
};

// `reported`: by object. Sampled walks stand for as many more.
void write_uses(XmlWriter& xml, const rt::Vector<u8>& reported) {
    rt::Vector<UseRow> rows;
    rt::HashMap<u32> known;  // by a hash of the row: index + 1
    u64 walked = 0;
    walks().for_each([&](const ObjectWalk& walk) {
        walked += walk.stands_for;
        UseRow row{walk.object, walk.thread, walk.function, walk.line, walk.stands_for};
        u64 key = ((u64{row.object} * 31 + row.thread) * 1'000'003 + row.function) * 1'000'003 + row.line;
        for (;; ++key) {
            u32& index = known[key];
            if (index == 0) {
                rows.push_back(row);
                index = static_cast<u32>(rows.size());
                return;
            }
            if (rows[index - 1] == row) return void(rows[index - 1].accesses += row.accesses);
        }
    });
    const double factor =
        walked == 0 ? 0 : static_cast<double>(streams().accesses()) / static_cast<double>(walked);
    for (const UseRow& row : rows) {
        if (row.object >= reported.size() || reported[row.object] == 0 || row.accesses < walked / kLeastPart)
            continue;
        rt::Text name;
        add_function_name(name, row.function);
        xml.open(names::kLineUse);
        xml.attribute(names::LineUse::object, row.object);
        xml.attribute(names::LineUse::thread, row.thread);
        xml.attribute(names::LineUse::function, name.c_str());
        if (row.line != 0) {
            const LineName& line = line_name(row.line);
            if (line.folder != nullptr) xml.attribute(names::LineUse::folder, line.folder);
            xml.attribute(names::LineUse::file, line.file);
            xml.attribute(names::LineUse::line, line.line);
        }
        xml.attribute(names::LineUse::accesses,
                      static_cast<u64>(static_cast<double>(row.accesses) * factor + 0.5));
        xml.close();
    }
}

// The objects of the streams that the section shows.
void for_each_reported_object(void (*f)(u32 object, void* argument), void* argument) {
    streams().for_each([&](const Stream& stream) {
        if (stream.kind == StreamKind::Object && stream.first != 0 &&
            is_reported(stream, streams().figures(stream)))
            f(stream.first, argument);
    });
}

void collect(ProfileNeeds& needs) {
    for_each_reported_object(
        [](u32 object, void* argument) {
            static_cast<ProfileNeeds*>(argument)->object(static_cast<places::ObjectId>(object));
        },
        &needs);
}

void write(XmlWriter& xml) {
    Streams& from = streams();
    xml.open(names::kSection);
    xml.attribute(names::Model::mode, from.exact() ? "exact" : "yes");
    xml.attribute(names::Model::accesses, from.accesses());
    xml.attribute(names::Model::bursts, u64{1} << from.burst_stage());
    xml.attribute(names::Model::words, u64{1} << from.word_stage());
    u64 left_out = 0;
    from.for_each([&](const Stream& stream) {
        const bool is_part =
            is_of_block(stream) || (stream.kind == StreamKind::Variables && stream.first == 0);
        left_out += !is_part && !is_reported(stream, from.figures(stream));
    });
    xml.attribute_unless_zero(names::Model::left_out, left_out);
    xml.attribute_unless_zero(names::Model::forced, log::times_forced());
    from.for_each([&](const Stream& stream) {
        const StreamFigures figures = from.figures(stream);
        if (is_reported(stream, figures)) write_stream(xml, stream, figures);
    });
    rt::Vector<u8> reported;
    for_each_reported_object(
        [](u32 object, void* argument) {
            auto& known = *static_cast<rt::Vector<u8>*>(argument);
            if (known.size() <= object) known.resize(object + 1);
            known[object] = 1;
        },
        &reported);
    zones().for_each([&](const Zone& zone) {
        if (zone.object >= reported.size() || reported[zone.object] == 0) return;
        rt::Text name;
        add_function_name(name, zone.function);
        xml.open(names::kZone);
        xml.attribute(names::Zone::object, zone.object);
        xml.attribute(names::Zone::thread, zone.thread);
        xml.attribute(names::Zone::function, name.c_str());
        write_ranges(xml, names::Zone::read, zone.read);
        write_ranges(xml, names::Zone::written, zone.written);
        xml.close();
    });
    write_maps(xml);
    write_advice(xml);
    write_uses(xml, reported);
    for (const u64 bytes : caches()) {
        xml.open(names::kCache);
        xml.attribute(names::Cache::bytes, bytes);
        xml.close();
    }
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection;
constexpr profile::ProfileSection kSection = {is_on, collect, write};

}  // namespace memspy::locality
