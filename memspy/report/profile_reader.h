// SPDX-License-Identifier: GPL-2.0-or-later
//
// From the profile file to records. Elements and attributes that the format does not have are passed over, so
// that a file of a later memspy with the same format number can be read; `skipped()` names the elements.
#pragma once

#include <set>
#include <string>

#include "report/model.h"
#include "report/string_pool.h"
#include "report/xml_stream.h"

namespace memspy::report {

class ProfileReader : public XmlSink {
public:
    ProfileReader(ProfileHandler& handler, StringPool& strings) : handler_(handler), strings_(strings) {}

    void start(std::string_view name, std::span<const XmlAttribute> attributes) override;
    void end(std::string_view name) override;
    void text(std::string_view part) override { append_text(text_, part); }

    const std::set<std::string>& skipped() const { return skipped_; }

private:
    enum class In : u8;

    In child(std::string_view name) const;
    template <typename R>
    void read(R& record, std::string_view name, std::span<const XmlAttribute> attributes);
    void views(bool modelled, std::string_view name, std::span<const XmlAttribute> attributes);

    ProfileHandler& handler_;
    StringPool& strings_;
    std::vector<In> path_;
    int skipping_ = 0;  // depth inside an element that is passed over
    std::string text_;
    std::set<std::string> skipped_;

    // The records that are being read.
    Run run_;
    Stack stack_;
    ContentionModel model_;
    bool has_model_ = false;  // of the section that is being read
    Total total_;
    ThreadCounts thread_counts_;
    Row row_;
    Pair pair_;
    Line line_;
    Group group_;
    ZeroTotal zero_total_;
    ZeroRow zero_row_;
    ZeroObject zero_object_;
    Advice advice_;
};

}  // namespace memspy::report
