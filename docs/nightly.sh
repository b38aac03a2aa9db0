#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a program under memspy and compares with what is known of it; docs/ci.md explains how to use this.
set -eu

usage() {
    cat <<'END'
usage: nightly.sh [--accept] [--results=DIR] [--regress=PCT] BASELINE PROGRAM [ARGUMENT...]

Runs PROGRAM and its children under memspy. BASELINE is a folder that is kept under version control:
  known.supp   suppressions for known errors
  profile.xml  the profile of the last accepted run

  --accept       put the errors and the profile of this run into BASELINE
  --results=DIR  folder for the files of this run; emptied first [memspy-results]
  --regress=PCT  the tolerated increase of an object in percent [20]

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
while [ $# -gt 0 ]; do
    case $1 in
    --accept) accept=yes ;;
    --results=*) results=${1#--results=} ;;
    --regress=*) regress=${1#--regress=} ;;
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
rm -f "$results"/log.*.txt "$results"/errors.*.xml "$results"/profile.*.xml "$results/profile.xml" \
    "$results/memspy.sarif" "$results/codequality.json" "$results/junit.xml"
known=$baseline/known.supp
[ -e "$known" ] || : >"$known"

# --fair-sched: the modelled counts are the same in every run then. Not -q: the error files would not tell which
# suppressions were needed.
status=0
valgrind --tool=memspy --trace-children=yes --fair-sched=yes --leak-check=full --suppressions="$known" \
    --log-file="$results/log.%p.txt" --xml=yes --xml-file="$results/errors.%p.xml" \
    --memspy-out-file="$results/profile.%p.xml" "$@" || status=$?
[ "$status" -eq 0 ] || fail "$1 ended with exit code $status; what it did until then is in $results"
memspy-report merge "$results"/profile.*.xml -o "$results/profile.xml" || fail 'the profiles cannot be merged'

if [ "$accept" = yes ]; then
    memspy-report suppress "$results"/errors.*.xml >>"$known" || fail 'no suppressions could be made'
    cp "$results/profile.xml" "$baseline/profile.xml"
    echo "accepted: $baseline"
    exit 0
fi

# For the pages of code hosts and CI servers; paths are those of the checkout.
for target in sarif:memspy.sarif codequality:codequality.json junit:junit.xml; do
    memspy-report export --to="${target%%:*}" --source-root="$PWD" "$results"/errors.*.xml "$results/profile.xml" \
        -o "$results/${target#*:}" || fail "$results/${target#*:} could not be written"
done

result=0
# Errors that a suppression matches are not in these files.
if grep -q '<error>' "$results"/errors.*.xml; then
    echo 'Errors that are not known:'
    memspy-report text "$results"/errors.*.xml || fail 'the errors cannot be read'
    result=1
fi
unused=$(memspy-report suppress --unused="$known" "$results"/errors.*.xml) || fail "$known cannot be checked"
if [ -n "$unused" ]; then
    printf 'Suppressions that nothing needed:\n%s\n' "$unused"
fi
if [ -e "$baseline/profile.xml" ]; then
    status=0
    memspy-report diff --fail-on="new,regress:$regress" "$baseline/profile.xml" "$results/profile.xml" || status=$?
    case $status in
    0) ;;
    1) result=1 ;;
    *) fail 'the profiles cannot be compared' ;;
    esac
else
    echo "There is no $baseline/profile.xml to compare with; --accept makes one."
fi
exit "$result"
