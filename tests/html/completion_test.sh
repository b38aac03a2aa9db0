#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the completion knows each option of memspy-html --help and its values.
set -eu
program=$1
completions=$(dirname "$program")/../share/bash-completion/completions
# shellcheck source=/dev/null
. "$completions/memspy-html"

complete_word() { # words before the cursor; prints what bash would offer
    COMP_WORDS=(memspy-html "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _memspy_html 2>/dev/null # compopt wants a real completion
    printf '%s\n' "${COMPREPLY[@]}" | sort
}

wanted=$("$program" --help | grep -oE -e '--[a-z-]+' | sort -u | grep -vxE -e '--(tool|memspy-out-file|to|xml|xml-file)')
found=$(complete_word -- | tr -d =)
[ "$wanted" = "$found" ] || {
    printf 'help has\n%s\ncompletion has\n%s\n' "$wanted" "$found"
    exit 1
}
[ "$(complete_word --sources = '' | xargs)" = 'all none' ]
[ "$(complete_word --sources = n)" = none ]
