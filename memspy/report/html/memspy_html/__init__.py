# SPDX-License-Identifier: GPL-2.0-or-later
"""memspy-html: memspy's measurements as one page that opens anywhere.

Data flows one way: export (memspy-report's JSON) -> document (tables for the page) -> page (one HTML file).
"""
