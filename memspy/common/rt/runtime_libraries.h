// SPDX-License-Identifier: GPL-2.0-or-later
//
// The C library with its loader and threads, and the run-time libraries of OpenMP, identified by the file's
// name. They have the words with which threads wait, wake others and are created; no layout of the program's
// own data can change these.
#pragma once

#include "rt/prefix.h"

namespace memspy::rt {

// The file's name; empty if there is no path.
inline const char* file_name(const char* path) {
    if (path == nullptr) return "";
    const char* name = path;
    for (; *path != '\0'; ++path)
        if (*path == '/') name = path + 1;
    return name;
}

inline bool is_c_library(const char* path) {
    constexpr const char* kNames[] = {"libc.so", "libc-2.",   "libpthread", "ld-linux",
                                      "ld-2.",   "libc.musl", "ld-musl"};
    return starts_with_one_of(file_name(path), kNames);
}

// The loader alone: musl's is its C library.
inline bool is_loader(const char* path) {
    constexpr const char* kNames[] = {"ld-linux", "ld-2."};
    return starts_with_one_of(file_name(path), kNames);
}

// GCC's.
inline bool is_gomp_library(const char* path) {
    constexpr const char* kNames[] = {"libgomp.so", "libgomp-"};
    return starts_with_one_of(file_name(path), kNames);
}

// LLVM's, or Intel's, from which it was made.
inline bool is_omp_library(const char* path) {
    constexpr const char* kNames[] = {"libomp.", "libomp-", "libomp5", "libiomp5"};
    return starts_with_one_of(file_name(path), kNames);
}

inline bool is_runtime_library(const char* path) {
    return is_c_library(path) || is_gomp_library(path) || is_omp_library(path);
}

}  // namespace memspy::rt
