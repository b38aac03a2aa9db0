// SPDX-License-Identifier: GPL-2.0-or-later
//
// The modules, stacks and objects that the records of a profile refer to, kept while records are streamed,
// and their names in texts. Each frame is kept once, so stacks are lists of small numbers.
//
// Commands that need it derive their handler from it.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "report/id_index.h"
#include "report/model.h"
#include "report/own_code.h"

namespace memspy::report {

using FrameIndex = u32;

class Catalog : public ProfileHandler {
public:
    void header(const Header& record) override { header_ = record; }
    void run(const Run& record) override { runs_.push_back(record); }
    void module(const Module& record) override;
    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void thread(const Thread&) override { ++threads_; }

    const Header& header_record() const { return header_; }
    const std::vector<Run>& runs() const { return runs_; }
    u64 threads() const { return threads_; }

    // Null or empty for numbers that the file does not define.
    const Module* find_module(ModuleId id) const;
    const Object* find_object(ObjectId id) const;
    std::span<const FrameIndex> frames_of(StackId id) const;
    const Frame& frame(FrameIndex index) const { return frames_[index]; }

    // A stack of this frame alone, for records without a stack.
    StackId stack_of(const Frame& frame);

    // `worker (pool.c:12)`, without parameters, or with less information: `worker (in libx.so)`, `0x1234 (in
    // libx.so)`.
    std::string label(const Frame& frame) const;
    // `worker`, without parameters, or `(no symbol, in libx.so)`; "" if nothing is known.
    std::string function_of(const Frame& frame) const;
    // The variable's name; of a block its type, the variable that has it, and the place of its allocation:
    // `int[9] next of grow (list.c:7)`, `heap block of grow (list.c:7)`.
    std::string label(const Object& object) const;
    std::string label(ObjectId id) const;
    // The first frame of a stack that is the program's own code: not an allocation function, not in a system
    // library, and not inlined from a system header. If there is none because nothing has source lines, the
    // first one of the program's files, if it has a name; or else the first one with a name in a library,
    // which for a block does not only allocate.
    enum class SiteOf : u8 { Access, Allocation };
    const Frame* site(StackId id, SiteOf what = SiteOf::Access) const;
    // The frame's number; ~0 if the stack has no frame. For an access, code without a source line counts as
    // the program's own.
    FrameIndex own_frame(StackId id) const;
    void set_own(OwnCode own) { own_ = std::move(own); }

    bool is_own(const Frame& frame) const;
    // It is not in a file of the system's, or of the tool's.
    bool may_change(const Frame& frame) const;
    // The places in the stack of the frames that trees of calls show, innermost first: the program's own
    // code; if it has no debug information, that of files that are not the system's; if there is none, the
    // innermost frame.
    std::vector<std::size_t> program_frames(StackId id) const;
    // The innermost frame that is not an allocation function's replacement.
    FrameIndex first_frame(std::span<const FrameIndex> frames) const;

    // Whether advice is for the user: on an access by the innermost instruction of this stack, with the
    // functions that are inlined there; on this object; on the code of this file.
    bool may_change(StackId stack) const;
    bool may_change(ObjectId object) const;
    bool may_change(const std::string& file) const { return own_.may_change({}, file); }

private:
    FrameIndex keep(const Frame& frame);
    std::string block_label(const Object& object) const;

    OwnCode own_;

    struct FrameHash {
        const std::deque<Frame>* frames;
        std::size_t operator()(FrameIndex index) const;
    };
    struct FrameEqual {
        const std::deque<Frame>* frames;
        bool operator()(FrameIndex left, FrameIndex right) const {
            return (*frames)[left] == (*frames)[right];
        }
    };

    Header header_;
    std::vector<Run> runs_;
    u64 threads_ = 0;
    std::deque<Module> modules_;
    IdIndex module_index_;
    std::deque<Object> objects_;
    IdIndex object_index_;
    std::deque<Frame> frames_;
    std::unordered_set<FrameIndex, FrameHash, FrameEqual> known_frames_{0, FrameHash{&frames_},
                                                                        FrameEqual{&frames_}};
    std::vector<FrameIndex> stack_frames_;  // of all stacks, in order
    std::vector<u32> stack_ends_;           // indices in stack_frames_
    IdIndex stack_index_;
    std::map<FrameIndex, StackId> own_stacks_;  // of stack_of()
};

// "heap block", or "heap blocks" if there are several.
std::string block_words(const Object& object);
// A function's name as its author knows it (rt/function_name.h): `JobQueue::submit`.
std::string bare_function(std::string_view name);
// The last part of a path.
std::string_view base_name(std::string_view path);
std::string hexadecimal(Address address);
// `file.c:12`, or empty.
std::string source_place(const Frame& frame);

}  // namespace memspy::report
