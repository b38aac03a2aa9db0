// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where modules and sources are that are not the program's own, as debug information names them: the C and C++ libraries,
// compilers and what comes with them.
#pragma once

namespace memspy::rt {

// clang names its headers relative to itself, /usr/bin/../lib/gcc/… Rust's library is compiled into the program, under the
// names that it had where it was built: by the Rust project, with libraries of others that it contains, or by Debian.
inline constexpr const char* kSystemPaths[] = {"/usr/include/",  "/usr/lib",    "/usr/local/include/",
                                               "/usr/local/lib", "/lib",        "/usr/bin/../",
                                               "/rustc/",        "/rust/deps/", "/usr/src/rustc"};

}  // namespace memspy::rt
