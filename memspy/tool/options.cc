// SPDX-License-Identifier: GPL-2.0-or-later
//
// Options: parser and help text, both driven by the table options.def.
//
// The core's VG_*_CLO macros are statement expressions that assign to any type, each with its own
// conversions; a small loop over a table does the same here. The parts that the core needs are kept:
// VG_(check_clom) is called for every option, so that vgdb's "v.clo" can list and change the dynamic ones.
#include "options.h"

#include "vg/vg.h"

namespace memspy {
namespace {

constexpr Options kDefaults{};
constinit Options g_options{};

bool equal(const char* a, const char* b) { return VG_(strcmp)(a, b) == 0; }

// The index of `value` in "word|word|word", or -1.
int word_index(const char* words, const char* value) {
    const usize length = static_cast<usize>(VG_(strlen)(value));
    int index = 0;
    for (const char* word = words;;) {
        const char* end = word;
        while (*end != '\0' && *end != '|') ++end;
        if (static_cast<usize>(end - word) == length && VG_(strncmp)(word, value, length) == 0) return index;
        if (*end == '\0') return -1;
        word = end + 1;
        ++index;
    }
}

// PERCENT[.DECIMALS], stored in millionths.
void assign_percentage(const char* argument, const char* value, u32* result) {
    const char* text = value;
    u64 parsed = 0, unit = 10'000;  // of the digit before the point
    bool good = false;
    for (; VG_(isdigit)(*text) && parsed <= 100; ++text, good = true)
        parsed = parsed * 10 + static_cast<u64>(*text - '0');
    parsed *= unit;
    if (*text == '.')
        for (++text; VG_(isdigit)(*text); ++text) parsed += (unit /= 10) * static_cast<u64>(*text - '0');
    if (!good || *text != '\0' || parsed > 1'000'000)
        bad_option_value(argument, value, "a percentage, 0 to 100, such as 0.5");
    else
        *result = static_cast<u32>(parsed);
}

enum class Type : u8 {
    Bool,
    Choice,
    Set,
    Number,
    Percent,
    Byte,
    Text,
    Special,
    Accepted,
    Hidden,
    Group,
    Further
};

struct OptionEntry {
    Type type;
    Clo_Mode modes;
    const char* name;           // with the leading --
    const char* values;         // as in the help text
    const char* fixed_default;  // Text, Special and Accepted; else the default comes from kDefaults
    const char* help;
    const char* tokens;  // Set
    usize offset;        // the member's offset in Options
    i64 low, high;       // Number
    // Special
    void (*handler)(const char* argument, const char* value);
};

constexpr Clo_Mode kStart = cloP;
constexpr Clo_Mode kAlways = static_cast<Clo_Mode>(cloPD);

#define MEMBER(name) offsetof(Options, name)
constexpr OptionEntry kEntries[] = {
#define MEMSPY_BOOL(when, member, name, value, help)                                                         \
    {Type::Bool, k##when, "--" name, "no|yes", nullptr, help, nullptr, MEMBER(member), 0, 0, nullptr},
#define MEMSPY_CHOICE(when, type, member, name, words, value, help)                                          \
    {Type::Choice, k##when, "--" name, words, nullptr, help, nullptr, MEMBER(member), 0, 0, nullptr},
#define MEMSPY_SET(when, member, name, tokens, values, value, help)                                          \
    {Type::Set, k##when, "--" name, values, nullptr, help, tokens, MEMBER(member), 0, 0, nullptr},
#define MEMSPY_NUMBER(when, member, name, value, low, high, help)                                            \
    {Type::Number, k##when,        "--" name, "<number>", nullptr, help,                                     \
     nullptr,      MEMBER(member), low,       high,       nullptr},
#define MEMSPY_PERCENT(when, member, name, value, help)                                                      \
    {Type::Percent, k##when, "--" name, "<percent>", value, help, nullptr, MEMBER(member), 0, 0, nullptr},
#define MEMSPY_BYTE(when, member, name, help)                                                                \
    {Type::Byte, k##when, "--" name, "<hexnumber>", nullptr, help, nullptr, MEMBER(member), 0, 0, nullptr},
#define MEMSPY_TEXT(when, member, name, values, value, help)                                                 \
    {Type::Text, k##when, "--" name, values, value, help, nullptr, MEMBER(member), 0, 0, nullptr},
#define MEMSPY_SPECIAL(when, handler, name, values, value, help)                                             \
    {Type::Special, k##when, "--" name, values, value, help, nullptr, 0, 0, 0, option_handlers::handler},
#define MEMSPY_ACCEPTED(name, values, value, help)                                                           \
    {Type::Accepted, kStart, "--" name, values, value, help, nullptr, 0, 0, 0, nullptr},
#define MEMSPY_HIDDEN(member, name, value, help)                                                             \
    {Type::Hidden, kStart, "--" name, "no|yes", nullptr, help, nullptr, MEMBER(member), 0, 0, nullptr},
#define MEMSPY_GROUP(title) {Type::Group, kStart, "--", "", "", title, nullptr, 0, 0, 0, nullptr},
#define MEMSPY_FURTHER {Type::Further, kStart, "--", "", "", "", nullptr, 0, 0, 0, nullptr},
#include "options.def"
};
#undef MEMBER

// Not a heading of the help text.
bool is_option(const OptionEntry& entry) { return entry.type != Type::Group && entry.type != Type::Further; }

constinit bool g_given[sizeof kEntries / sizeof kEntries[0]] = {};

template <typename T>
T& member(Options& options, const OptionEntry& entry) {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(&options) + entry.offset);
}
template <typename T>
const T& member(const Options& options, const OptionEntry& entry) {
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&options) + entry.offset);
}

void assign_number(const OptionEntry& entry, const char* argument, const char* value) {
    HChar* end = nullptr;
    const Long number = VG_(strtoll10)(value, &end);
    if (*value == '\0' || *end != '\0')
        bad_option_value(argument, value, "a decimal number");
    else if (number < entry.low || number > entry.high)
        VG_(fmsg_bad_option)(argument, "'%s' is out of range: expected %lld to %lld.\n", value,
                             static_cast<Long>(entry.low), static_cast<Long>(entry.high));
    else
        member<i64>(g_options, entry) = number;
}

void assign_byte(const OptionEntry& entry, const char* argument, const char* value) {
    HChar* end = nullptr;
    const Long number = VG_(strtoll16)(value, &end);
    if (*value == '\0' || *end != '\0' || number < 0 || number > 0xff)
        bad_option_value(argument, value, "a hexadecimal byte, 00 to ff");
    else
        member<i32>(g_options, entry) = static_cast<i32>(number);
}

void assign_choice(const OptionEntry& entry, const char* argument, const char* value) {
    // Every choice is an enumeration of one byte whose enumerators follow the words.
    int index = word_index(entry.values, value);
    if (index < 0 && equal(entry.name, "--leak-check") && equal(value, "yes"))
        index = static_cast<int>(LeakCheck::Full);
    if (index < 0)
        bad_option_value(argument, value, entry.values);
    else
        member<u8>(g_options, entry) = static_cast<u8>(index);
}

void assign(const OptionEntry& entry, const char* argument, const char* value) {
    switch (entry.type) {
        case Type::Hidden:
        case Type::Bool: parse_option_bool(argument, value, &member<bool>(g_options, entry)); break;
        case Type::Choice: assign_choice(entry, argument, value); break;
        case Type::Set:
            if (!parse_option_set(entry.tokens, value, &member<u32>(g_options, entry)))
                VG_(fmsg_bad_option)(argument,
                                     "'%s' is not a valid value: expected all, none, or some of %s.\n", value,
                                     entry.tokens);
            break;
        case Type::Number: assign_number(entry, argument, value); break;
        case Type::Percent: assign_percentage(argument, value, &member<u32>(g_options, entry)); break;
        case Type::Byte: assign_byte(entry, argument, value); break;
        case Type::Text:
            if (*value == '\0')
                bad_option_value(argument, value, entry.values);
            else
                member<const char*>(g_options, entry) = VG_(strdup)("memspy.option", value);
            break;
        case Type::Special: entry.handler(argument, value); break;
        case Type::Accepted:
            if (entry.values[0] != '<' && word_index(entry.values, value) < 0)
                bad_option_value(argument, value, entry.values);
            break;
        case Type::Group:
        case Type::Further: break;
    }
}

constexpr char kHelpAll[] = "--help-all";

bool on_command_line(const char* argument) {
    for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); ++i)
        if (equal(*static_cast<HChar**>(VG_(indexXA)(VG_(args_for_valgrind), i)), argument)) return true;
    return false;
}

// The help text: printed word by word, wrapped, and indented to one column.
constexpr u32 kHelpColumn = 37;
constexpr u32 kLastColumn = 98;

class HelpLine {
public:
    explicit HelpLine(u32 column) : column_(column) {}

    void words(const char* text) {
        while (*text != '\0') {
            const char* end = text;
            while (*end != '\0' && *end != ' ') ++end;
            const u32 length = static_cast<u32>(end - text);
            if (column_ + 1 + length > kLastColumn || column_ < kHelpColumn) start_line();
            if (column_ > kHelpColumn) space();
            // Valgrind's printf has no precision for strings.
            for (; text != end; ++text) VG_(printf)("%c", *text);
            column_ += length;
            if (*text == ' ') ++text;
        }
    }
    void end() { VG_(printf)("\n"); }

private:
    void space() {
        VG_(printf)(" ");
        ++column_;
    }
    void start_line() {
        if (column_ >= kHelpColumn) {
            VG_(printf)("\n");
            column_ = 0;
        }
        while (column_ < kHelpColumn) space();
    }

    u32 column_;
};

// Appends the names of `set` in descending order of bits, as users write them: definite first.
void set_to_text(const char* tokens, u32 set, char* text) {
    const char* starts[32];
    int count = 0;
    for (const char* at = tokens; count < 32;) {
        starts[count++] = at;
        while (*at != '\0' && *at != ',') ++at;
        if (*at == '\0') break;
        ++at;
    }
    if (set == (1u << count) - 1) {
        VG_(strcpy)(text, "all");
        return;
    }
    for (int bit = count - 1; bit >= 0; --bit) {
        if ((set >> bit & 1) == 0) continue;
        for (const char* at = starts[bit]; *at != '\0' && *at != ','; ++at) *text++ = *at;
        *text++ = ',';
    }
    *(set == 0 ? text : text - 1) = '\0';
}

void default_to_text(const OptionEntry& entry, char* text) {
    switch (entry.type) {
        case Type::Hidden:
        case Type::Bool: VG_(strcpy)(text, member<bool>(kDefaults, entry) ? "yes" : "no"); break;
        case Type::Choice: {
            const char* word = entry.values;
            for (u8 skip = member<u8>(kDefaults, entry); skip > 0; ++word)
                if (*word == '|') --skip;
            while (*word != '\0' && *word != '|') *text++ = *word++;
            *text = '\0';
            break;
        }
        case Type::Set: set_to_text(entry.tokens, member<u32>(kDefaults, entry), text); break;
        case Type::Number:
            VG_(sprintf)(text, "%lld", static_cast<Long>(member<i64>(kDefaults, entry)));
            break;
        case Type::Byte: VG_(strcpy)(text, "none"); break;
        case Type::Percent:
        case Type::Text:
        case Type::Special:
        case Type::Accepted:
        case Type::Group:
        case Type::Further: VG_(strcpy)(text, entry.fixed_default); break;
    }
}

}  // namespace

const Options& options() { return g_options; }

Options& options_to_change() { return g_options; }

void bad_option_value(const char* argument, const char* value, const char* expected) {
    VG_(fmsg_bad_option)(argument, "'%s' is not a valid value: expected %s.\n", value, expected);
}

bool parse_option_bool(const char* argument, const char* value, bool* result) {
    if (const int index = word_index("no|yes", value); index >= 0) {
        *result = index == 1;
        return true;
    }
    bad_option_value(argument, value, "no or yes");
    return false;
}

bool parse_option_set(const char* tokens, const char* text, u32* set) {
    UInt parsed = 0;
    if (!VG_(parse_enum_set)(tokens, True, text, &parsed)) return false;
    *set = parsed;
    return true;
}

bool was_given(const char* name) {
    for (const OptionEntry& entry : kEntries)
        if (equal(entry.name + 2, name)) return g_given[&entry - kEntries];
    return false;
}

bool process_option(const char* argument) {
    if (equal(argument, kHelpAll)) {
        print_usage();
        VG_(exit)(0);
    }
    for (const OptionEntry& entry : kEntries) {
        if (!is_option(entry)) continue;
        const usize length = static_cast<usize>(VG_(strlen)(entry.name));
        const bool mine = VG_(strncmp)(argument, entry.name, length) == 0 && argument[length] == '=';
        // Called for each entry, matching or not: in its listing mode the core collects the names here.
        if (VG_(check_clom)(entry.modes, argument, entry.name, mine)) {
            g_given[&entry - kEntries] = true;
            assign(entry, argument, argument + length + 1);
            return true;
        }
        if (mine) return true;
    }
    return VG_(replacement_malloc_process_cmd_line_option)(argument);
}

void check_options() {
    const i64 line = g_options.line_size;
    if ((line & (line - 1)) != 0) {
        VG_(fmsg_bad_option)("--line-size", "%lld is not a power of two.\n", static_cast<Long>(line));
        VG_(exit)(1);  // after the command line the core only prints a message
    }
    if (VG_(clo_verbosity) < 1) return;
    if (VG_(clo_xtree_memory) != Vg_XTMemory_None)
        VG_(umsg)("Warning: --xtree-memory is not supported by memspy and has no effect.\n");
}

static void print_entry(const OptionEntry& entry) {
    char value[160];
    default_to_text(entry, value);
    const u32 printed = VG_(printf)("    %s=%s", entry.name, entry.values);
    HelpLine line(printed < kHelpColumn ? printed : kLastColumn);
    line.words(entry.help);
    char bracketed[168];
    VG_(sprintf)(bracketed, "[%s]", value);
    line.words(bracketed);
    line.end();
}

void print_usage() {
    const bool all = on_command_line(kHelpAll) || on_command_line("--help-debug");
    bool shown = true;
    for (const OptionEntry& entry : kEntries) {
        switch (entry.type) {
            case Type::Group:
                VG_(printf)("\n  %s\n", entry.help);
                shown = true;
                break;
            case Type::Further: shown = all; break;
            case Type::Hidden: break;
            default:
                if (shown) print_entry(entry);
        }
    }
    VG_(printf)("\n");
    if (!all) VG_(printf)("    More of memspy's options: valgrind --tool=memspy --help-all, or man memspy\n");
}

void print_debug_usage() {
    for (const OptionEntry& entry : kEntries)
        if (entry.type == Type::Hidden) print_entry(entry);
}

}  // namespace memspy
