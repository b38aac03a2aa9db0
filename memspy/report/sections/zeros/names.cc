// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/zeros/names.h"

#include <algorithm>
#include <charconv>

#include "advice/zeros.h"
#include "fields/narrow_types.h"
#include "report/sections/zeros/records.h"
#include "report/source_names.h"

namespace memspy::report::zeros {
namespace {

// A member of each element, or an element of a member that is an array.
struct Member {
    std::string name;
    names::ValueForm form;
    bool is_run = false;          // of small elements: name[0..43]
    std::vector<bool> redundant;  // by byte: at every load, in every element

    std::size_t zeros_at_end() const {
        const auto significant = std::find(redundant.rbegin(), redundant.rend(), false);
        return static_cast<std::size_t>(significant - redundant.rbegin());
    }
    std::size_t zeros_at_begin() const {
        return static_cast<std::size_t>(std::find(redundant.begin(), redundant.end(), false) -
                                        redundant.begin());
    }
    std::size_t zeros() const {
        return static_cast<std::size_t>(std::count(redundant.begin(), redundant.end(), true));
    }
};

// The path of a field of an array's element, as in "table[12].id".
struct ElementPath {
    std::string_view member;
    u64 index = 0;
};

// Where `array` is the path up to the first element's index.
std::optional<ElementPath> element_path(std::string_view path, std::string_view array) {
    ElementPath found;
    if (!path.starts_with(array)) return std::nullopt;
    path.remove_prefix(array.size());
    const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), found.index);
    path.remove_prefix(static_cast<std::size_t>(end - path.data()));
    if (error != std::errc() || !path.starts_with("].")) return std::nullopt;
    found.member = path.substr(2);
    return found;
}

// The array whose elements the fields are in: the index in which the first field and its like in the next
// element differ, and how many bytes there are between them.
struct ElementArray {
    std::string_view path;  // up to the index
    u64 element_size = 0;
};
std::optional<ElementArray> array_of(const std::vector<names::MemberPath>& fields) {
    const std::string_view first = fields.front().path;
    for (std::size_t at = first.find('['); at != first.npos; at = first.find('[', at + 1)) {
        const std::string_view array = first.substr(0, at + 1);
        const auto one = element_path(first, array);
        for (const names::MemberPath& field : fields) {
            const auto other = element_path(field.path, array);
            if (one && other && other->index == one->index + 1 && other->member == one->member)
                return ElementArray{array, field.address - fields.front().address};
        }
    }
    return std::nullopt;
}

// The members of the elements of an array; none if the columns' stride is not that of whole elements.
std::vector<Member> members_of_element(SourceNames& names, const ObjectCounts& counts) {
    const Columns& columns = counts.columns;
    const std::vector<names::MemberPath> fields = names.fields(counts.object, 0, 2 * columns.stride);
    if (fields.empty()) return {};
    const auto array = array_of(fields);
    if (!array || columns.stride % array->element_size != 0) return {};
    const auto is_redundant = [&](u64 byte) {
        return std::any_of(columns.ranges.begin(), columns.ranges.end(), [&](const NumberPair& range) {
            return range.first <= byte && byte <= range.second;
        });
    };

    std::vector<Member> members;
    for (const names::MemberPath& field : fields) {
        if (field.address >= columns.stride) break;
        const auto path = element_path(field.path, array->path);
        if (!path) return {};
        if (field.bits != 0) continue;
        const std::size_t bracket = std::min(path->member.find('['), path->member.size());
        const std::string_view name = path->member.substr(0, bracket);
        const bool is_run = path->member.find("..", bracket) != path->member.npos;
        std::vector<bool> redundant;
        for (u64 i = 0; i < field.size; ++i) redundant.push_back(is_redundant(field.address + i));
        const auto known = std::find_if(members.begin(), members.end(), [&](const Member& member) {
            return member.name == name && member.redundant.size() == redundant.size();
        });
        if (known == members.end()) {
            members.push_back({std::string(name), field.form, is_run, std::move(redundant)});
        } else {
            for (std::size_t i = 0; i < redundant.size(); ++i)
                known->redundant[i] = known->redundant[i] && redundant[i];
        }
    }
    return members;
}

bool has_pointers(SourceNames& names, ObjectId object) {
    const std::vector<names::MemberPath> fields = names.fields(object, 0, sizeof(u64));
    return fields.size() == 1 && fields.front().size == sizeof(u64) &&
           fields.front().form == names::ValueForm::Pointer;
}

// An address has zeros that cannot be saved.
std::optional<advice::ZeroAdvice> advice_on(const Member& member) {
    using advice::ZeroPart;
    using advice::ZeroRemedy;
    const std::size_t size = member.redundant.size(), zeros = member.zeros();
    if (member.form == names::ValueForm::Pointer || zeros == 0) return std::nullopt;
    advice::ZeroAdvice narrow{.remedy = ZeroRemedy::Narrow, .name = member.name.c_str(), .bytes = size};
    if (zeros == size) {
        narrow.remedy = ZeroRemedy::Constant;
        return narrow;
    }
    if (member.is_run) {
        narrow.part = ZeroPart::Tail;
        narrow.zero = member.zeros_at_end();
        if (narrow.zero * 2 >= size) return narrow;
    } else if (member.form == names::ValueForm::Integer && member.zeros_at_end() == zeros) {
        const auto [type, bytes] = profile::unsigned_type(size - zeros);
        narrow.type = type;
        if (bytes < size) return narrow;
    } else if (member.form == names::ValueForm::Float && size == 8 &&
               member.zeros_at_begin() >= profile::kLowBytesOfFloat) {
        narrow.type = "float";
        return narrow;
    }
    return std::nullopt;
}

Advice record_of(const advice::ZeroAdvice& advice, SourceNames& names) {
    rt::Text sentence;
    advice::add_sentence(sentence, advice);
    Advice record;
    record.kind = word(advice.remedy);
    record.type = names.interned(advice.type);
    record.part = word(advice.part);
    record.bytes = advice.bytes;
    record.zero = advice.zero;
    record.text = names.interned(sentence.c_str());
    return record;
}

}  // namespace

void pass_with_names(const AnyRecord& record, SourceNames& names, ProfileHandler& to) {
    const auto* const counts = record.as<ObjectCounts>();
    const auto by_bytes = [](const Advice& advice) { return advice.kind == "narrow" && advice.type.empty(); };
    const bool speaks_of_bytes = counts != nullptr && counts->columns.stride != 0 &&
                                 std::any_of(counts->advice.begin(), counts->advice.end(), by_bytes);
    const std::vector<Member> members =
        speaks_of_bytes ? members_of_element(names, *counts) : std::vector<Member>();
    const bool is_pointers =
        counts != nullptr && counts->columns.stride == sizeof(u64) && has_pointers(names, counts->object);
    if (members.empty() && !is_pointers) {
        to.record(record);
        return;
    }
    ObjectCounts named = *counts;
    if (is_pointers)
        std::erase_if(named.advice, [](const Advice& advice) { return advice.kind == "narrow"; });
    std::erase_if(named.advice, by_bytes);
    for (const Member& member : members)
        if (const auto advice = advice_on(member)) named.advice.push_back(record_of(*advice, names));
    to.record({record.section, record.type, &named});
}

}  // namespace memspy::report::zeros
