// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of C++ types as a programmer writes them: without the default arguments of the standard library's
// templates and without its inline namespaces. "std::map<std::string, int>" for
// "std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int,
// std::less<…>, …>".
#pragma once

#include <string>
#include <string_view>

namespace memspy::report::names {

// A name whose angle brackets are not in pairs is unchanged. Arguments are left out by their names
// (std::allocator, std::less, …) wherever a template of the standard library ends with them, because the name
// does not tell the defaults.
std::string short_type(std::string_view name);

}  // namespace memspy::report::names
