// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/output/advice.h"

#include "analyses/locality/locality.h"
#include "analyses/locality/names.h"
#include "analyses/locality/output/words.h"

namespace memspy::fields::locality {
#define MEMSPY_FIELDS "fields/locality.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::locality

namespace memspy::locality {
namespace {

namespace names = fields::locality;

const char* word(AdviceKind kind) {
    switch (kind) {
        case AdviceKind::Interchange: return "interchange";
        case AdviceKind::Tiles: return "tiles";
        case AdviceKind::Columns: return "columns";
        case AdviceKind::HotField: return "hot-field";
        case AdviceKind::Blocks: return "blocks";
    }
    return "";
}

// "a.c:7 (multiply)"
void add_code(rt::Text& text, const LocalityAdvice& advice) {
    if (advice.line == 0) return add_function_name(text, advice.function);
    const LineName& line = line_name(advice.line);
    text.add(line.file).add(':').add_plain(line.line).add(" (");
    add_function_name(text, advice.function);
    text.add(')');
}

void add_bytes(rt::Text& text, u64 bytes) { text.add_number(bytes).add(bytes == 1 ? " byte" : " bytes"); }

// Of the object in the function; of the object, where that stream was counted only.
StreamFigures scores_of(const LocalityAdvice& advice) {
    StreamFigures best;
    streams().for_each([&](const Stream& stream) {
        if (stream.first != advice.object) return;
        const bool exactly = stream.kind == StreamKind::ObjectFunction && stream.second == advice.function;
        if (!exactly && (stream.kind != StreamKind::Object || best.followed > 0)) return;
        const StreamFigures figures = streams().figures(stream);
        if (figures.followed > 0) best = figures;
    });
    return best;
}

void fraction(profile::XmlWriter& xml, const char* name, double value) {
    rt::Text text;
    add_fraction(text, value);
    xml.attribute(name, text.c_str());
}

}  // namespace

void add_advice(rt::Text& text, const LocalityAdvice& advice) {
    switch (advice.kind) {
        case AdviceKind::Interchange:
        case AdviceKind::Tiles:
            text.add(advice.kind == AdviceKind::Interchange ? "interchange the loops around "
                                                            : "work in square blocks at ");
            add_code(text, advice);
            text.add(": the inner one goes through ");
            add_object_name(text, advice.object);
            text.add(" in steps of ");
            add_bytes(text, advice.step);
            text.add(", the one around it in steps of ").add_number(advice.shift);
            if (advice.kind == AdviceKind::Tiles) text.add(", and through other memory the other way round");
            break;
        case AdviceKind::Columns:
            text.add("store ");
            add_object_name(text, advice.object);
            text.add(" by columns: ");
            add_code(text, advice);
            text.add(" uses ").add_number(advice.used).add(" of each ");
            add_bytes(text, advice.step);
            break;
        case AdviceKind::HotField:
            text.add("give the members of ");
            add_object_name(text, advice.object);
            text.add(" that are used most an array of their own: ");
            add_code(text, advice);
            text.add(" uses ").add_number(advice.used).add(" of each ");
            add_bytes(text, advice.step);
            break;
        case AdviceKind::Blocks:
            text.add("work on parts of ");
            add_object_name(text, advice.object);
            text.add(" that fit the cache of ");
            add_bytes(text, advice.cache);
            if (advice.loops > 1) {
                text.add(", each in all of the ").add_number(advice.loops).add(" loops through it: ");
                add_code(text, advice);
                text.add(" comes to what another one used after ");
            } else {
                text.add(": ");
                add_code(text, advice);
                text.add(" comes back to what it used after ");
            }
            text.add_number(advice.low).add(" to ");
            add_bytes(text, advice.high);
            text.add(" of it");
            break;
    }
    const StreamFigures scores = scores_of(advice);
    if (scores.followed <= 0) return;
    text.add("; its locality is spatial ");
    add_fraction(text, scores.spatial);
    text.add(", temporal ");
    add_fraction(text, scores.temporal);
}

void write_advice(profile::XmlWriter& xml) {
    rt::Vector<LocalityAdvice> found;
    find_advice(found);
    for (const LocalityAdvice& advice : found) {
        rt::Text text;
        add_function_name(text, advice.function);
        xml.open(names::kAdvice);
        xml.attribute(names::Advice::kind, word(advice.kind));
        xml.attribute(names::Advice::object, advice.object);
        xml.attribute(names::Advice::function, text.c_str());
        if (advice.line != 0) {
            const LineName& line = line_name(advice.line);
            if (line.folder != nullptr) xml.attribute(names::Advice::folder, line.folder);
            xml.attribute(names::Advice::file, line.file);
            xml.attribute(names::Advice::line, line.line);
        }
        xml.attribute(names::Advice::accesses, advice.accesses);
        const StreamFigures scores = scores_of(advice);
        if (scores.followed > 0) {
            fraction(xml, names::Advice::spatial, scores.spatial);
            fraction(xml, names::Advice::temporal, scores.temporal);
        }
        text.reset();
        add_advice(text, advice);
        xml.attribute(names::Advice::text, text.c_str());
        xml.close();
    }
}

}  // namespace memspy::locality
