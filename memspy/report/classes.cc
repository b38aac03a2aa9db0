// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/classes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "report/flat_record.h"
#include "report/section.h"

namespace memspy::report {
namespace {

constexpr std::string_view kInstalled =
#include "report/classes.inc"
    ;

std::vector<std::string_view> split(std::string_view text, char between) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(between);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

FieldSum::Condition read_condition(std::string_view text) {
    const std::size_t is = text.find('=');
    if (is == std::string_view::npos || is == 0) throw std::runtime_error("a condition is field=text");
    FieldSum::Condition condition;
    condition.is_not = text[is - 1] == '!';
    condition.is_beginning = text.back() == '*';
    condition.field = text.substr(0, condition.is_not ? is - 1 : is);
    condition.text = text.substr(is + 1, text.size() - is - 1 - (condition.is_beginning ? 1 : 0));
    return condition;
}

FieldSum::Term read_term(std::string_view text) {
    const std::size_t open = text.find('['), close = text.find(']');
    FieldSum::Term term;
    std::string plain(text);
    if (open != std::string_view::npos) {
        if (close == std::string_view::npos || close < open)
            throw std::runtime_error("conditions end with ]");
        for (const std::string_view each : split(text.substr(open + 1, close - open - 1), ';'))
            term.conditions.push_back(read_condition(each));
        plain.erase(open, close + 1 - open);
    }
    const std::vector<std::string_view> parts = split(plain, '.');
    if (parts.size() < 3) throw std::runtime_error("a field is section.list.field");
    term.section = parts[0];
    term.list = parts[1];
    term.field = plain.substr(parts[0].size() + parts[1].size() + 2);
    return term;
}

FieldSum read_sum(std::string_view text) {
    FieldSum sum;
    if (text.empty()) return sum;
    for (const std::string_view term : split(text, '+')) sum.terms.push_back(read_term(term));
    return sum;
}

std::optional<double> read_value(std::string_view text) {
    if (text.empty() || text == "-") return {};
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::runtime_error("not a number: " + std::string(text));
    return value;
}

void read_line(ClassTable& table, const std::vector<std::string_view>& cells) {
    if (cells[0] == "characteristic" && cells.size() == 5) {
        Characteristic characteristic{.name = std::string(cells[1]),
                                      .logarithmic = cells[2].starts_with("log"),
                                      .part = read_sum(cells[3]),
                                      .whole = read_sum(cells[4])};
        if (cells[2].starts_with("log "))
            characteristic.least = std::exp2(read_value(cells[2].substr(4)).value_or(0));
        else if (cells[2] != "log" && cells[2] != "linear")
            throw std::runtime_error("a characteristic is log, log from a power of two on, or linear");
        table.characteristics.push_back(std::move(characteristic));
    } else if (cells[0] == "class" && cells.size() == 3) {
        table.classes.push_back({std::string(cells[1]), std::string(cells[2])});
    } else if (cells[0] == "kernel" && cells.size() == 3 + table.characteristics.size()) {
        KnownKernel kernel{std::string(cells[1]), std::string(cells[2]), {}};
        for (std::size_t i = 3; i < cells.size(); ++i) kernel.values.push_back(read_value(cells[i]));
        if (std::ranges::find(table.classes, kernel.program_class, &ProgramClass::name) ==
            table.classes.end())
            throw std::runtime_error("there is no class " + kernel.program_class);
        table.kernels.push_back(std::move(kernel));
    } else {
        throw std::runtime_error("not a characteristic, a class, or a kernel with a value for each");
    }
}

// A record's values, and sums of its lists of numbers.
class ValuesAndSums : public Flatten {
public:
    void numbers(std::string_view json, std::span<const u64> all) override {
        constexpr std::size_t kMost = 32;
        u64 sum = 0;
        for (std::size_t i = std::max(kMost, all.size()); i-- > 0;) {
            if (i < all.size()) sum += all[i];
            values.push_back(
                {path(json) + ".from." + std::to_string(i), Role::Count, {Value::Kind::Number, sum, 0, {}}});
        }
    }
};

// The standard deviation over all kernels; 1 if they do not differ.
double spread_of(const ClassTable& table, std::size_t characteristic) {
    double sum = 0, squares = 0;
    std::size_t count = 0;
    for (const KnownKernel& kernel : table.kernels) {
        if (!kernel.values[characteristic]) continue;
        const double value = *kernel.values[characteristic];
        sum += value;
        squares += value * value;
        ++count;
    }
    if (count == 0) return 1;
    const double n = static_cast<double>(count), variance = squares / n - sum / n * (sum / n);
    return variance > 1e-12 ? std::sqrt(variance) : 1;
}

}  // namespace

ClassTable ClassTable::read(std::string_view text, std::string_view name) {
    ClassTable table;
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
        ++number;
        if (line.empty() || line.front() == '#') continue;
        try {
            read_line(table, split(line, '\t'));
        } catch (const std::exception& problem) {
            throw std::runtime_error(std::string(name) + ":" + std::to_string(number) + ": " +
                                     problem.what());
        }
    }
    return table;
}

ClassTable ClassTable::installed() { return read(kInstalled, "classes"); }

std::vector<ClassDistance> nearest_classes(const ClassTable& table, const ProgramVector& program) {
    std::vector<double> spreads;
    for (std::size_t i = 0; i < table.characteristics.size(); ++i) spreads.push_back(spread_of(table, i));
    std::vector<ClassDistance> found;
    for (const ProgramClass& each : table.classes) {
        ClassDistance nearest{&each, -1, {}, {}};
        for (const KnownKernel& kernel : table.kernels) {
            if (kernel.program_class != each.name) continue;
            ProgramVector parts(spreads.size());
            double squares = 0;
            std::size_t count = 0;
            for (std::size_t i = 0; i < spreads.size(); ++i) {
                if (!program[i] || !kernel.values[i]) continue;
                parts[i] = (*program[i] - *kernel.values[i]) / spreads[i];
                squares += *parts[i] * *parts[i];
                ++count;
            }
            if (count == 0) continue;
            const double distance = std::sqrt(squares / static_cast<double>(count));
            if (nearest.distance < 0 || distance < nearest.distance)
                nearest = {&each, distance, kernel.variant, std::move(parts)};
        }
        if (nearest.distance >= 0) found.push_back(std::move(nearest));
    }
    std::ranges::stable_sort(found, {}, &ClassDistance::distance);
    return found;
}

CharacteristicSums::CharacteristicSums(const ClassTable& table) : table_(table) {
    for (const Characteristic& each : table.characteristics)
        for (const FieldSum* sum : {&each.part, &each.whole})
            for (const FieldSum::Term& term : sum->terms) sums_.push_back({&term});
}

void CharacteristicSums::record(const AnyRecord& record) {
    const bool wanted = std::ranges::any_of(sums_, [&](const TermSum& sum) {
        return sum.term->section == record.section.name && sum.term->list == record.type.json;
    });
    if (!wanted) return;
    ValuesAndSums flat;
    record.visit(flat);
    const auto holds = [&](const FieldSum::Condition& condition) {
        return std::ranges::any_of(flat.values, [&](const FlatValue& each) {
            return each.name == condition.field && condition.holds(std::string(each.value.text));
        });
    };
    for (TermSum& sum : sums_) {
        const FieldSum::Term& term = *sum.term;
        if (term.section != record.section.name || term.list != record.type.json) continue;
        sum.any = true;  // if no record has the conditions, the sum is nothing, but known
        if (!std::ranges::all_of(term.conditions, holds)) continue;
        for (const FlatValue& each : flat.values) {
            if (each.name != term.field) continue;
            sum.sum += each.value.kind == Value::Kind::Real ? each.value.real
                                                            : static_cast<double>(each.value.number);
        }
    }
}

std::optional<double> CharacteristicSums::sum_of(const FieldSum& sum) const {
    double all = 0;
    for (const FieldSum::Term& term : sum.terms) {
        const auto found = std::ranges::find(sums_, &term, &TermSum::term);
        if (!found->any) return {};
        all += found->sum;
    }
    return all;
}

ProgramVector CharacteristicSums::vector() const {
    ProgramVector values;
    for (const Characteristic& each : table_.characteristics) {
        const std::optional<double> part = sum_of(each.part), whole = sum_of(each.whole);
        std::optional<double> value = part;
        if (!each.whole.terms.empty()) {
            value.reset();
            if (part && whole && *whole != 0) value = *part / *whole;
        }
        if (value && each.logarithmic) value = std::log2(std::max(*value, each.least));
        values.push_back(value);
    }
    return values;
}

}  // namespace memspy::report
