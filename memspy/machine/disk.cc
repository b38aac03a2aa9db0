// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/disk.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <random>

#include "machine/repetition.h"

namespace memspy::machine {
namespace {

// The file is larger than what a disk keeps in a cache of its own for one stream, and is written in a second.
constexpr u64 kFile = u64{64} << 20;
constexpr u64 kPiece = u64{1} << 20;
constexpr u64 kPage = 4096;

struct Closed {
    int file;
    ~Closed() {
        if (file >= 0) close(file);
    }
};

std::unique_ptr<char, decltype(&std::free)> aligned(u64 bytes) {
    std::unique_ptr<char, decltype(&std::free)> memory(static_cast<char*>(std::aligned_alloc(kPage, bytes)),
                                                       &std::free);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

Disk measure_disk(const Deadline& deadline) {
    Disk disk;
    const char* const wanted = std::getenv("TMPDIR");
    disk.folder = wanted != nullptr && *wanted != 0 ? wanted : "/var/tmp";
    const auto none = [&](const std::string& why) {
        if (!disk.latency_us) disk.latency_us = Figure<double>::not_found(why);
        if (!disk.read_gb_s) disk.read_gb_s = Figure<double>::not_found(why);
        if (!disk.write_gb_s) disk.write_gb_s = Figure<double>::not_found(why);
        return disk;
    };
    struct statvfs system {};
    if (statvfs(disk.folder.c_str(), &system) != 0) return none(disk.folder + " cannot be read");
    disk.size = u64{system.f_blocks} * system.f_frsize;
    if (u64{system.f_bavail} * system.f_frsize < 4 * kFile) return none("there is not enough space left");
    const Closed file{open(disk.folder.c_str(), O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600)};
    if (file.file < 0) return none("the file system has no direct access");
    const auto memory = aligned(kPiece);
    std::mt19937_64 random(3);
    for (u64 i = 0; i < kPiece; i += 8) *reinterpret_cast<u64*>(memory.get() + i) = random();
    bool failed = false;
    const auto in_order = [&](bool writes) {
        // New space each time, as results of a program have: writing over what is there takes half as long.
        if (writes) failed = ftruncate(file.file, 0) != 0 || failed;
        const double start = now_ns();
        for (u64 at = 0; at < kFile && !failed; at += kPiece) {
            const auto offset = static_cast<off_t>(at);
            const ssize_t done = writes ? pwrite(file.file, memory.get(), kPiece, offset)
                                        : pread(file.file, memory.get(), kPiece, offset);
            failed = done != static_cast<ssize_t>(kPiece);
        }
        if (writes) failed = fdatasync(file.file) != 0 || failed;
        return now_ns() - start;
    };
    const auto at_random = [&] {
        constexpr int kReads = 16;
        const double start = now_ns();
        for (int i = 0; i < kReads && !failed; ++i) {
            const auto offset = static_cast<off_t>(random() % (kFile / kPage) * kPage);
            failed = pread(file.file, memory.get(), kPage, offset) != static_cast<ssize_t>(kPage);
        }
        return (now_ns() - start) / kReads;
    };
    Repetition how;
    how.agree = 0.1;
    how.least = 2;
    how.most = 5;
    const std::string what = " in pieces of 1 MiB, past the system's cache";
    const auto bandwidth = [&](bool writes) {
        const auto time = repeat([&] { return in_order(writes); }, deadline, how);
        return time ? Figure<double>::measured(
                          static_cast<double>(kFile) / *time,
                          (writes ? "writing 64 MiB of a new file in order" : "reading 64 MiB in order") +
                              what)
                    : Figure<double>::not_found("repetitions did not agree, or no time was left");
    };
    disk.write_gb_s = bandwidth(true);
    if (!failed) disk.read_gb_s = bandwidth(false);
    if (!failed) {
        how.least = 5;
        how.most = 40;
        const auto time = repeat(at_random, deadline, how);
        if (time)
            disk.latency_us =
                Figure<double>::measured(*time / 1000, "reads of 4 KiB at random places of 64 MiB");
    }
    if (failed) {
        disk.latency_us = disk.read_gb_s = disk.write_gb_s = {};
        return none("the file system refused an access");
    }
    return none("repetitions did not agree, or no time was left");
}

}  // namespace memspy::machine
