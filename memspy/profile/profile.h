// SPDX-License-Identifier: GPL-2.0-or-later
//
// The profile file: everything that was measured, as XML, for programs to read; docs/profile.md describes it
// and docs/profile.rng is its schema. Format and reader change together.
//
// It is written under another name beside its own and renamed when complete, so whoever finds it finds all of
// it; only a pipe or a device (/dev/null) is written to directly. An analysis adds its part as a
// section: that first names the stacks and objects that it speaks of, which are defined once each ahead of all
// sections, then writes its element.
#pragma once

#include "places/place.h"
#include "profile/xml_writer.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::profile {

inline constexpr u32 kProfileFormat = 1;

enum class MadeBy : u8 { Exit, Dump, Exec };

struct ProfileInfo {
    const char* tool_version = "";
    MadeBy made_by = MadeBy::Exit;
    u64 started = 0;  // wall_clock() at the start of the run
};

// Milliseconds since 1970.
u64 wall_clock();

// Writes the profile of the run up to now to `path` (expanded). The caller has settled the analyses.
// `finished`: the program has ended. False, after a message, when it could not be written; what `path` held
// before is untouched then.
bool write_profile(const char* path, const ProfileInfo& info, bool finished);

// Whether a profile can be written there as things are; leaves nothing behind.
bool can_write_profile(const char* path);

// For sections.

// What has to be defined in the file.
class ProfileNeeds {
public:
    void stack(ContextId id);
    // The same when it is known where the stack came from, which is a good deal quicker.
    void stack(ContextId id, const places::Place& place);
    void object(places::ObjectId id);

    // Calls f(id, place) by ascending id; a place with instruction 0 is one that is not known.
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
// An analysis that was asked for says what it will write; sections stand in the order of the calls.
void add_section(const ProfileSection& section);
bool has_sections();  // without any there is no file

}  // namespace memspy::profile
