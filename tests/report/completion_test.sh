#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the completion of memspy-report knows the commands, their options and the options' words.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../cli/completion.sh" "$1" memspy-report _memspy_report

expect merge me
expect suppress su
expect --sort= text --so
expect sarif export --to = sa
expect 'modelled observed false accesses' diff --metric =
