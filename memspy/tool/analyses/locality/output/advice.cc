// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/output/advice.h"

#include "analyses/locality/names.h"
#include "analyses/locality/output/words.h"
#include "analyses/locality/reading.h"
#include "fields/locality.h"

namespace memspy::locality {
namespace {

namespace names = fields::locality;

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

// `texts`: the names, which the advice refers to.
struct AdviceTexts {
    rt::Text function, variable, origin, name;
};
advice::LoopAdvice data_of(const LocalityAdvice& advice, AdviceTexts& texts) {
    add_function_name(texts.function, advice.function);
    advice::LoopAdvice data{.remedy = advice.kind, .function = texts.function.c_str()};
    data.object = named_object(advice.object, texts.name, texts.variable, texts.origin);
    if (advice.line != 0) {
        data.file = line_name(advice.line).file;
        data.line = line_name(advice.line).line;
    }
    data.step = advice.step;
    data.shift = advice.shift;
    data.used = advice.used;
    data.cache = advice.cache;
    data.low = advice.low;
    data.high = advice.high;
    data.loops = advice.loops;
    if (const StreamFigures scores = scores_of(advice); scores.followed > 0) {
        data.spatial = scores.spatial;
        data.temporal = scores.temporal;
    }
    return data;
}

}  // namespace

void add_advice(rt::Text& text, const LocalityAdvice& advice) {
    AdviceTexts texts;
    advice::add_sentence(text, data_of(advice, texts));
}

void write_advice(profile::XmlWriter& xml) {
    rt::Vector<LocalityAdvice> found;
    find_advice(found);
    for (const LocalityAdvice& advice : found) {
        AdviceTexts texts;
        const advice::LoopAdvice data = data_of(advice, texts);
        xml.open(names::kAdvice);
        xml.attribute(names::Advice::kind, word(data.remedy));
        xml.attribute(names::Advice::object, advice.object);
        xml.attribute(names::Advice::function, data.function);
        if (advice.line != 0) {
            if (const char* folder = line_name(advice.line).folder; folder != nullptr)
                xml.attribute(names::Advice::folder, folder);
            xml.attribute(names::Advice::file, data.file);
            xml.attribute(names::Advice::line, data.line);
        }
        xml.attribute(names::Advice::accesses, advice.accesses);
        if (data.spatial >= 0) {
            fraction(xml, names::Advice::spatial, data.spatial);
            fraction(xml, names::Advice::temporal, data.temporal);
        }
        xml.attribute_unless_zero(names::Advice::step, data.step);
        xml.attribute_unless_zero(names::Advice::shift, data.shift);
        xml.attribute_unless_zero(names::Advice::used, data.used);
        xml.attribute_unless_zero(names::Advice::cache, data.cache);
        xml.attribute_unless_zero(names::Advice::low, data.low);
        xml.attribute_unless_zero(names::Advice::high, data.high);
        xml.attribute_unless_zero(names::Advice::loops, data.loops);
        write_block_name<names::Advice>(xml, data.object);
        rt::Text text;
        advice::add_sentence(text, data);
        xml.attribute(names::Advice::text, text.c_str());
        xml.close();
    }
}

}  // namespace memspy::locality
