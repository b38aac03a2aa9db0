# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For the tests of completions, which source this with a program's path, the name of its completion and that one's
# function.
program=$1
complete=$3
# shellcheck source=/dev/null
. "$(dirname "$program")/../share/bash-completion/completions/$2"
compopt() { :; } # wants a real completion

expect() { # wanted, then the words up to the cursor
    wanted=$1
    shift
    COMP_WORDS=("$program" "$@")
    COMP_CWORD=$#
    "$complete"
    [ "${COMPREPLY[*]}" = "$wanted" ] || {
        echo "after: $*: offered: ${COMPREPLY[*]}; wanted: $wanted"
        exit 1
    }
}
