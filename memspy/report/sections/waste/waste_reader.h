// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads <waste>, and adds up what is about the same object and lines.
#pragma once

#include "report/catalog.h"
#include "report/sections/waste/records.h"

namespace memspy::report::waste {

enum WasteKindIndex : u32 { kDead, kSilent, kLoad, kKinds };
inline constexpr const char* kKindWords[kKinds] = {"dead", "silent", "load"};

struct WasteLine {
    u32 kind = 0;
    bool direct = false;  // in the own frame at a fixed place
    std::string object, function, line, killer, killer_line;
    u64 bytes = 0;
};

class WasteReader : public Catalog {
public:
    void record(const AnyRecord& record) override;
    void make_lines();  // all records have been read

    bool empty() const { return total_.stored == 0; }
    const Total& total() const { return total_; }
    const std::vector<WasteLine>& lines() const { return lines_; }  // most bytes first
    const std::vector<ThreadWaste>& threads() const { return threads_; }
    // By kind.
    u64 wasted(u32 kind) const;
    u64 direct(u32 kind) const;
    u64 whole(u32 kind) const {
        return kind == kLoad ? total_.loaded : total_.stored;
    }  // all stored, or loaded

private:
    template <typename T>
    WasteLine line_of(const T& record, u32 kind) const;
    void set_place(StackId stack, std::string& function, std::string& line) const;

    Total total_;
    std::vector<Dead> dead_;
    std::vector<Silent> silent_;
    std::vector<Again> again_;
    std::vector<ThreadWaste> threads_;
    std::vector<WasteLine> lines_;
};

}  // namespace memspy::report::waste
