#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the completion of valgrind knows the tools, memspy's options and the options' words, those of another tool
# where that is named, and leaves what stands behind the program alone.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../cli/completion.sh" "$1" valgrind _memspy_valgrind

expect memspy --tool = mems
expect '--sharing-floor= --sharing-threshold= --sharing=' --tool = memspy --sharing
expect 'no code data all' --tool = memspy --zeros =
expect code --tool = memspy --zeros = co
expect 'no yes' --tool = memspy -q --defects = ''
expect '' --shar
expect '--branch-sim=' --tool = cachegrind --bran
expect --num-callers= --tool = memspy --num-c
cd "$(dirname "$0")/programs"
expect shares.c --tool = memspy --log-file = sha
expect killed.c --tool = memspy --zeros = all program ki
