// SPDX-License-Identifier: GPL-2.0-or-later
//
// Proves that arrays of functions that clang compiled for ARM64 (arm64_frames.c; the build links it in several
// forms) have their places in the frame, most of them told from the stack pointer, and that frames have the
// sizes that the compiler says in .stack_sizes. Runs on any machine: the processor is the file's.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "dwarf/fixed_frame.h"
#include "dwarf/variables.h"

namespace {

using namespace memspy;

struct Fixture {
    std::vector<u8> bytes;
    std::map<std::string, u64> functions;
    std::map<u64, u64> sizes;  // of frames, by functions; none of those that change

    Fixture() {
        std::ifstream file(MEMSPY_ARM64_FRAMES, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
        const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
        const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
        const auto* names = text(sections[header->e_shstrndx].sh_offset);
        for (unsigned i = 0; i < header->e_shnum; ++i) {
            const Elf64_Shdr& section = sections[i];
            if (section.sh_type == SHT_SYMTAB) read_symbols(section, sections[section.sh_link].sh_offset);
            if (std::strcmp(names + section.sh_name, ".stack_sizes") == 0) read_sizes(section);
        }
    }
    dwarf::Sections sections() const { return dwarf::Sections({bytes.data(), bytes.size()}); }

private:
    const char* text(u64 offset) const { return reinterpret_cast<const char*>(bytes.data() + offset); }
    void read_symbols(const Elf64_Shdr& section, u64 names) {
        const auto* symbols = reinterpret_cast<const Elf64_Sym*>(bytes.data() + section.sh_offset);
        for (u64 i = 0; i < section.sh_size / sizeof *symbols; ++i)
            if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC)
                functions[text(names + symbols[i].st_name)] = symbols[i].st_value;
    }
    void read_sizes(const Elf64_Shdr& section) {
        dwarf::Cursor cursor({bytes.data() + section.sh_offset, section.sh_size});
        while (!cursor.at_end()) {
            const u64 function = cursor.number(8);
            sizes[function] = cursor.uleb();
        }
    }
};

const Fixture& fixture() {
    static const Fixture read;
    return read;
}

struct Listed {
    i64 from_end;
    u64 bytes;
};
std::map<std::string, Listed> places_of(const std::string& function, u64 end) {
    std::map<std::string, Listed> places;
    dwarf::FrameByte frame;
    frame.pc = fixture().functions.at(function);
    frame.from_stack_pointer = dwarf::FrameByte::kUnknownSize;
    frame.from_frame_pointer = dwarf::FrameByte::kUnknownFramePointer;
    frame.end = end;
    dwarf::for_each_place(
        fixture().sections(), frame,
        [](const dwarf::ListedVariable& variable, void* into) {
            (*static_cast<std::map<std::string, Listed>*>(into))[variable.name] = {variable.from_end, variable.bytes};
        },
        &places);
    return places;
}

TEST(VariablesArm64, frames_have_the_sizes_that_the_compiler_says) {
    ASSERT_GE(fixture().sizes.size(), 4u);
    for (const auto& [name, function] : fixture().functions) {
        const auto size = fixture().sizes.find(function);
        if (size == fixture().sizes.end() || name == "aligned") continue;
        const dwarf::FixedFrame frame = dwarf::fixed_frame(fixture().sections().code_at(function), 0, dwarf::Processor::Arm64);
        EXPECT_EQ(frame.size, static_cast<i64>(size->second)) << name;
        EXPECT_TRUE(frame.ends_by_sub) << name;
    }
}

TEST(VariablesArm64, arrays_have_places_in_their_frames) {
    const struct {
        const char *function, *array;
        u64 bytes, alignment;
    } expected[] = {
        {"leaf", "table", 64, 4},          {"calls", "values", 320, 8},
        {"pages", "text", 70'000, 1},      {"aligned", "line", 32, 64},
        {"variable_length", "fixed", 800, 4}, {"aligned_variable_length", "line", 32, 64},
        {"many", "four", 16, 4},
    };
    for (const auto& [function, array, bytes, alignment] : expected)
        for (const u64 end : {0x400u, 0x410u, 0x430u}) {
            const std::map<std::string, Listed> places = places_of(function, end);
            const auto found = places.find(array);
            ASSERT_TRUE(found != places.end()) << function << ' ' << array;
            const i64 size = dwarf::fixed_frame(fixture().sections().code_at(fixture().functions.at(function)),
                                                end, dwarf::Processor::Arm64)
                                 .size;
            EXPECT_EQ(found->second.bytes, bytes) << function;
            EXPECT_EQ((static_cast<i64>(end) + found->second.from_end) % static_cast<i64>(alignment), 0) << function;
            EXPECT_GE(found->second.from_end, -size) << function;
            for (const auto& [other, place] : places) {
                EXPECT_LE(place.from_end + static_cast<i64>(place.bytes), other == "l" || other == "k" ? 32 : 0) << function << ' ' << other;
                if (other == array) continue;
                EXPECT_TRUE(place.from_end >= found->second.from_end + static_cast<i64>(bytes) ||
                            place.from_end + static_cast<i64>(place.bytes) <= found->second.from_end)
                    << function << ' ' << other;
            }
        }
}

// A byte of an array gets its name, from the stack pointer as it is and from a frame whose size nobody knows.
TEST(VariablesArm64, bytes_have_names) {
    const u64 function = fixture().functions.at("calls");
    const Listed values = places_of("calls", 0).at("values");
    const i64 size = static_cast<i64>(fixture().sizes.at(function));
    for (const bool is_known : {true, false}) {
        dwarf::FrameByte byte;
        byte.pc = function + 32;
        byte.from_end = values.from_end + 5 * 8;
        byte.from_stack_pointer = is_known ? byte.from_end + size : dwarf::FrameByte::kUnknownSize;
        byte.from_frame_pointer = dwarf::FrameByte::kUnknownFramePointer;
        byte.bytes = 8;
        rt::Text text;
        EXPECT_TRUE(dwarf::add_variable(text, fixture().sections(), byte));
        EXPECT_STREQ(text.c_str(), "variable `values[5]`");
    }
}

}  // namespace
