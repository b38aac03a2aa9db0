#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the completion of memspy-report knows the commands, their options and the options' words.
set -eu
program=$1
# shellcheck source=/dev/null
. "$(dirname "$program")/../share/bash-completion/completions/memspy-report"
compopt() { :; } # wants a real completion

expect() { # wanted, then the words up to the cursor
    wanted=$1
    shift
    COMP_WORDS=("$program" "$@")
    COMP_CWORD=$#
    _memspy_report
    [ "${COMPREPLY[*]}" = "$wanted" ] || {
        echo "after: $*: offered: ${COMPREPLY[*]}; wanted: $wanted"
        exit 1
    }
}
expect merge me
expect suppress su
expect --sort= text --so
expect sarif export --to = sa
expect 'modelled observed false accesses' diff --metric =
