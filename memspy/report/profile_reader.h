// SPDX-License-Identifier: GPL-2.0-or-later
//
// From the profile file to records. Elements and attributes that the format does not have are skipped, so
// that a file of a later memspy with the same format number can be read; `skipped()` names the elements. A
// record may only refer to records before it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/model.h"
#include "report/section.h"
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
    // Ids that the file has defined; they are small and dense.
    class KnownIds {
    public:
        void add(u32 id) {
            if (id >= known_.size()) {
                // A manipulated file may have any number.
                if (id > 2 * known_.size() + 1024) {
                    sparse_.insert(id);
                    return;
                }
                known_.resize(id + 1);
            }
            known_[id] = true;
        }
        bool has(u32 id) const {
            return id == 0 || (id < known_.size() && known_[id]) || sparse_.contains(id);
        }

    private:
        std::vector<bool> known_;
        std::set<u32> sparse_;
    };

    // The parts of the document in which a record is looked for. Returns false for an unknown element.
    bool enter_in_profile(std::string_view name, std::span<const XmlAttribute> attributes);
    bool enter_in_container(std::string_view name, std::span<const XmlAttribute> attributes);
    void enter_section(const Section& section, std::span<const XmlAttribute> attributes);
    // Returns false if the section does not have the element.
    bool enter_record(std::string_view name, std::span<const XmlAttribute> attributes);
    void leave_record();
    void hand_over(const RecordType& type, const void* record);
    void want(Value::Kind kind, u32 id) const;
    // A record outside the sections; `take` is called when it is complete.
    template <typename R>
    void open(R& record, std::string_view name, std::span<const XmlAttribute> attributes,
              void (*take)(ProfileReader&));

    ProfileHandler& handler_;
    StringPool& strings_;
    std::vector<In> path_;
    int skipping_ = 0;  // depth inside an element that is skipped
    std::string text_;
    std::set<std::string> skipped_;

    // The records that are being read.
    Run run_;
    Module module_;
    Stack stack_;
    Object object_;
    Thread thread_;
    void (*take_)(ProfileReader&) = nullptr;  // null in a section
    std::string_view element_;                // of the record, for messages
    const Section* section_ = nullptr;
    bool begun_ = false;  // it has begun a record
    const RecordType* type_ = nullptr;
    std::vector<OpenElement> open_;  // the record and its parts
    std::map<const RecordType*, std::shared_ptr<void>> records_;

    // The frames of the stack that has ended, from those that it names and those that it holds.
    void gather_frames();

    std::vector<u64> frame_numbers_, held_numbers_;  // of the stack that is being read
    std::unordered_map<u64, Frame> frames_;          // of all stacks before, by number

    KnownIds modules_, stacks_, objects_, threads_;
    std::vector<u32> object_threads_;  // threads that objects refer to, until threads are known
};

}  // namespace memspy::report
