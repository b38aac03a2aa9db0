// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <shared-memory> of the profile file: a <file> for each with stretches of lines.
#include "analyses/shared_memory/shared_memory.h"
#include "profile/profile.h"
#include "profile/rank.h"
#include "vg/vg.h"

namespace memspy::fields::shared_memory {
#define MEMSPY_FIELDS "fields/shared_memory.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::shared_memory

namespace memspy::shared_memory {
namespace {

using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::shared_memory;

bool has_data() { return !stretches().empty(); }

void collect(ProfileNeeds& needs) {
    for (const LineStretch& each : stretches()) {
        needs.stack(stack_of_site(each.site));
        needs.stack(files()[each.file].stack);
    }
}

void write_use(XmlWriter& xml, const LineStretch& stretch) {
    xml.open(names::SharedFile::uses);
    xml.attribute(names::LineUse::offset, stretch.line * kLineBytes);
    if (stretch.lines != 1) xml.attribute(names::LineUse::lines, stretch.lines);
    xml.attribute(names::LineUse::stack, static_cast<u64>(stack_of_site(stretch.site)));
    xml.attribute_unless_zero(names::LineUse::loads, stretch.use.loads);
    xml.attribute_unless_zero(names::LineUse::stores, stretch.use.stores);
    if (stretch.use.loads != 0) xml.hexadecimal(names::LineUse::loaded, stretch.use.loaded);
    if (stretch.use.stores != 0) xml.hexadecimal(names::LineUse::stored, stretch.use.stored);
    xml.close();
}

void begin_file(XmlWriter& xml, const SharedFile& file) {
    xml.open(names::kSharedFile);
    xml.attribute(names::SharedFile::process, static_cast<u64>(VG_(getpid)()));
    const profile::ProcessRank rank = profile::rank();
    if (rank.number >= 0) {
        char host[256];
        xml.attribute(names::SharedFile::rank, static_cast<u64>(rank.number));
        xml.attribute(names::SharedFile::host, profile::host_name(host, sizeof host));
    }
    xml.attribute(names::SharedFile::device, file.identity.device);
    xml.attribute(names::SharedFile::inode, file.identity.inode);
    xml.attribute(names::SharedFile::bytes, file.bytes);
    if (file.path[0] != '\0') xml.attribute(names::SharedFile::path, file.path);
    xml.attribute(names::SharedFile::stack, static_cast<u64>(file.stack));
    xml.attribute_unless_zero(names::SharedFile::left_out, left_out());
}

void write(XmlWriter& xml) {
    xml.open(names::kSection);
    u32 file = ~u32{0};
    for (const LineStretch& each : stretches()) {
        if (each.file != file) {
            if (file != ~u32{0}) xml.close();
            file = each.file;
            begin_file(xml, files()[file]);
        }
        write_use(xml, each);
    }
    if (file != ~u32{0}) xml.close();
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const profile::ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::shared_memory
