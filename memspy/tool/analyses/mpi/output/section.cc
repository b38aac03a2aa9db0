// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <mpi> of the profile file.
#include "analyses/mpi/mpi.h"
#include "profile/profile.h"
#include "vg/vg.h"

namespace memspy::fields::mpi {
#define MEMSPY_FIELDS "fields/mpi.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::mpi

namespace memspy::mpi {
namespace {

using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::mpi;

bool has_data() { return communication().rank() >= 0; }

void collect(ProfileNeeds& needs) {
    for (const CallRow& row : communication().rows()) needs.stack(row.context);
    if (reported_wait().call != nullptr) needs.stack(reported_wait().context);
    for (const MessageRaces::OpenReceives& each : open_receives()) needs.stack(each.context);
}

// Numbers one behind the other, as the text of an element.
class Numbers {
public:
    void add(u64 number) {
        HChar digits[24];
        const UInt length = VG_(sprintf)(digits, "%llu ", static_cast<ULong>(number));
        for (UInt i = 0; i < length; ++i) text_.push_back(digits[i]);
    }
    void add_signed(i64 number) { add(number < 0 ? 0 : static_cast<u64>(number)); }
    void write(XmlWriter& xml, const char* element, u64 rank) {
        if (text_.empty()) return;
        xml.open(element);
        xml.attribute(names::Sends::rank, rank);
        write(xml);
        xml.close();
    }
    void write(XmlWriter& xml) {
        if (text_.empty()) return;
        text_.back() = '\0';
        xml.text(text_.data());
    }

private:
    rt::Vector<char> text_;
};

void write_row(XmlWriter& xml, const CallRow& row, u64 number, u64 rank) {
    xml.open(names::kCall);
    xml.attribute(names::Call::rank, rank);
    xml.attribute(names::Call::number, number);
    xml.attribute(names::Call::name, name_of(row.call));
    xml.attribute(names::Call::pattern, word_of(pattern_of(row.call)));
    xml.attribute(names::Call::stack, static_cast<u64>(row.context));
    xml.attribute_unless_zero(names::Call::communicator, static_cast<u64>(row.comm));
    xml.attribute(names::Call::calls, row.calls);
    xml.attribute_unless_zero(names::Call::sent, row.sent);
    xml.attribute_unless_zero(names::Call::received, row.received);
    xml.attribute_unless_zero(names::Call::microseconds, row.time);
    xml.attribute_unless_zero(names::Call::worked, row.worked);
    for (u32 i = 0; i < kSizeClasses; ++i) {
        if (row.sizes[i] == 0) continue;
        xml.open(names::Call::sizes);
        xml.attribute(names::Sizes::below, u64{1} << i);
        xml.attribute(names::Sizes::calls, row.sizes[i]);
        xml.close();
    }
    xml.close();
}

u64 first_time(const Communication& all) {
    u64 first = ~u64{0};
    const auto see = [&first](u64 time) { first = time < first ? time : first; };
    for (const SendEvent& event : all.sends()) see(event.begin);
    for (const ReceiveEvent& event : all.receives()) see(event.posted);
    for (const CollectiveEvent& event : all.collectives()) see(event.begin);
    return first == ~u64{0} ? 0 : first;
}

void write_events(XmlWriter& xml, const Communication& all, u64 rank, u64 began) {
    Numbers sends, receives, collectives;
    for (const SendEvent& event : all.sends()) {
        sends.add(static_cast<u64>(event.comm));
        sends.add_signed(event.peer);
        sends.add_signed(event.tag);
        sends.add(u64{event.row} + 1);
        sends.add(event.begin - began);
        sends.add(event.end - began);
    }
    for (const ReceiveEvent& event : all.receives()) {
        receives.add(static_cast<u64>(event.comm));
        receives.add_signed(event.peer);
        receives.add_signed(event.tag);
        receives.add(u64{event.row} + 1);
        receives.add(event.posted - began);
        receives.add(event.begin - began);
        receives.add(event.end - began);
    }
    for (const CollectiveEvent& event : all.collectives()) {
        collectives.add(static_cast<u64>(event.comm));
        collectives.add(u64{event.row} + 1);
        collectives.add(event.begin - began);
        collectives.add(event.end - began);
    }
    sends.write(xml, names::kSends, rank);
    receives.write(xml, names::kReceives, rank);
    collectives.write(xml, names::kCollectives, rank);
}

void write_wait(XmlWriter& xml, const RankWait& wait, u64 rank) {
    xml.open(names::kWait);
    xml.attribute(names::Wait::rank, rank);
    xml.attribute(names::Wait::call, wait.call);
    xml.attribute(names::Wait::stack, static_cast<u64>(wait.context));
    xml.attribute_unless_zero(names::Wait::communicator, static_cast<u64>(wait.comm));
    xml.attribute_unless_zero(names::Wait::operation, wait.operation);
    xml.yes_or_no(names::Wait::any, wait.any);
    Numbers ranks;
    for (const i32 each : wait.ranks) ranks.add_signed(each);
    ranks.write(xml);
    xml.close();
}

void write_left(XmlWriter& xml, const LeftMessage& left, u64 rank) {
    if (left.from < 0 || left.tag < 0) return;
    xml.open(names::kUnreceived);
    xml.attribute(names::Unreceived::rank, rank);
    xml.attribute(names::Unreceived::from, static_cast<u64>(left.from));
    xml.attribute(names::Unreceived::tag, static_cast<u64>(left.tag));
    xml.attribute_unless_zero(names::Unreceived::communicator, static_cast<u64>(left.comm));
    if (left.sent_by.text[0] != '\0') xml.attribute(names::Unreceived::sent_by, left.sent_by.text);
    xml.attribute(names::Unreceived::messages, left.messages);
    xml.close();
}

void write(XmlWriter& xml) {
    const Communication& all = communication();
    const u64 began = first_time(all), rank = static_cast<u64>(all.rank());
    xml.open(names::kSection);
    xml.open(names::kRank);
    xml.attribute(names::Rank::rank, rank);
    xml.attribute(names::Rank::size, static_cast<u64>(all.size()));
    xml.attribute_unless_zero(names::Rank::open_requests, all.open_requests());
    xml.attribute_unless_zero(names::Rank::events_left_out, all.events_left_out());
    xml.attribute(names::Rank::began, began);
    xml.close();
    for (usize i = 0; i < all.communicators().size(); ++i) {
        const Communicator& comm = all.communicators()[i];
        xml.open(names::kCommunicator);
        xml.attribute(names::Communicator::rank, rank);
        xml.attribute(names::Communicator::number, i + 1);
        if (comm.name[0] != '\0') xml.attribute(names::Communicator::name, comm.name);
        xml.attribute(names::Communicator::size, u64{comm.size});
        xml.hexadecimal(names::Communicator::group, comm.group);
        xml.attribute_unless_zero(names::Communicator::ordinal, u64{comm.ordinal});
        xml.attribute_unless_zero(names::Communicator::operations, comm.operations);
        xml.close();
    }
    for (usize i = 0; i < all.rows().size(); ++i) write_row(xml, all.rows()[i], i + 1, rank);
    for (const Peer& peer : all.peers()) {
        xml.open(names::kPeer);
        xml.attribute(names::Peer::rank, rank);
        xml.attribute(names::Peer::peer, static_cast<u64>(peer.rank));
        xml.attribute_unless_zero(names::Peer::sent, peer.sent);
        xml.attribute_unless_zero(names::Peer::fetched, peer.fetched);
        xml.close();
    }
    write_events(xml, all, rank, began);
    if (reported_wait().call != nullptr) write_wait(xml, reported_wait(), rank);
    for (const LeftMessage& left : left_messages()) write_left(xml, left, rank);
    for (const MessageRaces::OpenReceives& each : open_receives()) {
        if (each.open == 0) continue;
        xml.open(names::kOpenReceives);
        xml.attribute(names::OpenReceives::rank, rank);
        xml.attribute(names::OpenReceives::call, name_of(each.call));
        xml.attribute(names::OpenReceives::stack, static_cast<u64>(each.context));
        xml.attribute(names::OpenReceives::receives, each.receives);
        xml.attribute(names::OpenReceives::open, each.open);
        xml.close();
    }
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::mpi
