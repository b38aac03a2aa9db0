// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where modules and sources are that are not the program's own, as debug information names them: the C and
// C++ libraries, compilers and what comes with them.
#pragma once

#include "rt/prefix.h"

namespace memspy::rt {

// Rust's library is compiled into the program, under the names that its sources had where the library was
// built: by the Rust project, with libraries of others that it contains, or by Debian.
inline constexpr const char* kRustPaths[] = {"/rustc/", "/rust/deps/", "/usr/src/rustc"};

// Compilers stand in any folder (a cross compiler, /opt, Spack), with their headers in folders of these
// names.
inline constexpr const char* kCompilerPaths[] = {"/include/c++/", "/lib/gcc/", "/lib/clang/"};

// clang names its headers relative to itself, /usr/bin/../lib/gcc/…
inline bool is_system_path(const char* path) {
    constexpr const char* kPaths[] = {"/usr/include/",  "/usr/lib", "/usr/local/include/",
                                      "/usr/local/lib", "/lib",     "/usr/bin/../"};
    return starts_with_one_of(path, kPaths) || starts_with_one_of(path, kRustPaths) ||
           contains_one_of(path, kCompilerPaths);
}

// A program that a package brought, not one that somebody works on.
inline bool is_installed_program(const char* path) {
    constexpr const char* kPaths[] = {"/usr/bin/",   "/usr/sbin/", "/usr/libexec/",
                                      "/usr/games/", "/bin/",      "/sbin/"};
    return starts_with_one_of(path, kPaths);
}

}  // namespace memspy::rt
