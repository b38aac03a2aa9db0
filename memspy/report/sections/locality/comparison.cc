// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/locality/comparison.h"

#include <cmath>
#include <map>

#include "report/comparison.h"
#include "report/sections/locality/records.h"

namespace memspy::report::locality {
namespace {

// The scores of streams of one name, by the accesses of each.
class Scores {
public:
    void add(const LastingName& name, double score, double error, u64 accesses) {
        Sum& sum = by_name_[name.key];
        const auto weight = static_cast<double>(accesses);
        sum.scores += score * weight;
        sum.squares += error * error * weight * weight;
        sum.accesses += accesses;
        sum.labels[name.label] += accesses;
    }
    // Of streams with a hundredth of the accesses `all` or more.
    Figures figures(std::string of, std::string table, u64 all) const {
        constexpr u64 kFew = 100;
        Figures figures{std::move(of), std::move(table), {}, true};
        for (const auto& [name, sum] : by_name_) {
            if (sum.accesses == 0 || sum.accesses < all / kFew) continue;
            const double unit = kScore / static_cast<double>(sum.accesses);
            FigureValue& figure = figures.by_name[name];
            figure.value = static_cast<u64>(std::lround(sum.scores * unit));
            figure.error = std::sqrt(sum.squares) * unit;
            figure.labels = sum.labels;
        }
        return figures;
    }

private:
    struct Sum {
        double scores = 0, squares = 0;
        u64 accesses = 0;
        std::map<std::string, u64> labels;
    };
    std::map<std::string, Sum> by_name_;
};

class LocalityComparison : public Comparison {
public:
    void record(const AnyRecord& record, const Catalog& catalog) override {
        const auto* const stream = record.as<Stream>();
        if (stream == nullptr || !has_scores(*stream)) return;
        if (stream->kind == "function")
            by_function_.add(std::string(stream->function), distant(stream->reuses));
        const auto add = [&](const LastingName& name) {
            spatial_.add(name, stream->spatial, score_error(*stream, stream->spatial_variance),
                         stream->accesses);
            temporal_.add(name, stream->temporal, score_error(*stream, stream->temporal_variance),
                          stream->accesses);
        };
        if (stream->kind == "all") {
            all_ = stream->accesses;
            add({"all", "all"});
        } else if (stream->kind == "function") {
            const std::string function(stream->function);
            add({"function " + function, function});
        } else if (stream->kind == "object") {
            const LastingName name = lasting_name(catalog, stream->object);
            add({"object " + name.key, name.label});
        }
    }
    std::vector<Figures> figures() const override {
        return {by_function_,
                spatial_.figures("Spatial locality, of functions and objects", "locality-spatial", all_),
                temporal_.figures("Temporal locality, of functions and objects", "locality-temporal", all_)};
    }

private:
    Figures by_function_{"Accesses to new or long unused words, by function", "locality-by-function", {}};
    Scores spatial_, temporal_;
    u64 all_ = 0;
};

}  // namespace

std::unique_ptr<Comparison> comparison(std::string_view) { return std::make_unique<LocalityComparison>(); }

}  // namespace memspy::report::locality
