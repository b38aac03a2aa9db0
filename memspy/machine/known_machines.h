// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is known of machines (machines/database.h), for reading.
#pragma once

#include <iosfwd>
#include <string>

namespace memspy::machine {

void list(std::ostream& out);
// By keys; an unknown one is an error.
void show(std::ostream& out, const std::string& key);
void compare(std::ostream& out, const std::string& left, const std::string& right);

}  // namespace memspy::machine
