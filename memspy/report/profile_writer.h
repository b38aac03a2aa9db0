// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes records back to a profile file, byte for byte as memspy itself writes it, by the same XmlWriter.
#pragma once

#include <ostream>
#include <unordered_map>

#include "report/folding.h"
#include "report/model.h"
#include "report/section.h"
#include "report/xml_out.h"

namespace memspy::report {

class ProfileWriter : public ProfileHandler {
public:
    explicit ProfileWriter(std::ostream& out);

    // Records must come in the order of the format.
    void header(const Header& record) override;
    void run(const Run& record) override;
    void module(const Module& record) override;
    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void thread(const Thread& record) override;
    void record(const AnyRecord& record) override;

    void finish();

private:
    // Elements that hold records and are always present.
    enum class Container : u8 { None, Modules, Stacks, Objects, Threads, Sections };

    void enter(Container container);
    void leave_section();
    template <typename R>
    void element(const char* name, const R& record);

    XmlOut xml_;
    Container at_ = Container::None;
    bool open_ = false;
    const Section* section_ = nullptr;
    struct WrittenFrameHash {
        std::size_t operator()(const Frame& frame) const { return hash_of_fields(frame, frame.ip.value); }
    };
    std::unordered_map<Frame, u64, WrittenFrameHash> frame_numbers_;  // of those that were written
};

}  // namespace memspy::report
