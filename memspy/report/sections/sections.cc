// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/section.h"

namespace memspy::report {

#define SECTION(name)                                                                                        \
    namespace name {                                                                                         \
    extern const Section kSection;                                                                           \
    }
#include "report/sections/all.def"
#undef SECTION

std::span<const Section* const> all_sections() {
    static constexpr const Section* kAll[] = {
#define SECTION(name) &name::kSection,
#include "report/sections/all.def"
#undef SECTION
    };
    return kAll;
}

const Section* find_section(std::string_view name) {
    for (const Section* section : all_sections())
        if (section->name == name) return section;
    return nullptr;
}

}  // namespace memspy::report
