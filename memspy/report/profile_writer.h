// SPDX-License-Identifier: GPL-2.0-or-later
//
// From records back to the profile file, byte for byte as memspy itself writes it: by the same XmlWriter.
#pragma once

#include <ostream>

#include "report/model.h"
#include "report/xml_out.h"

namespace memspy::report {

class ProfileWriter : public ProfileHandler {
public:
    explicit ProfileWriter(std::ostream& out);

    // Records come in the order of the format.
    void header(const Header& record) override;
    void run(const Run& record) override;
    void module(const Module& record) override;
    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void thread(const Thread& record) override;
    void contention_model(const ContentionModel& record) override;
    void quality(const Quality& record) override;
    void total(const Total& record) override;
    void thread_counts(const ThreadCounts& record) override;
    void row(const Row& record) override;
    void pair(const Pair& record) override;
    void line(const Line& record) override;
    void group(const Group& record) override;
    void zeros_model(const ZerosModel& record) override;
    void zero_total(const ZeroTotal& record) override;
    void zero_row(const ZeroRow& record) override;
    void zero_object(const ZeroObject& record) override;

    void finish();

private:
    // Elements that hold records: the first four are always there.
    enum class Container : u8 { None, Modules, Stacks, Objects, Threads, Contention, Zeros };

    void enter(Container container);
    template <typename R>
    void attributes(const R& record);
    template <typename R>
    void element(const char* name, const R& record);
    template <typename R>
    void with_views(const char* name, const R& record);
    template <typename C>
    void views(const Views<C>& views);
    void advice(const std::vector<Advice>& list);

    XmlOut xml_;
    Container at_ = Container::None;
    bool open_ = false;
};

}  // namespace memspy::report
