// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <mix> of the profile file.
#include "analyses/mix/mix.h"
#include "profile/profile.h"

namespace memspy::fields::mix {
#define MEMSPY_FIELDS "fields/mix.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::mix

namespace memspy::mix {
namespace {

using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::mix;

places::Place place_of(const MixRow& row) { return {.instruction = row.entry, .path = {}}; }

bool has_data() { return !report().rows.empty(); }

void collect(ProfileNeeds& needs) {
    for (const MixRow& row : report().rows)
        if (row.entry != 0) needs.stack(places::stack_of(place_of(row)), place_of(row));
    for (const IoRow& row : report().io) needs.stack(row.stack);
}

void write_code(XmlWriter& xml, const MixRow& row) {
    using enum OperationCount;
    using Attributes = names::Code;
    const MixFigures& f = row.figures;
    xml.open(names::kCode);
    if (row.entry != 0) xml.attribute(Attributes::stack, static_cast<u64>(places::stack_of(place_of(row))));
    xml.attribute_unless_zero(Attributes::thread, u64{row.thread});
    xml.attribute(Attributes::instructions, f.instructions());
    const auto write = [&](const auto& name, u64 value) { xml.attribute_unless_zero(name, value); };
    write(Attributes::integer, f[Integer]);
    write(Attributes::vector, f[Vector]);
    write(Attributes::conversions, f[Conversions]);
    write(Attributes::f32, f[F32Scalar]);
    write(Attributes::f32x2, f[F32Vector64]);
    write(Attributes::f32x4, f[F32Vector128]);
    write(Attributes::f32x8, f[F32Vector256]);
    write(Attributes::f64, f[F64Scalar]);
    write(Attributes::f64x2, f[F64Vector128]);
    write(Attributes::f64x4, f[F64Vector256]);
    write(Attributes::branches, f[Branches]);
    write(Attributes::taken, f.taken + f[StaticallyTaken]);
    write(Attributes::mispredicted, f.mispredicted);
    write(Attributes::jumps, f[Jumps]);
    write(Attributes::calls, f[Calls]);
    write(Attributes::returns, f[Returns]);
    write(Attributes::system_calls, f[SystemCalls]);
    write(Attributes::f32_operations, f[F32Operations]);
    write(Attributes::f64_operations, f[F64Operations]);
    write(Attributes::multiplications, f[Multiplications]);
    write(Attributes::divisions, f[Divisions]);
    write(Attributes::from_integers, f[FromIntegers]);
    write(Attributes::loads, f[Loads]);
    write(Attributes::stores, f[Stores]);
    write(Attributes::loaded, f[LoadedBytes]);
    write(Attributes::stored, f[StoredBytes]);
    write(Attributes::loaded_addresses, f[OperationCount::LoadedAddresses]);
    write(Attributes::fetched, f.fetched);
    write(Attributes::written, f.written);
    write(Attributes::pages, f.pages);
    xml.close();
}

void write(XmlWriter& xml) {
    xml.open(names::kSection);
    xml.attribute(names::Model::predictor, "gshare, 4096 counters of two bits");
    xml.attribute_unless_zero(names::Model::cache, cache_bytes());
    if (!report().complete) xml.attribute(names::Model::incomplete, "yes");
    for (const MixRow& row : report().rows) write_code(xml, row);
    for (const IoRow& row : report().io) {
        xml.open(names::kIo);
        xml.attribute(names::Io::stack, static_cast<u64>(row.stack));
        xml.attribute_unless_zero(names::Io::thread, u64{row.thread});
        xml.attribute(names::Io::call, row.call);
        xml.attribute(names::Io::calls, row.calls);
        xml.attribute_unless_zero(names::Io::read, row.read);
        xml.attribute_unless_zero(names::Io::written, row.written);
        xml.attribute_unless_zero(names::Io::microseconds, row.microseconds);
        xml.close();
    }
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const profile::ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::mix
