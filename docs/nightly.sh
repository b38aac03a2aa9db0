#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a program under memspy and compares with what is known of it; docs/ci.md explains how to use this.
set -eu

usage() {
    cat <<'END'
usage: nightly.sh [--accept] [OPTION...] BASELINE PROGRAM [ARGUMENT...]

Runs PROGRAM and its children under memspy. BASELINE is a folder that is kept under version control:
  known.supp      suppressions for known errors
  profile*.xml    the profiles of the accepted runs

  --accept        put the errors and profiles of these runs into BASELINE
  --runs=N        --accept: how many, whose counts are the interval of what is not new [3]
  --results=DIR   folder for the files of this run; emptied first [memspy-results]
  --regress=PCT   the tolerated increase of an object in percent [20]
  --gate=SECTIONS what fails the run besides errors: sections of the profile, or none [contention]
  --own=PATTERNS  code that counts besides that outside the system's folders, as for memspy-report

Exit code 0: nothing new. 1: unknown errors, or an object that is new or worse in the profile. 2: the
program failed, or could not be run and compared.
END
}
fail() {
    printf 'nightly.sh: %s\n' "$*" >&2
    exit 2
}

accept=no
results=memspy-results
regress=20
runs=3
gate=contention
own=''
while [ $# -gt 0 ]; do
    case $1 in
    --accept) accept=yes ;;
    --results=*) results=${1#--results=} ;;
    --regress=*) regress=${1#--regress=} ;;
    --runs=*) runs=${1#--runs=} ;;
    --gate=*) gate=${1#--gate=} ;;
    --own=*) own=${1#--own=} ;;
    --help)
        usage
        exit 0
        ;;
    -*) fail "unknown option: $1 (see --help)" ;;
    *) break ;;
    esac
    shift
done
[ $# -ge 2 ] || fail 'name a folder for the baseline, and the program (see --help)'
baseline=$1
shift

mkdir -p "$baseline" "$results"
# The program may change its folder.
baseline=$(cd "$baseline" && pwd)
results=$(cd "$results" && pwd)
case $runs in
'' | *[!0-9]* | 0) fail "--runs needs a number, not: $runs" ;;
esac
rm -f "$results"/log.*.txt "$results"/errors.*.xml "$results"/profile.*.xml "$results/profile.xml" \
    "$results/regressions.xml" "$results/memspy.sarif" "$results/codequality.json" "$results/junit.xml"
known=$baseline/known.supp
[ -e "$known" ] || : >"$known"

# run_once PROFILE PROGRAM...: merges the profiles of its processes.
# --fair-sched: threads run in turn, so that most counts are the same in every run. Not -q: the error files would not tell
# which suppressions were needed. --gen-suppressions: with the names that the core compares.
run_once() {
    merged=$1
    shift
    rm -f "$results"/profile.*.xml
    status=0
    valgrind --tool=memspy --trace-children=yes --fair-sched=yes --leak-check=full --suppressions="$known" \
        --gen-suppressions=all --log-file="$results/log.%p.txt" --xml=yes --xml-file="$results/errors.%p.xml" \
        --memspy-out-file="$results/profile.%p.xml" "$@" || status=$?
    [ "$status" -eq 0 ] || fail "$1 ended with exit code $status; what it did until then is in $results"
    memspy-report merge "$results"/profile.*.xml -o "$merged" || fail 'the profiles cannot be merged'
}

if [ "$accept" = yes ]; then
    rm -f "$baseline"/profile*.xml
    for run in $(seq "$runs"); do run_once "$baseline/profile.$run.xml" "$@"; done
    memspy-report suppress "$results"/errors.*.xml >>"$known" || fail 'no suppressions could be made'
    echo "accepted: $baseline"
    exit 0
fi

run_once "$results/profile.xml" "$@"

result=0
# What is worse is written as an error file, which is exported with the others.
set -- "$baseline"/profile*.xml
if [ "$gate" = none ]; then
    :
elif [ -e "$1" ]; then
    status=0
    memspy-report diff --only="$gate" --fail-on="new,regress:$regress" ${own:+--own="$own"} \
        --failures="$results/regressions.xml" "$@" "$results/profile.xml" || status=$?
    case $status in
    0) ;;
    1) result=1 ;;
    *) fail 'the profiles cannot be compared' ;;
    esac
else
    echo "There is no $baseline/profile.1.xml to compare with; --accept makes one."
fi

# Errors that a suppression matches are not in these files.
errors=$(memspy-report text ${own:+--own="$own"} --gate="$gate" "$results"/errors.*.xml) || fail 'the errors cannot be read'
if [ -n "$errors" ]; then
    printf 'Errors that are not known:\n%s\n' "$errors"
    result=1
fi

# For the pages of code hosts and CI servers; paths are those of the checkout.
set -- "$results"/errors.*.xml "$results/profile.xml"
[ ! -e "$results/regressions.xml" ] || set -- "$results/regressions.xml" "$@"
for target in sarif:memspy.sarif codequality:codequality.json junit:junit.xml; do
    memspy-report export --to="${target%%:*}" --source-root="$PWD" ${own:+--own="$own"} "$@" \
        -o "$results/${target#*:}" || fail "$results/${target#*:} could not be written"
done

unused=$(memspy-report suppress --unused="$known" "$results"/errors.*.xml) || fail "$known cannot be checked"
if [ -n "$unused" ]; then
    printf 'Suppressions that nothing needed:\n%s\n' "$unused"
fi
exit "$result"
