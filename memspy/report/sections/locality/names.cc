// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/locality/names.h"

#include "report/sections/locality/records.h"
#include "report/source_names.h"

namespace memspy::report::locality {

void pass_with_names(const AnyRecord& record, SourceNames& names, ProfileHandler& to) {
    if (const auto* const stream = record.as<Stream>(); stream != nullptr && stream->object != ObjectId{}) {
        Stream named = *stream;
        named.name = names.in_words(stream->name, stream->object);
        return to.record({record.section, record.type, &named});
    }
    if (const auto* const advice = record.as<Advice>(); advice != nullptr) {
        Advice named = *advice;
        named.text = names.in_words(advice->text, advice->object);
        return to.record({record.section, record.type, &named});
    }
    to.record(record);
}

}  // namespace memspy::report::locality
