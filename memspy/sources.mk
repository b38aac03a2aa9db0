# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sources, one line for each file, in alphabetical order. A new file is built once it has a line here.

# The tool (C++).
tool_sources =
tool_sources += memspy/analyses/contention/advice.cc
tool_sources += memspy/analyses/contention/code.cc
tool_sources += memspy/analyses/contention/contention.cc
tool_sources += memspy/analyses/contention/first_reading.cc
tool_sources += memspy/analyses/contention/line_life.cc
tool_sources += memspy/analyses/contention/line_table.cc
tool_sources += memspy/analyses/contention/objects.cc
tool_sources += memspy/analyses/contention/ownership.cc
tool_sources += memspy/analyses/contention/polls.cc
tool_sources += memspy/analyses/contention/recorder.cc
tool_sources += memspy/analyses/contention/second_reading.cc
tool_sources += memspy/analyses/contention/sharing_report.cc
tool_sources += memspy/analyses/contention/tally.cc
tool_sources += memspy/analyses/defects/accesses.cc
tool_sources += memspy/analyses/defects/client_requests.cc
tool_sources += memspy/analyses/defects/defects.cc
tool_sources += memspy/analyses/defects/leak_check.cc
tool_sources += memspy/analyses/defects/leak_graph.cc
tool_sources += memspy/analyses/defects/place.cc
tool_sources += memspy/analyses/defects/pools.cc
tool_sources += memspy/analyses/defects/system_calls.cc
tool_sources += memspy/control.cc
tool_sources += memspy/findings/contention_section.cc
tool_sources += memspy/findings/error_manager.cc
tool_sources += memspy/findings/printer.cc
tool_sources += memspy/findings/profile.cc
tool_sources += memspy/findings/summary.cc
tool_sources += memspy/findings/summary_text.cc
tool_sources += memspy/findings/suppression_names.cc
tool_sources += memspy/findings/xml_writer.cc
tool_sources += memspy/heap/foreign.cc
tool_sources += memspy/heap/heap.cc
tool_sources += memspy/heap/replacement.cc
tool_sources += memspy/instrument/access.cc
tool_sources += memspy/instrument/access_log.cc
tool_sources += memspy/instrument/call_tracking.cc
tool_sources += memspy/instrument/check_plan.cc
tool_sources += memspy/instrument/dead_writes.cc
tool_sources += memspy/instrument/fast.cc
tool_sources += memspy/instrument/instrument.cc
tool_sources += memspy/instrument/load_types.cc
tool_sources += memspy/instrument/register_use.cc
tool_sources += memspy/instrument/registers.cc
tool_sources += memspy/instrument/shadow_code.cc
tool_sources += memspy/instrument/touch.cc
tool_sources += memspy/instrument/tracking.cc
tool_sources += memspy/instrument/trip.cc
tool_sources += memspy/instrument/undefined.cc
tool_sources += memspy/instrument/undefined_helpers.cc
tool_sources += memspy/instrument/undefined_ops.cc
tool_sources += memspy/main.cc
tool_sources += memspy/monitor.cc
tool_sources += memspy/options.cc
tool_sources += memspy/profile_output.cc
tool_sources += memspy/shadow/shadow_map.cc
tool_sources += memspy/shadow/side_table.cc
tool_sources += memspy/threads/call_tree.cc
tool_sources += memspy/threads/clocks.cc
tool_sources += memspy/threads/log.cc
tool_sources += memspy/threads/registry.cc
tool_sources += memspy/threads/sync_calls.cc
tool_sources += memspy/vg/compat.cc
tool_sources += memspy/vg/host.cc
tool_sources += memspy/vg/modules.cc

# The library preloaded into the client (C).
preload_sources =
preload_sources += memspy/preload/replacements.c

# memspy-report.
report_sources =
report_sources += memspy/report/catalog.cc
report_sources += memspy/report/command_line.cc
report_sources += memspy/report/error_reader.cc
report_sources += memspy/report/export/export.cc
report_sources += memspy/report/export/json.cc
report_sources += memspy/report/folding.cc
report_sources += memspy/report/host.cc
report_sources += memspy/report/input.cc
report_sources += memspy/report/main.cc
report_sources += memspy/report/merge.cc
report_sources += memspy/report/merge_command.cc
report_sources += memspy/report/output.cc
report_sources += memspy/report/profile_reader.cc
report_sources += memspy/report/profile_writer.cc
report_sources += memspy/report/table.cc
report_sources += memspy/report/text_command.cc
report_sources += memspy/report/text_report.cc
report_sources += memspy/report/xml_stream.cc
