// SPDX-License-Identifier: GPL-2.0-or-later
//
// bug: what a report of a fault of memspy needs, collected as one text that its sender can read before
// sending it.
#include <elf.h>
#include <gelf.h>
#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "report/commands.h"
#include "report/other_programs.h"
#include "report/output.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"program", "FILE", "the program that memspy ran: its compiler, build ID and libraries"},
    kOutputOption,
    kHelpOption,
};

void title(std::ostream& out, std::string_view text) { out << "\n## " << text << "\n\n"; }

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// What stands behind `key` in a file of lines such as "model name : ..." or NAME="...".
std::string entry(const std::string& path, std::string_view key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        const std::size_t at = line.find_first_not_of(" \t:=\"", key.size());
        if (at == line.npos) continue;
        line = line.substr(at);
        if (line.ends_with('"')) line.pop_back();
        return line;
    }
    return "unknown";
}

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
        popen(("{ " + command + "; } 2>&1 </dev/null").c_str(), "r"), pclose);
    std::string text;
    if (!pipe) return text;
    std::array<char, 4096> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
        text.append(buffer.data(), count);
    return text;
}

void print_versions(std::ostream& out) {
    title(out, "Versions");
    out << "memspy-report " MEMSPY_VERSION "\n";
    std::error_code none;
    const auto beside = folder_of_this_program() / "valgrind";
    const std::string valgrind = std::filesystem::exists(beside, none) ? beside.string() : "valgrind";
    out << valgrind << " --tool=memspy --version\n"
        << output_of(quoted(valgrind) + " --tool=memspy --version");
    out << "cc --version\n" << output_of("cc --version | head -n 1");
}

void print_limit(std::ostream& out, const char* name, decltype(RLIMIT_AS) which) {
    rlimit limit{};
    getrlimit(which, &limit);
    out << "limit of " << name << ": ";
    if (limit.rlim_cur == RLIM_INFINITY)
        out << "none\n";
    else
        out << limit.rlim_cur << '\n';
}

void print_system(std::ostream& out) {
    title(out, "System");
    utsname name{};
    uname(&name);
    out << entry("/etc/os-release", "PRETTY_NAME") << ", " << name.sysname << ' ' << name.release << ' '
        << name.machine << ", glibc " << gnu_get_libc_version() << '\n';
    for (const char* mark : {"/.dockerenv", "/run/.containerenv"})
        if (access(mark, F_OK) == 0) out << "in a container (" << mark << ")\n";
    out << "processor: " << entry("/proc/cpuinfo", "model name") << ", " << sysconf(_SC_NPROCESSORS_ONLN)
        << " processors\n"
        << "features: "
        << entry("/proc/cpuinfo", name.machine == std::string_view("aarch64") ? "Features" : "flags")
        << "\nmemory: " << entry("/proc/meminfo", "MemTotal")
        << ", available: " << entry("/proc/meminfo", "MemAvailable") << '\n';
    for (const char* setting : {"vm/overcommit_memory", "vm/max_map_count", "kernel/randomize_va_space"})
        out << setting << ": " << first_line(std::string("/proc/sys/") + setting) << '\n';
    print_limit(out, "address space", RLIMIT_AS);
    print_limit(out, "stack", RLIMIT_STACK);
    print_limit(out, "open files", RLIMIT_NOFILE);
}

void print_settings(std::ostream& out) {
    title(out, "Settings");
    for (const char* name : {"VALGRIND_OPTS", "VALGRIND_LIB", "LD_PRELOAD", "LD_LIBRARY_PATH",
                             "GLIBC_TUNABLES", "OMP_NUM_THREADS", "DEBUGINFOD_URLS"})
        if (const char* value = std::getenv(name)) out << name << '=' << value << '\n';
    const char* home = std::getenv("HOME");
    for (const std::string& file :
         {home == nullptr ? std::string() : home + std::string("/.valgrindrc"), std::string(".valgrindrc")}) {
        std::ifstream settings(file);
        if (!file.empty() && settings) {
            const std::string text{std::istreambuf_iterator<char>(settings), {}};
            out << file << ":\n" << text << '\n';
        }
    }
}

void print_comment(std::ostream& out, std::string_view comments) {
    out << "compiled by:";
    while (!comments.empty()) {
        const std::size_t end = std::min(comments.find('\0'), comments.size());
        if (end > 0) out << ' ' << comments.substr(0, end) << ';';
        comments.remove_prefix(std::min(end + 1, comments.size()));
    }
    out << '\n';
}

void print_build_id(std::ostream& out, std::string_view note) {
    constexpr std::size_t kBefore = sizeof(Elf64_Nhdr) + sizeof("GNU");
    if (note.size() <= kBefore) return;
    out << "build ID: " << std::hex;
    for (const char c : note.substr(kBefore)) {
        const auto byte = static_cast<unsigned char>(c);
        out << (byte >> 4) << (byte & 15);
    }
    out << std::dec << '\n';
}

void print_section(std::ostream& out, Elf* elf, Elf_Scn* section, std::string_view name) {
    GElf_Shdr header;
    const Elf_Data* data = elf_getdata(section, nullptr);
    if (gelf_getshdr(section, &header) == nullptr || data == nullptr || data->d_buf == nullptr) return;
    const std::string_view bytes(static_cast<const char*>(data->d_buf), data->d_size);
    if (name == ".comment") print_comment(out, bytes);
    if (name == ".note.gnu.build-id") print_build_id(out, bytes);
    if (name == ".debug_info") out << "debug information: " << header.sh_size << " bytes\n";
    if (name != ".dynamic") return;
    out << "libraries:";
    GElf_Dyn dynamic;
    for (int i = 0; gelf_getdyn(const_cast<Elf_Data*>(data), i, &dynamic) != nullptr; ++i)
        if (dynamic.d_tag == DT_NEEDED)
            if (const char* library = elf_strptr(elf, header.sh_link, dynamic.d_un.d_val))
                out << ' ' << library;
    out << '\n';
}

void print_program(std::ostream& out, const std::string& path) {
    title(out, "Program");
    out << path << '\n';
    elf_version(EV_CURRENT);
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) throw UsageError(path + " cannot be read: " + std::strerror(errno));
    const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(fileno(file.get()), ELF_C_READ, nullptr),
                                                  elf_end);
    std::size_t names = 0;
    if (!elf || elf_getshdrstrndx(elf.get(), &names) != 0) {
        out << "not an ELF file; first line: " << first_line(path).substr(0, 200) << '\n';
        return;
    }
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr) continue;
        if (const char* name = elf_strptr(elf.get(), names, header.sh_name))
            print_section(out, elf.get(), section, name);
    }
}

// Begin and end of a log, a profile or an error file: how the run was started, and how it ended.
void print_file(std::ostream& out, const std::string& path) {
    constexpr std::streamoff kBegin = 4'000, kEnd = 12'000;
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path)) throw UsageError(path + " cannot be read");
    title(out, "File " + path);
    file.seekg(0, std::ios::end);
    const std::streamoff size = file.tellg();
    const auto part = [&](std::streamoff from, std::streamoff to) {
        std::string text(static_cast<std::size_t>(to - from), '\0');
        file.seekg(from);
        file.read(text.data(), to - from);
        std::ranges::replace_if(
            text, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t'; }, '?');
        out << text;
    };
    out << size << " bytes\n\n";
    if (size <= kBegin + kEnd) {
        part(0, size);
        return;
    }
    part(0, kBegin);
    out << "\n... " << size - kBegin - kEnd << " bytes ...\n";
    part(size - kEnd, size);
    out << '\n';
}

int run(const Arguments& arguments) {
    Output output(arguments.value("output"));
    std::ostream& out = output.stream();
    out << "# A fault of memspy\n\nWhat was done, what was expected, and what happened:\n\n\n";
    print_versions(out);
    print_system(out);
    print_settings(out);
    if (arguments.has("program")) print_program(out, std::string(arguments.value("program")));
    for (const std::string& file : arguments.files()) print_file(out, file);
    output.commit();
    return kDone;
}

}  // namespace

const Command kBugCommand{
    "bug",
    "[FILE...]",
    "collects what the report of a fault of memspy needs",
    "The text has the versions, the system, Valgrind's settings, and begin and end of each FILE (a log, a\n"
    "profile, an error file). Names of files and command lines are in it: read it before you send it.",
    kOptions,
    run};

}  // namespace memspy::report
