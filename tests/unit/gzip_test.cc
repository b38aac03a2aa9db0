// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that zlib reads what the tool compresses: texts like profiles, random bytes, runs, and all lengths around those
// of blocks, matches and buffers; and that a sink that fails is not asked again.
#include "rt/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>

namespace {

using memspy::rt::GzipWriter;

std::string compressed(const std::string& text, std::size_t piece) {
    std::string result;
    GzipWriter writer(
        [](const char* bytes, memspy::usize count, void* to) {
            static_cast<std::string*>(to)->append(bytes, count);
            return true;
        },
        &result);
    for (std::size_t at = 0; at < text.size(); at += piece) {
        const std::string part = text.substr(at, piece);
        EXPECT_TRUE(writer.write(part.data(), part.size()));
    }
    EXPECT_TRUE(writer.finish());
    return result;
}

std::string expanded(std::string file) {
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(file.data());
    stream.avail_in = static_cast<uInt>(file.size());
    std::string result;
    int status;
    do {
        char buffer[10'000];
        stream.next_out = reinterpret_cast<Bytef*>(buffer);
        stream.avail_out = sizeof buffer;
        status = inflate(&stream, Z_NO_FLUSH);
        result.append(buffer, sizeof buffer - stream.avail_out);
    } while (status == Z_OK);
    // The end is reached, and length and checksum were right.
    EXPECT_EQ(status, Z_STREAM_END);
    EXPECT_EQ(stream.avail_in, 0u);
    inflateEnd(&stream);
    return result;
}

TEST(Gzip, rows_of_a_profile_become_small) {
    std::string text;
    std::mt19937 random(1);
    for (int i = 0; i < 5'000; ++i)
        text += "  <row object=\"" + std::to_string(random() % 300) + "\" stack=\"" +
                std::to_string(random() % 3'000) + "\" thread=\"1\" loads=\"" +
                std::to_string(random() % 100) + "\"/>\n";
    const std::string file = compressed(text, 777);
    EXPECT_EQ(expanded(file), text);
    EXPECT_LT(file.size() * 4, text.size());
}

TEST(Gzip, all_bytes_come_back) {
    std::mt19937 random(2);
    for (const std::size_t length : {0u, 1u, 2u, 3u, 257u, 258u, 259u, 65'535u, 65'536u, 65'537u, 200'000u}) {
        for (const unsigned kinds : {1u, 2u, 10u, 256u}) {
            std::string text;
            while (text.size() < length) text += static_cast<char>(random() % kinds);
            EXPECT_EQ(expanded(compressed(text, 50'000)), text) << length << ' ' << kinds;
        }
    }
    // Repetitions at each distance of interest.
    for (const std::size_t distance : {1u, 2u, 4u, 5u, 8u, 9u, 1'000u, 32'767u, 32'768u, 32'769u}) {
        std::string text;
        while (text.size() < distance) text += static_cast<char>(random());
        for (std::size_t at = 0; text.size() < 2 * distance + 600; ++at) text += text[at];
        EXPECT_EQ(expanded(compressed(text, 100'000)), text) << distance;
    }
}

TEST(Gzip, a_failed_sink_is_left_alone) {
    int calls = 0;
    GzipWriter writer(
        [](const char*, memspy::usize, void* count) {
            ++*static_cast<int*>(count);
            return false;
        },
        &calls);
    std::mt19937 random(3);
    for (int i = 0; i < 500'000; ++i) {
        const char byte = static_cast<char>(random());
        writer.write(&byte, 1);
    }
    EXPECT_FALSE(writer.finish());
    EXPECT_EQ(calls, 1);
}

}  // namespace
