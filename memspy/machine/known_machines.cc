// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/known_machines.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "machines/database.h"
#include "machines/description.h"

namespace memspy::machine {

namespace {

struct NameFirst {
    bool operator()(const std::string& one, const std::string& two) const {
        return std::pair(one != "name", one) < std::pair(two != "name", two);
    }
};
using Values = std::map<std::string, std::pair<std::string, std::string>, NameFirst>;

Values values_of(const KnownMachine& machine) {
    Values values;
    std::istringstream text(std::string(machine.text, machine.length));
    const auto trim = [](std::string word) {
        word.erase(0, word.find_first_not_of(' '));
        word.erase(word.find_last_not_of(' ') + 1);
        return word;
    };
    std::string source;
    for (std::string line; std::getline(text, line);) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos || line[0] == '#') continue;
        const std::size_t comment = line.find("  # ");
        std::string said = comment == std::string::npos ? "" : line.substr(comment + 4);
        if (said.starts_with("the same") && !said.starts_with("the same manual"))
            said = source + said.substr(std::strlen("the same"));
        else if (!said.empty())
            source =
                said.substr(0, said.find("), ") == std::string::npos ? said.size() : said.find("), ") + 1);
        values[trim(line.substr(0, equals))] = {trim(line.substr(equals + 1, comment - equals - 1)), said};
    }
    return values;
}

const KnownMachine& known(const std::string& key) {
    for (const KnownMachine* machine = kKnownMachines; machine->key != nullptr; ++machine)
        if (key == machine->key) return *machine;
    throw std::runtime_error("no machine " + key + " is known; memspy-machine list names them");
}

}  // namespace

void list(std::ostream& out) {
    for (const KnownMachine* machine = kKnownMachines; machine->key != nullptr; ++machine) {
        Description description;
        const char* problem = nullptr;
        unsigned line = 0;
        const bool whole = parse(machine->text, machine->length, description, problem, line);
        out << machine->key << std::string(18 - std::strlen(machine->key), ' ') << description.name
            << (whole ? "" : "  (not all of its caches are published)") << '\n';
    }
}

void show(std::ostream& out, const std::string& key) {
    for (const auto& [name, value] : values_of(known(key)))
        out << name << std::string(std::max<std::size_t>(18, name.size() + 1) - name.size(), ' ')
            << value.first << (value.second.empty() ? "" : "  [" + value.second + "]") << '\n';
}

void compare(std::ostream& out, const std::string& left, const std::string& right) {
    const auto first = values_of(known(left)), second = values_of(known(right));
    std::set<std::string, NameFirst> keys;
    for (const auto& [name, value] : first) keys.insert(name);
    for (const auto& [name, value] : second) keys.insert(name);
    const auto cell = [](const auto& values, const std::string& key) {
        const auto at = values.find(key);
        return at == values.end() ? std::string("-") : at->second.first;
    };
    for (const std::string& key : keys) {
        const std::string a = cell(first, key), b = cell(second, key);
        out << key << std::string(std::max<std::size_t>(18, key.size() + 1) - key.size(), ' ') << a
            << std::string(std::max<std::size_t>(44, a.size() + 1) - a.size(), ' ') << b
            << (a == b ? "" : "  *") << '\n';
    }
}

}  // namespace memspy::machine
