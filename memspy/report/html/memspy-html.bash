# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion for memspy-html.

_memspy_html() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    # Bash breaks words at `=`.
    [[ $current == '=' ]] && current=''
    [[ $previous == '=' ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
    COMPREPLY=()
    case $previous in
    --sources) mapfile -t COMPREPLY < <(compgen -W 'all none' -- "$current") && return ;;
    --debug-dir | --source-dir) compopt -o filenames && mapfile -t COMPREPLY < <(compgen -d -- "$current") && return ;;
    --title | --own | --editor-url) return ;;
    -o | --output | -e | --errors | --json | --before)
        compopt -o filenames && mapfile -t COMPREPLY < <(compgen -f -- "$current") && return
        ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '--before= --debug-dir= --editor-url= --errors= --help --json= --output= --own= --source-dir= --sources= --title= --version' -- "$current")
        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.xml' -- "$current")
    fi
}
complete -F _memspy_html memspy-html
