// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads <waste>, and adds up what is about the same object and lines.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/catalog.h"
#include "report/sections/waste/records.h"

namespace memspy::report {
class SourceNames;
}

namespace memspy::report::waste {

enum WasteKindIndex : u32 { kDead, kSilent, kLoad, kKinds };
inline constexpr const char* kKindWords[kKinds] = {"dead", "silent", "load"};

struct WasteLine {
    u32 kind = 0;
    bool direct = false;  // in the own frame at a fixed place
    std::string object, field, function, line, killer, killer_line;
    u64 bytes = 0;
};

// The member of an object, or of each of its elements, at an offset: "entries[].key". Empty if that is all of it, or
// not known; `names` may be null.
std::string field_of(ObjectId object, u64 offset, u64 width, SourceNames* names);
template <typename T>
std::string field_of(const T& record, SourceNames* names) {
    return field_of(record.object, record.offset, record.width, names);
}

// The section's records as they are in the profile.
class WasteRecords {
public:
    void take(const AnyRecord& record);

    bool empty() const { return total_.stored == 0; }
    const Total& total() const { return total_; }
    const Model& model() const { return model_; }
    const std::vector<Dead>& dead() const { return dead_; }
    const std::vector<Silent>& silent() const { return silent_; }
    const std::vector<Again>& again() const { return again_; }
    const std::vector<ThreadWaste>& threads() const { return threads_; }
    // By kind.
    u64 wasted(u32 kind) const;
    u64 direct(u32 kind) const;
    u64 open(u32 kind) const;  // of a sample
    u64 whole(u32 kind) const {
        return kind == kLoad ? total_.loaded : total_.stored;
    }  // all stored, or loaded

private:
    Model model_;
    Total total_;
    std::vector<Dead> dead_;
    std::vector<Silent> silent_;
    std::vector<Again> again_;
    std::vector<ThreadWaste> threads_;
};

// The program's own code that makes the access, or that called the library that makes it.
void set_place(const Catalog& catalog, StackId stack, std::string& function, std::string& line);

class WasteReader : public Catalog, public WasteRecords {
public:
    using WasteRecords::threads;
    void record(const AnyRecord& record) override { take(record); }
    // All records have been read. `names`: of fields; null: none.
    void make_lines(SourceNames* names);

    const std::vector<WasteLine>& lines() const { return lines_; }  // most bytes first

private:
    template <typename T>
    WasteLine line_of(const T& record, u32 kind, SourceNames* names) const;

    std::vector<WasteLine> lines_;
};

}  // namespace memspy::report::waste
