// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/locality/names.h"

#include <algorithm>

#include "advice/loops.h"
#include "report/sections/locality/records.h"
#include "report/source_names.h"

namespace memspy::report::locality {
namespace {

// Texts end with a zero in the pool of strings; an attribute that is left out has none.
const char* c_str(Text text) { return text.empty() ? "" : text.data(); }

// The name of a block whose type is known by now.
template <typename R>
std::optional<advice::AdviceItem> named_block(const R& record, SourceNames& names) {
    const auto block = names.block_name(record.object);
    if (!block || record.origin.empty()) return std::nullopt;
    advice::AdviceItem item{.object = static_cast<u32>(record.object), .block = true};
    item.several = block->several;
    item.type = c_str(block->label);
    item.variable = c_str(block->variable.empty() ? record.variable : block->variable);
    item.origin = c_str(names.moved(record.object, record.origin));
    return item;
}

std::string name_of(const Stream& stream, const advice::AdviceItem& item) {
    rt::Text text;
    advice::add_bare_name(text, item);
    std::string name = text.c_str();
    if (!stream.function.empty()) name += ", " + std::string(stream.function);
    if (stream.thread != ThreadId{}) name += ", thread " + std::to_string(static_cast<u32>(stream.thread));
    return name;
}

std::string sentence_of(const Advice& record, const advice::AdviceItem& object) {
    const advice::LoopRemedy remedy = advice::loop_remedy_of(c_str(record.kind));
    if (remedy == advice::LoopRemedy::Count) return std::string(record.text);
    rt::Text text;
    advice::add_sentence(text, {.remedy = remedy,
                                .object = object,
                                .function = c_str(record.function),
                                .file = c_str(record.file),
                                .line = record.line,
                                .step = record.step,
                                .shift = record.shift,
                                .used = record.used,
                                .cache = record.cache,
                                .low = record.low,
                                .high = record.high,
                                .loops = std::max<u64>(1, record.loops),
                                .spatial = record.spatial,
                                .temporal = record.temporal});
    return text.c_str();
}

}  // namespace

void pass_with_names(const AnyRecord& record, SourceNames& names, ProfileHandler& to) {
    if (const auto* const stream = record.as<Stream>(); stream != nullptr) {
        if (const auto block = named_block(*stream, names)) {
            Stream named = *stream;
            named.name = names.interned(name_of(*stream, *block));
            return to.record({record.section, record.type, &named});
        }
    } else if (const auto* const advice = record.as<Advice>(); advice != nullptr) {
        if (const auto block = named_block(*advice, names)) {
            Advice named = *advice;
            named.text = names.interned(sentence_of(*advice, *block));
            return to.record({record.section, record.type, &named});
        }
    }
    to.record(record);
}

}  // namespace memspy::report::locality
