// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/region.h"

#include "rt/global.h"
#include "rt/vector.h"
#include "threads/call_tree.h"
#include "vg/string_match.h"

namespace memspy::locality {

const char* region_pattern = nullptr;

namespace {

enum class Membership : u8 { Unknown, Inside, Outside };

bool entered = false;
rt::Global<rt::Vector<Membership>> by_function, by_path;

Membership& membership(rt::Vector<Membership>& of, u32 number) {
    if (of.size() <= number) of.resize(number + 1);
    return of[number];
}

bool is_function_wanted(u32 function) {
    Membership& known = membership(*by_function, function);
    if (known == Membership::Unknown) {
        const char* name = function_name(function).name;
        const bool is_wanted = name != nullptr && VG_(string_match)(region_pattern, name);
        known = is_wanted ? Membership::Inside : Membership::Outside;
    }
    return known == Membership::Inside;
}

// One of its calls was made by a wanted function.
bool is_path_wanted(threads::CallPath path) {
    // From the innermost call outwards to one that is known; the others have its answer.
    rt::Vector<u32> asked;
    Membership answer = Membership::Outside;
    for (; path != threads::CallPath::Root; path = threads::parent_of(path)) {
        const Membership known = membership(*by_path, static_cast<u32>(path));
        if (known != Membership::Unknown) {
            answer = known;
            break;
        }
        asked.push_back(static_cast<u32>(path));
        Address return_address = 0;
        threads::return_addresses(path, &return_address, 1);
        if (is_function_wanted(code_at(return_address - 1).function)) {
            answer = Membership::Inside;
            break;
        }
    }
    for (const u32 each : asked) membership(*by_path, each) = answer;
    return answer == Membership::Inside;
}

}  // namespace

void set_region(const char* functions) {
    const bool is_all = functions[0] == '*' && functions[1] == '\0';
    region_pattern = is_all ? nullptr : functions;
    entered = is_all;
}

bool is_in_region(threads::CallPath path, const CodeName& code) {
    if (region_pattern == nullptr) [[likely]]
        return true;
    if (!is_function_wanted(code.function) && !is_path_wanted(path)) return false;
    entered = true;
    return true;
}

bool was_in_region() { return entered; }

}  // namespace memspy::locality
