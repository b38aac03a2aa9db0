// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mpi/type_matching.h"

#include <algorithm>

#include "rt/hash_map.h"

namespace memspy::mpi {
namespace {

struct LetterHead {
    u64 messages, places;  // followed by so many Lines and CallPlaces
};
struct SentLine {
    u64 way, hash, length;
    u32 place, thread;
};

// The messages of one way between two ranks, as far as they were compared.
struct WayState {
    u64 next;              // of the received ones
    u32 sender, receiver;  // threads; 0: none so far
    bool certain;
};

}  // namespace

MpiSignature signature_of(const MpiTypes& types, u64 bytes) {
    if (types.bytes == 0 || bytes % types.bytes != 0) return {0, 0};
    return mpi_repeated(types.element, bytes / types.bytes);
}

u64 TypeMatching::way_of(u64 group, u32 ordinal, i64 tag) {
    const u64 low = static_cast<u32>(tag), high = static_cast<u64>(tag) >> 32;
    const u64 key =
        (group ^ u64{ordinal} << 32 ^ low ^ high * 0xC2B2'AE3D'27D4'EB4Fu) * 0x9E37'79B9'7F4A'7C15u;
    return key ^ key >> 29;
}

void TypeMatching::clear() {
    sent_.clear();
    received_.clear();
    lost_ = false;
}

void TypeMatching::write_letter(i32 peer, const rt::Vector<CallLabel>& places, rt::Vector<u8>& letter) const {
    LetterHead head{0, places.size()};
    for (const Message& message : sent_) head.messages += message.peer == peer;
    if (head.messages == 0) head.places = 0;
    letter.resize(sizeof head + head.messages * sizeof(SentLine) + head.places * sizeof(CallLabel));
    u8* at = letter.data();
    const auto write = [&at](const void* from, usize bytes) {
        if (bytes != 0) __builtin_memcpy(at, from, bytes);
        at += bytes;
    };
    write(&head, sizeof head);
    for (const Message& message : sent_) {
        if (message.peer != peer) continue;
        const SentLine line{message.way, message.types.hash, message.types.length, message.row,
                            message.thread};
        write(&line, sizeof line);
    }
    write(places.data(), head.places * sizeof(CallLabel));
}

void TypeMatching::compare(i32 peer, const u8* letter, usize bytes, rt::Vector<Mismatch>& found) {
    LetterHead head{};
    if (bytes < sizeof head || lost_) return;
    __builtin_memcpy(&head, letter, sizeof head);
    if (bytes < sizeof head + head.messages * sizeof(SentLine) + head.places * sizeof(CallLabel)) return;
    const u8* const lines = letter + sizeof head;
    const u8* const places = lines + head.messages * sizeof(SentLine);

    // Indices of what came from the peer, by way, and in the order of posting.
    rt::Vector<u32> mine;
    for (u32 i = 0; i < received_.size(); ++i)
        if (received_[i].peer == peer) mine.push_back(i);
    std::sort(mine.begin(), mine.end(), [this](u32 a, u32 b) {
        const Message &left = received_[a], &right = received_[b];
        if (left.way != right.way) return left.way < right.way;
        return left.posted != right.posted ? left.posted < right.posted : a < b;
    });
    rt::HashMap<WayState> ways;
    for (usize i = 0; i < mine.size(); ++i) {
        const Message& message = received_[mine[i]];
        WayState& way = ways[message.way];
        if (way.receiver == 0) way = {.next = i, .sender = 0, .receiver = message.thread, .certain = true};
        way.certain &= way.receiver == message.thread;
    }
    const auto line_at = [lines](u64 i) {
        SentLine line;
        __builtin_memcpy(&line, lines + i * sizeof line, sizeof line);
        return line;
    };
    for (u64 i = 0; i < head.messages; ++i) {
        const SentLine line = line_at(i);
        WayState* way = ways.find(line.way);
        if (way == nullptr) continue;
        if (way->sender == 0) way->sender = line.thread;
        way->certain &= way->sender == line.thread;
    }
    rt::HashMap<u32> told;
    for (u64 i = 0; i < head.messages; ++i) {
        const SentLine line = line_at(i);
        WayState* way = ways.find(line.way);
        if (way == nullptr || !way->certain || way->next == mine.size()) continue;
        const Message& message = received_[mine[way->next]];
        if (message.way != line.way) continue;  // not received
        ++way->next;
        if (message.types.length == 0 || line.length == 0 || line.place >= head.places ||
            (message.types.length == line.length && message.types.hash == line.hash))
            continue;
        u32& before = told[u64{message.row} << 32 | line.place];
        if (before++ != 0) continue;
        Mismatch mismatch{.row = message.row, .sender = {}};
        __builtin_memcpy(&mismatch.sender, places + line.place * sizeof(CallLabel), sizeof(CallLabel));
        mismatch.sender.text[sizeof(CallLabel) - 1] = '\0';
        found.push_back(mismatch);
    }
}

}  // namespace memspy::mpi
