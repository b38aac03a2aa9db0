// SPDX-License-Identifier: GPL-2.0-or-later
//
// The redundant-zeros analysis by code: the values of each load instruction, by calling context, and what each
// thread did in total. docs/internals.md, "Redundant zeros".
#pragma once

#include "instrument/element.h"
#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::zeros {

using instrument::ElementKind;
using instrument::kMostCells;
using instrument::Uses;
using instrument::ValueType;

// What was seen of some elements of one type.
struct LoadCounts {
    u64 elements = 0;
    u64 zero = 0;                // all cells redundant
    u64 redundant = 0;           // cells
    u64 cells[kMostCells] = {};  // how often cell i was redundant

    void add(const LoadCounts& other) {
        elements += other.elements;
        zero += other.zero;
        redundant += other.redundant;
        for (u32 i = 0; i < kMostCells; ++i) cells[i] += other.cells[i];
    }
};

// The loads of one instruction that have one type, from one context, by all threads. Where the context is cut
// (--zeros-context), `path` is a path of the last calls only.
struct LoadRow {
    Address instruction = 0;
    threads::CallPath path = threads::CallPath::Root;
    ValueType type;
    Uses uses;
    u32 threads = 0;       // that did such loads
    bool finding = false;  // worth telling people of
    LoadCounts counts;

    u64 loads() const { return counts.elements / type.lanes(); }
};

// Sums over loads of many types. The fraction of a float is by cells, so `cells` stands for the bytes of an
// integer.
struct LoadTotals {
    u64 loads = 0;
    u64 bytes = 0;
    u64 elements = 0;
    u64 cells = 0;
    u64 redundant = 0;
    u64 zero = 0;           // elements all of whose cells are redundant
    u64 unknown_loads = 0;  // of unknown type: counted as integers

    void add(const LoadTotals& other) {
        loads += other.loads;
        bytes += other.bytes;
        elements += other.elements;
        cells += other.cells;
        redundant += other.redundant;
        zero += other.zero;
        unknown_loads += other.unknown_loads;
    }
};
struct KindTotals {
    LoadTotals integer, floating;
    void add(const KindTotals& other) {
        integer.add(other.integer);
        floating.add(other.floating);
    }
};
struct ThreadTotals {
    u32 serial = 0;
    KindTotals totals;
};

struct CodeReport {
    rt::Vector<LoadRow> rows;          // most redundant cells first
    rt::Vector<ThreadTotals> threads;  // that loaded anything, by serial
    KindTotals totals;
    u64 left_out = 0;  // rows that are too small to matter; the totals have their loads
    // Times that counting began in a context when there was no more room for contexts: rows without calls
    // have it.
    u64 late_contexts = 0;
    bool complete = true;  // false: instructions were too many, the last ones are missing
};
// counters.cc: of all that happened so far; the program may go on after it. `report` is empty before.
void build(CodeReport& report);

// Computes the results so far, by instruction and by object, and replaces earlier ones.
void settle();
const CodeReport* code_report();  // as it was then; null when loads are not counted by instruction

}  // namespace memspy::zeros
