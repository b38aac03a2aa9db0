// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace memspy::report {
namespace {

// A pipe, a terminal, /dev/null, which must not be replaced.
bool is_special(const std::string& file) {
    struct stat state {};
    return stat(file.c_str(), &state) == 0 && !S_ISREG(state.st_mode);
}

[[noreturn]] void fail(const std::string& file) {
    throw std::runtime_error(file + " cannot be written: " + std::strerror(errno));
}

}  // namespace

Output::Output(std::string_view file) : file_(file == "-" ? "" : file) {
    if (file_.empty()) return;
    part_ = is_special(file_) ? file_ : file_ + ".part" + std::to_string(getpid());
    stream_.open(part_, std::ios::binary | std::ios::trunc);
    if (!stream_) fail(part_);
}

Output::~Output() {
    if (!part_.empty() && part_ != file_) std::remove(part_.c_str());
}

std::ostream& Output::stream() { return file_.empty() ? std::cout : stream_; }

void Output::commit() {
    const std::string name = file_.empty() ? "standard output" : file_;
    errno = 0;
    stream().flush();
    if (!stream()) fail(name);
    if (file_.empty()) return;
    stream_.close();
    if (!stream_) fail(name);
    if (part_ != file_ && std::rename(part_.c_str(), file_.c_str()) != 0) fail(name);
    part_.clear();
}

}  // namespace memspy::report
