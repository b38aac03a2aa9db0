// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that a byte of a frame gets the name that the program itself knows, in every form that compilers give
// debug information (the build compiles the fixture in several), and that broken files do no harm.
#include "dwarf/variables.h"

#include <gtest/gtest.h>
#include <link.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "dwarf/statics.h"
#include "frame_fixture.h"

namespace {

using namespace memspy;

struct Question {
    dwarf::FrameByte byte;
    std::string expected;
};
std::vector<Question> questions;

Address load_bias() {
    Address bias = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* result) {
            *static_cast<Address*>(result) = info->dlpi_addr;
            return 1;  // the program itself comes first
        },
        &bias);
    return bias;
}

u64 fixture_code() { return reinterpret_cast<Address>(&fixture_statics) - load_bias(); }

std::vector<u8> own_file() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string answer(const std::vector<u8>& file, const dwarf::FrameByte& byte) {
    rt::Text text;
    return dwarf::add_variable(text, dwarf::Sections({file.data(), file.size()}), byte) ? text.c_str() : "";
}

TEST(Variables, are_those_of_the_program) {
    questions.clear();
    fixture_run(1);
    fixture_run(2);
    fixture_aligned(9);
    ASSERT_GT(questions.size(), 20u);
    const std::vector<u8> file = own_file();
    for (const Question& question : questions) EXPECT_EQ(answer(file, question.byte), question.expected);
}

// The list of a frame's variables and the search for the variable of one byte agree: on each byte of each variable, and on
// which bytes belong to none.
TEST(Variables, are_listed_with_their_bytes) {
    const std::vector<u8> file = own_file();
    const dwarf::Sections sections({file.data(), file.size()});
    unsigned compared = 0;
    for (const Question& question : questions) {
        dwarf::FrameByte byte = question.byte;
        byte.bytes = 1;
        byte.pointers = {};
        struct Found {
            const dwarf::FrameByte* byte;
            std::string name;
        } found{&byte, ""};
        dwarf::for_each_variable(
            sections, byte,
            [](const dwarf::ListedVariable& variable, void* argument) {
                auto& into = *static_cast<Found*>(argument);
                const i64 inside = into.byte->from_end - variable.from_end;
                EXPECT_NE(variable.line, 0u) << variable.name;
                if (into.name.empty() && inside >= 0 && static_cast<u64>(inside) < variable.bytes)
                    into.name = variable.name;
            },
            &found);
        // "variable `rows[1].sum`", "padding of variable `row`"
        const std::string said = answer(file, byte);
        const std::size_t quote = said.find('`');
        std::string path = quote == said.npos ? "" : said.substr(quote + 1);
        if (path.starts_with("__")) path.clear();  // the compiler's own
        EXPECT_EQ(found.name, path.substr(0, path.find_first_of("`.["))) << said;
        compared += found.name.empty() ? 0 : 1;
    }
    EXPECT_GT(compared, 10u);
}

TEST(Statics, have_parts_and_lines) {
    fixture_statics([](const StaticQuestion& question) {
        const std::vector<u8> file = own_file();
        dwarf::StaticPart part;
        const u64 address = reinterpret_cast<Address>(question.address) - load_bias();
        ASSERT_TRUE(dwarf::find_static(dwarf::Sections({file.data(), file.size()}), fixture_code(), address,
                                       question.bytes, &part))
            << question.path;
        EXPECT_STREQ(part.path.c_str(), question.path);
        EXPECT_STREQ(part.file.c_str(), "frame_fixture.cc");
        if (question.line != 0) {
            EXPECT_EQ(part.line, static_cast<u64>(question.line)) << question.path;
        }
        EXPECT_EQ(part.end - part.begin, question.bytes);
        EXPECT_EQ(part.begin, address);
    });
}

// What stands beside all variables, and code that is no function's.
TEST(Variables, other_bytes_have_none) {
    const std::vector<u8> file = own_file();
    dwarf::FrameByte byte = questions.at(0).byte;
    byte.from_end = byte.from_frame_pointer = byte.from_stack_pointer = 100'000;
    EXPECT_EQ(answer(file, byte), "");
    byte = questions.at(0).byte;
    byte.pc = 1;
    EXPECT_EQ(answer(file, byte), "");
}

TEST(Variables, broken_files_do_no_harm) {
    const std::vector<u8> file = own_file();
    const dwarf::Sections sections({file.data(), file.size()});
    std::mt19937 random(1);
    for (int round = 0; round < 400; ++round) {
        std::vector<u8> broken = file;
        for (const dwarf::FileBytes part :
             {sections.info, sections.abbrev, sections.aranges, sections.rnglists, sections.loclists,
              sections.addr, sections.str_offsets, sections.line}) {
            if (part.empty()) continue;
            const auto start = static_cast<usize>(part.data - file.data());
            // What the fixture needs stands near the front.
            for (int i = 0; i < 12; ++i)
                broken[start + random() % std::min<usize>(part.size, 4000)] = static_cast<u8>(random());
        }
        if (round % 4 == 0) broken.resize(random() % broken.size());
        if (round % 4 == 1) broken[random() % 64] = static_cast<u8>(random());
        answer(broken, questions[static_cast<usize>(round) % questions.size()].byte);
        dwarf::StaticPart part;
        dwarf::find_static(dwarf::Sections({broken.data(), broken.size()}), fixture_code(),
                           fixture_code() + 0x4000, 1, &part);
    }
}

}  // namespace

void fixture_ask(const char* address, void* frame_end, usize stack_pointer, void* frame_pointer,
                 const char* expected) {
    const auto at = reinterpret_cast<Address>(address);
    const auto distance = [at](Address from) { return static_cast<i64>(at - from); };
    const Address pc = reinterpret_cast<Address>(__builtin_return_address(0)) - 1;
    questions.push_back({{.pc = pc - load_bias(),
                          .from_end = distance(reinterpret_cast<Address>(frame_end)),
                          .from_stack_pointer = distance(stack_pointer),
                          .from_frame_pointer = distance(reinterpret_cast<Address>(frame_pointer))},
                         expected == nullptr ? "" : expected});
}
