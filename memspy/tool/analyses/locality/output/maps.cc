// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/output/maps.h"

#include "analyses/locality/output/map_text.h"
#include "analyses/locality/output/words.h"
#include "analyses/locality/reading.h"
#include "fields/locality.h"
#include "vg/vg.h"

namespace memspy::locality {
namespace {

namespace names = fields::locality;

// Objects with less than this part of all accesses have no map in the file, nor have those behind the first
// so many.
constexpr u64 kLeastPart = 1000;
constexpr u32 kMostMaps = 32;

struct MappedObject {
    u32 object;
    u64 accesses;
};

Int more_accesses(const void* a, const void* b) {
    const auto &left = *static_cast<const MappedObject*>(a), &right = *static_cast<const MappedObject*>(b);
    if (left.accesses != right.accesses) return left.accesses > right.accesses ? -1 : 1;
    return left.object < right.object ? -1 : 1;
}

struct PlacedCell {
    u64 place;  // layer, row, column
    MapCell cell;

    u32 layer() const { return static_cast<u32>(place >> 32); }
    u32 row() const { return static_cast<u32>(place >> 16) & 0xFFFF; }
    u32 column() const { return static_cast<u32>(place) & 0xFFFF; }
};

Int by_place(const void* a, const void* b) {
    const u64 left = static_cast<const PlacedCell*>(a)->place,
              right = static_cast<const PlacedCell*>(b)->place;
    return left < right ? -1 : left > right;
}

void write_layer(profile::XmlWriter& xml, const AccessMap& map, const PlacedCell* first,
                 const PlacedCell* end) {
    const Zone& zone = zones()[first->layer()];
    MapText read, written;
    u64 accesses = 0;
    for (const PlacedCell* at = first; at != end; ++at) {
        read.cell(at->row(), at->column(), at->cell.reads);
        written.cell(at->row(), at->column(), at->cell.writes);
        accesses += u64{at->cell.reads} + at->cell.writes;
    }
    rt::Text function;
    add_function_name(function, zone.function);
    xml.open(names::kAccessMap);
    xml.attribute(names::AccessMap::object, zone.object);
    xml.attribute(names::AccessMap::thread, zone.thread);
    xml.attribute(names::AccessMap::function, function.c_str());
    xml.attribute(names::AccessMap::begin, map.begin());
    xml.attribute(names::AccessMap::step, map.step());
    xml.attribute_unless_zero(names::AccessMap::first_byte, map.first_byte());
    xml.attribute(names::AccessMap::row_bytes, map.row_bytes());
    xml.attribute(names::AccessMap::accesses, accesses);
    if (const char* cells = read.finish(); cells[0] != '\0') xml.attribute(names::AccessMap::read, cells);
    if (const char* cells = written.finish(); cells[0] != '\0')
        xml.attribute(names::AccessMap::written, cells);
    xml.close();
}

void write_map(profile::XmlWriter& xml, const AccessMap& map) {
    rt::Vector<PlacedCell> cells;
    map.for_each([&](u32 layer, u32 column, u32 row, const MapCell& cell) {
        cells.push_back(PlacedCell{u64{layer} << 32 | row << 16 | column, cell});
    });
    VG_(ssort)(cells.data(), cells.size(), sizeof(PlacedCell), by_place);
    for (usize first = 0, end = 0; first < cells.size(); first = end) {
        while (end < cells.size() && cells[end].layer() == cells[first].layer()) ++end;
        write_layer(xml, map, cells.data() + first, cells.data() + end);
    }
}

}  // namespace

void write_maps(profile::XmlWriter& xml) {
    rt::Vector<MappedObject> objects;
    streams().for_each([&](const Stream& stream) {
        if (stream.kind != StreamKind::Object || maps().of(stream.first) == nullptr) return;
        const u64 accesses = streams().figures(stream).accesses;
        if (accesses >= streams().accesses() / kLeastPart)
            objects.push_back(MappedObject{stream.first, accesses});
    });
    VG_(ssort)(objects.data(), objects.size(), sizeof(MappedObject), more_accesses);
    for (u32 i = 0; i < objects.size() && i < kMostMaps; ++i) write_map(xml, *maps().of(objects[i].object));
}

}  // namespace memspy::locality
