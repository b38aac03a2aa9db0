#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run by conda build, which sets PREFIX and CPU_COUNT. valgrind is the environment's own there, so memspy has a folder of its own.
set -eu
unset CFLAGS CXXFLAGS LDFLAGS CPPFLAGS
./configure --prefix="$PREFIX/lib/memspy" --with-valgrind="$PREFIX" --mandir="$PREFIX/share/man" --includedir="$PREFIX/include"
make -j "${CPU_COUNT:-2}"
make install
mkdir -p "$PREFIX/bin"
for program in "$PREFIX"/lib/memspy/bin/memspy*; do
    ln -s "../lib/memspy/bin/${program##*/}" "$PREFIX/bin/"
done
