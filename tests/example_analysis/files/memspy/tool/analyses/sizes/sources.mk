# SPDX-License-Identifier: GPL-2.0-or-later
tool_sources += memspy/tool/analyses/sizes/sizes.cc
report_sources += memspy/report/sections/sizes/section.cc
