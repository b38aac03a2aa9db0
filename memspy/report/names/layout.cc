// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/layout.h"

#include <algorithm>

namespace memspy::report::names {
namespace {

constexpr int kDeepest = 64;
// Elements up to this size (characters and the like) are shown together, because a line has many of them.
constexpr u64 kTogether = 4;

bool overlap(CodeExtent a, u64 begin, u64 size) { return begin < a.end && begin + size > a.begin; }
bool holds(u64 begin, u64 size, CodeExtent a) { return begin <= a.begin && a.end <= begin + size; }

void add_names(Types& types, Dwarf_Die type, std::set<std::string>& names, int depth = 0) {
    const Dwarf_Die bare = types.bare(type);
    if (depth > kDeepest || !Types::is_aggregate(bare)) return;
    for (const Component& part : types.components(bare)) {
        if (part.kind == Component::ComponentKind::Base || part.name.empty())
            add_names(types, part.type, names, depth + 1);
        else
            names.insert(part.name);
    }
}

// Names of `part`, a base class, that other parts have, too.
std::set<std::string> names_beside(Types& types, const Component& part, const std::vector<Component>& all) {
    std::set<std::string> names;
    for (const Component& other : all) {
        if (other.kind == part.kind && other.offset == part.offset && other.name == part.name) continue;
        if (other.kind == Component::ComponentKind::Base || other.name.empty())
            add_names(types, other.type, names);
        else
            names.insert(other.name);
    }
    return names;
}

// The members and bases of a struct, class or union. Parts without a name are skipped in paths, as in the
// language. So are bases, and the only content of a library's wrapper type: counters[2] rather than
// counters._M_elems[2].
std::vector<std::pair<LayoutObject, Component>> parts_of(Types& types, const LayoutObject& object) {
    const std::vector<Component> components = types.components(types.bare(object.type));
    std::vector<std::pair<LayoutObject, Component>> found;
    for (const Component& component : components) {
        LayoutObject part(object.path, component.type, object.address + component.offset, component.size);
        if (component.kind == Component::ComponentKind::Base) {
            part.hidden = names_beside(types, component, components);
            part.hidden.insert(object.hidden.begin(), object.hidden.end());
            part.qualifier = component.name;
        } else if (component.name.empty()) {
            part.hidden = object.hidden;
            part.qualifier = object.qualifier;
        } else if (is_reserved(component.name) && component.bits == 0 && part.size == object.size) {
            part.shown_type = object.shown_type;
        } else {
            part.path += "." + (object.hidden.contains(component.name) ? object.qualifier + "::" : "") +
                         component.name;
        }
        if (component.kind == Component::ComponentKind::Base && part.size == object.size)
            part.shown_type = object.shown_type;
        found.emplace_back(std::move(part), component);
    }
    return found;
}

// Elements of an array, numbered across all dimensions as they lie in memory.
class Elements {
public:
    Elements(Types& types, const LayoutObject& object)
        : object_(object), shape_(types.shape(types.bare(object.type))) {
        total_ = shape_.counts.empty() ? 0 : 1;
        for (u64 count : shape_.counts) total_ *= count;
        // The length of a flexible array is not in its type.
        if (total_ == 0 && shape_.element_size != 0) total_ = ~u64{0} / shape_.element_size;
    }
    bool known() const { return shape_.element_size != 0; }
    u64 first(CodeExtent range) const {
        return range.begin <= object_.address ? 0 : (range.begin - object_.address) / shape_.element_size;
    }
    u64 last(CodeExtent range) const {
        return std::min((range.end - 1 - object_.address) / shape_.element_size, total_ - 1);
    }
    LayoutObject element(u64 number) const {
        return {object_.path + index(number, number), shape_.element,
                object_.address + number * shape_.element_size, shape_.element_size};
    }
    // The end of the innermost dimension around an element.
    u64 row_end(u64 number) const {
        const u64 row = shape_.counts.empty()     ? 0
                        : shape_.first_is_fastest ? shape_.counts.front()
                                                  : shape_.counts.back();
        return row == 0 ? ~u64{0} : (number / row + 1) * row;
    }
    // [2][5], or [2][5..7] for several; Fortran's (5,2) and (5..7,2).
    std::string index(u64 from, u64 to) const {
        std::string text;
        if (shape_.first_is_fastest) {
            for (std::size_t i = 0; i < shape_.counts.size(); ++i) {
                const u64 row = i + 1 < shape_.counts.size() ? std::max<u64>(shape_.counts[i], 1) : ~u64{0};
                text += (i == 0 ? "(" : ",") + number(i, from % row);
                if (from % row != to % row) text += ".." + number(i, to % row);
                from /= row;
                to /= row;
            }
            return text.empty() ? text : text + ")";
        }
        for (std::size_t i = 0; i < shape_.counts.size(); ++i) {
            u64 below = 1;
            for (std::size_t j = i + 1; j < shape_.counts.size(); ++j)
                below *= std::max<u64>(shape_.counts[j], 1);
            const u64 a = from / below, b = to / below;
            text += "[" + number(i, a);
            if (a != b) return text + ".." + number(i, b) + "]";
            text += "]";
            from -= a * below;
            to -= b * below;
        }
        return text;
    }

private:
    std::string number(std::size_t dimension, u64 index) const {
        return std::to_string(shape_.first[dimension] + static_cast<long long>(index));
    }
    const LayoutObject& object_;
    ArrayShape shape_;
    u64 total_ = 0;
};

SourceLine declared_of(const Types& types, const Component& as) {
    return as.declaration.addr == nullptr ? SourceLine{} : types.declared(as.declaration);
}

void fields_of(Types& types, const LayoutObject& object, const Component& as, CodeExtent range,
               std::size_t limit, std::vector<MemberPath>& fields, int depth) {
    if (fields.size() >= limit || depth > kDeepest) return;
    const Dwarf_Die bare = types.bare(object.type);
    if (as.bits == 0 && Types::is_aggregate(bare)) {
        for (const auto& [part, component] : parts_of(types, object))
            if (overlap(range, part.address, part.size))
                fields_of(types, part, component, range, limit, fields, depth + 1);
        return;
    }
    if (as.bits == 0 && Types::is_array(bare)) {
        const Elements elements(types, object);
        if (elements.known()) {
            const u64 last = elements.last(range);
            Component element;
            element.declaration = as.declaration;
            const Dwarf_Die of = types.bare(elements.element(0).type);
            const bool together =
                elements.element(0).size < kTogether && !Types::is_aggregate(of) && !Types::is_array(of);
            for (u64 i = elements.first(range); i <= last && fields.size() < limit; ++i) {
                if (!together) {
                    fields_of(types, elements.element(i), element, range, limit, fields, depth + 1);
                    continue;
                }
                const u64 to = std::min(last, elements.row_end(i) - 1);
                const LayoutObject begin = elements.element(i);
                fields.push_back({begin.address, (to - i + 1) * begin.size, 0, 0,
                                  object.path + elements.index(i, to), types.name(begin.type),
                                  declared_of(types, as), types.form(begin.type)});
                i = to;
            }
            return;
        }
    }
    fields.push_back({object.address, object.size, as.bit, as.bits, object.path,
                      types.name(object.shown_type), declared_of(types, as), types.form(bare)});
}

VariablePart part_of(Types& types, const LayoutObject& object, bool is_bits, CodeExtent range, int depth) {
    const VariablePart whole{object.path, types.name(object.shown_type), object.address, object.size, false,
                             {}};
    const Dwarf_Die bare = types.bare(object.type);
    if (is_bits || depth > kDeepest) return whole;
    if (Types::is_array(bare)) {
        const Elements elements(types, object);
        if (!elements.known()) return whole;
        const u64 first = elements.first(range), last = elements.last(range);
        if (first == last) return part_of(types, elements.element(first), false, range, depth + 1);
        if (range.begin == object.address && range.end == object.address + object.size) return whole;
        const LayoutObject begin = elements.element(first);
        return {object.path + elements.index(first, last),
                types.name(begin.type),
                begin.address,
                (last - first + 1) * begin.size,
                false,
                {}};
    }
    if (!Types::is_aggregate(bare)) return whole;

    std::vector<std::pair<LayoutObject, Component>> touched;
    for (auto& member : parts_of(types, object))
        if (overlap(range, member.first.address, member.first.size)) touched.push_back(std::move(member));
    // Empty bases and members share their byte with the part behind them.
    if (touched.size() > 1)
        std::erase_if(touched, [&](const auto& member) {
            const Dwarf_Die of = types.bare(member.first.type);
            return Types::is_aggregate(of) && types.components(of).empty();
        });
    bool all_hold = true, all_bits = true;
    for (const auto& [part, component] : touched) {
        all_hold = all_hold && holds(part.address, part.size, range);
        all_bits = all_bits && component.bits != 0;
    }
    if (touched.empty()) {
        VariablePart padding = whole;
        // The bytes of a part that is only declared are not known; it may be a base class.
        const std::vector<Component> all = types.components(bare);
        padding.padding = !all.empty() && std::all_of(all.begin(), all.end(), [&](const Component& part) {
            return part.size != 0 || Types::is_array(types.bare(part.type));
        });
        return padding;
    }
    if (touched.size() > 1 && !all_hold && !all_bits) return whole;
    // Of a union's members the best fit comes first: a member with exactly these bytes, else a small one.
    std::vector<VariablePart> found;
    for (const auto& [part, component] : touched) {
        const CodeExtent inside{std::max(range.begin, part.address),
                                std::min(range.end, part.address + part.size)};
        found.push_back(part_of(types, part, component.bits != 0, inside, depth + 1));
    }
    std::stable_sort(found.begin(), found.end(), [](const VariablePart& one, const VariablePart& other) {
        return one.padding != other.padding ? other.padding : one.size < other.size;
    });
    VariablePart best = found.front();
    for (std::size_t i = 1; i < found.size(); ++i) {
        // One alternative may use bytes that are padding in another one.
        if (found[i].padding && !best.padding) continue;
        best.also.push_back(found[i].path);
        best.also.insert(best.also.end(), found[i].also.begin(), found[i].also.end());
    }
    return best;
}

}  // namespace

bool is_reserved(std::string_view name) {
    return name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

std::vector<std::string> own_paths(const std::vector<MemberPath>& fields) {
    std::vector<std::string> paths;
    std::set<std::string> cut;
    for (const MemberPath& field : fields) {
        std::string path = field.path;
        if (path.empty()) return {};
        for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
            if (dot == 0 || !is_reserved(std::string_view(path).substr(dot + 1))) continue;
            path.resize(dot);
            cut.insert(path);
            break;
        }
        if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
    // Another member of the library's union.
    std::erase_if(paths, [&](const std::string& path) {
        return cut.contains(path.substr(0, path.rfind('['))) && path.ends_with(']');
    });
    return paths;
}

void add_fields(Types& types, const LayoutObject& object, CodeExtent range, std::size_t limit,
                std::vector<MemberPath>& fields) {
    fields_of(types, object, {}, range, limit, fields, 0);
}

VariablePart find_part(Types& types, const LayoutObject& object, CodeExtent range) {
    return part_of(types, object, false, range, 0);
}

}  // namespace memspy::report::names
