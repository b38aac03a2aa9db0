// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is found by code: the values of each load instruction, by calling context, and the totals of each
// thread.
#pragma once

#include "instrument/zeros/element.h"
#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::zeros {

using instrument::ElementKind;
using instrument::kMostCells;
using instrument::Uses;
using instrument::ValueType;

// Counts of elements of one type.
struct LoadCounts {
    u64 elements = 0;
    u64 zero = 0;                // all cells redundant
    u64 redundant = 0;           // cells
    u64 cells[kMostCells] = {};  // how often cell i was redundant
    // Of integers of eight bytes: a value was neither zero nor an address (analyses/zeros/client_memory.h).
    bool numbers = false;

    void add(const LoadCounts& other) {
        elements += other.elements;
        zero += other.zero;
        redundant += other.redundant;
        numbers |= other.numbers;
        for (u32 i = 0; i < kMostCells; ++i) cells[i] += other.cells[i];
    }
};

// The loads of one type by one instruction, from one context, by all threads. If contexts are limited
// (--zeros-context), `path` has the last calls only.
struct LoadRow {
    Address instruction = 0;
    threads::CallPath path = threads::CallPath::Root;
    ValueType type;
    Uses uses;
    u32 threads = 0;       // number of threads with such loads
    bool finding = false;  // worth reporting
    LoadCounts counts;

    u64 loads() const { return counts.elements / type.lanes(); }
};

// Sums over loads of many types. Fractions of floats are by cells, so `cells` counts bytes of integers and
// cells of floats.
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
    rt::Vector<ThreadTotals> threads;  // threads with loads, by serial; then those without a name, as 0
    KindTotals totals;
    u64 left_out = 0;  // rows that are too small to matter; the totals include their loads
    // How often counting began in a new context when there was no more memory for contexts. Rows without
    // calls have these loads.
    u64 late_contexts = 0;
    bool complete = true;  // false: there were too many instructions, the last ones are missing
};

}  // namespace memspy::zeros
