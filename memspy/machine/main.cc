// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-machine: measures the machine that it runs on, and shows known machines.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "machine/known_machines.h"
#include "machine/measured.h"
#include "machine/network.h"
#include "machine/output.h"

namespace memspy::machine {
namespace {

// The machine file with this network: what else the file has stays.
Json with_network(const std::string& file, const Json& network) {
    Json machine{{"format", "memspy-machine 1"}};
    if (std::ifstream old(file); !file.empty() && old) {
        machine = Json::parse(old, nullptr, false);
        if (!machine.is_object() || machine.value("format", "") != "memspy-machine 1")
            throw std::runtime_error(file +
                                     " is no file of memspy-machine --format=json; nothing was changed");
    }
    machine["network"] = network;
    return machine;
}

constexpr const char* kUsage =
    "usage: memspy-machine [--format=text|json|svg] [--seconds=N] [-o FILE]\n"
    "       mpirun -n N memspy-machine network [--format=text|json] [--seconds=N] [--mpi-library=FILE] [-o "
    "FILE]\n"
    "       memspy-machine list | show NAME | compare NAME NAME\n\n"
    "Measures the caches, translation buffers and memory of this machine, with the method of each figure. "
    "An\n"
    "uncertain figure is \"not found\". list, show and compare print machines from public sources.\n\n"
    "  --format=FORMAT  text [default], json, or svg: the curve of the time of a load by bytes walked over\n"
    "  --seconds=N      start no new measurement after N seconds [50]\n"
    "  -o, --output=FILE  write there instead of to standard output\n"
    "  --version, --help\n";

// What is wrong with a command that is none.
std::string problem_of(const std::vector<std::string>& words) {
    const std::string &command = words[0], more = "; memspy-machine --help has the commands";
    if (command == "list" || command == "network") return command + " takes no name" + more;
    if (command == "show") return "show takes the name of one machine; memspy-machine list has them";
    if (command == "compare") return "compare takes the names of two machines; memspy-machine list has them";
    return "there is no command " + command + more;
}

// A minute of measurements is not for nothing.
void check_writable(const std::string& output) {
    const auto folder = std::filesystem::path(output).parent_path();
    if (std::filesystem::is_directory(output))
        throw std::runtime_error("cannot write " + output + ": it is a folder");
    const bool exists = std::filesystem::exists(output);
    if (access(exists ? output.c_str() : folder.empty() ? "." : folder.c_str(), W_OK) != 0)
        throw std::runtime_error("cannot write " + output + ": " + std::strerror(errno));
}

int run(const std::vector<std::string>& words) {
    std::string format = "text", output, library;
    double seconds = 50;
    std::vector<std::string> plain;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--help" || word == "-h") {
            std::cout << kUsage;
            return 0;
        }
        if (word == "--version") {
            std::cout << "memspy-machine " MEMSPY_VERSION "\n";
            return 0;
        }
        if (word.starts_with("--format="))
            format = word.substr(9);
        else if (word.starts_with("--seconds=")) {
            std::istringstream number(word.substr(10));
            if (!(number >> seconds) || !number.eof() || seconds < 1 || seconds > 3600)
                throw std::runtime_error("--seconds is a number from 1 to 3600, not " + word.substr(10));
        } else if (word.starts_with("--mpi-library="))
            library = word.substr(14);
        else if (word == "-o" && i + 1 < words.size())
            output = words[++i];
        else if (word == "-o")
            throw std::runtime_error("-o needs the name of a file");
        else if (word.starts_with("--output="))
            output = word.substr(9);
        else if (word.starts_with("-"))
            throw std::runtime_error("unknown option " + word + "; memspy-machine --help lists them");
        else
            plain.push_back(word);
    }
    if (format != "text" && format != "json" && format != "svg")
        throw std::runtime_error("--format is text, json or svg, not " + format);
    if (!output.empty()) check_writable(output);
    std::ostringstream out;
    if (plain.empty()) {
        const Measured measured = measure(seconds);
        if (format == "json")
            out << json_of(measured).dump(2) << '\n';
        else if (format == "svg")
            print_svg(out, measured);
        else
            print_text(out, measured);
    } else if (plain[0] == "network" && plain.size() == 1) {
        const Json measured = measure_network({library, seconds});
        if (measured.is_null()) return 0;
        if (!output.empty() || format == "json") out << with_network(output, measured).dump(2) << '\n';
        if (format == "text") std::cout << text_of_network(measured);
    } else if (plain[0] == "list" && plain.size() == 1) {
        list(out);
    } else if (plain[0] == "show" && plain.size() == 2) {
        show(out, plain[1]);
    } else if (plain[0] == "compare" && plain.size() == 3) {
        compare(out, plain[1], plain[2]);
    } else {
        throw std::runtime_error(problem_of(plain));
    }
    if (output.empty()) {
        std::cout << out.str() << std::flush;
        return std::cout ? 0 : 2;
    }
    std::ofstream file(output);
    file << out.str() << std::flush;
    if (!file) throw std::runtime_error("cannot write " + output);
    return 0;
}

}  // namespace
}  // namespace memspy::machine

int main(int argc, char** argv) {
    try {
        return memspy::machine::run({argv + 1, argv + std::max(argc, 1)});
    } catch (const std::exception& error) {
        std::cerr << "memspy-machine: " << error.what() << '\n';
        return 2;
    }
}
