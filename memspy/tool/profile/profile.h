// SPDX-License-Identifier: GPL-2.0-or-later
//
// The profile file: all results as XML, for programs to read; docs/profile.md describes it and
// docs/profile.rng is its schema. Format and reader change together.
//
// It is written under another name in the same folder and renamed when it is complete, so a reader never
// finds a part of it. Only a pipe or a device (/dev/null) is written to directly. An analysis adds its part
// as a section: the section first names the stacks and objects that it refers to, which are defined once
// before all sections, and then writes its element.
#pragma once

#include "places/place.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "rt/xml_writer.h"

namespace memspy::profile {

inline constexpr u32 kProfileFormat = 2;

enum class MadeBy : u8 { Exit, Signal, Dump, Exec };  // Signal: at the end, which a signal made

struct ProfileInfo {
    const char* tool_version = "";
    MadeBy made_by = MadeBy::Exit;
    u64 started = 0;  // wall_clock() at the start of the run
};

// Milliseconds since 1970.
u64 wall_clock();

// Writes the profile of the run so far to `path` (expanded). The caller has settled the analyses. `finished`:
// the program has ended. Returns false, after a message, if it could not be written; the old file is
// untouched then.
bool write_profile(const char* path, const ProfileInfo& info, bool finished);

// Whether a profile can be written there now; leaves nothing behind.
bool can_write_profile(const char* path);

// For sections.

// The stacks and objects that must be defined in the file.
class ProfileNeeds {
public:
    void stack(ContextId id);
    // The same if the origin of the stack is known, which is much faster.
    void stack(ContextId id, const places::Place& place);
    void object(places::ObjectId id);

    // Calls f(id, place) by ascending id. An unknown place has instruction 0.
    template <typename F>
    void for_each_stack(F f);
    template <typename F>
    void for_each_object(F f);

private:
    rt::HashMap<places::Place> stacks_;
    rt::Vector<u8> objects_;
};

struct ProfileSection {
    bool (*has_data)();
    void (*collect)(ProfileNeeds& needs);
    void (*write)(XmlWriter& xml);
};
// The sections of all analyses, in the order of the file.
void list_section(const ProfileSection& section, bool wanted);
// It is wanted from now on: the program does what the analysis looks at.
void want_section(const ProfileSection& section);
bool has_sections();  // without sections that are wanted there is no file

}  // namespace memspy::profile
