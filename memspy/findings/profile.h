// SPDX-License-Identifier: GPL-2.0-or-later
//
// The profile file: everything that was measured, as XML, for programs to read; docs/profile.md describes it
// and docs/profile.rng is its schema. Format and reader change together.
//
// It is written under another name beside its own and renamed when complete, so whoever finds it finds all of
// it; only what is no plain file (a pipe, /dev/null) is written to directly. An analysis adds its part by one
// line in the table of sections in profile.cc: a section first names the stacks and objects that it speaks
// of, which are defined once each ahead of all sections, then writes its element.
#pragma once

#include "analyses/contention/tally.h"
#include "findings/xml_writer.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::findings {

inline constexpr u32 kProfileFormat = 1;

enum class MadeBy : u8 { Exit, Dump, Exec };

struct ProfileInfo {
    const char* tool_version = "";
    MadeBy made_by = MadeBy::Exit;
    u64 started = 0;  // wall_clock() at the start of the run
    // What the contention analysis was told.
    bool sharing = true;
    u32 line_bytes = 64;
    u64 coherence_latency = 0;
    u64 interleave = 0;  // superblocks to a slice, 0: as the core has it
    u64 access_log_bytes = 0;
    const char* assumptions = "";  // of the model, in one line
};

// Milliseconds since 1970.
u64 wall_clock();

// Writes the profile of the run up to now to `path` (expanded). The caller has settled the analyses.
// `finished`: the program has ended. False, after a message, when it could not be written; what `path` held
// before is untouched then.
bool write_profile(const char* path, const ProfileInfo& info, bool finished);

// For sections.

// What has to be defined in the file.
class ProfileNeeds {
public:
    void stack(ContextId id);
    // The same when it is known where the stack came from, which is a good deal quicker.
    void stack(ContextId id, const contention::Place& place);
    void object(contention::ObjectId id);

    // Calls f(id, place) by ascending id; a place with instruction 0 is one that is not known.
    template <typename F>
    void for_each_stack(F f);
    template <typename F>
    void for_each_object(F f);

private:
    rt::HashMap<contention::Place> stacks_;
    rt::Vector<u8> objects_;
};

struct ProfileSection {
    bool (*wanted)();
    void (*collect)(ProfileNeeds& needs);
    void (*write)(XmlWriter& xml, const ProfileInfo& info);
};
extern const ProfileSection kContentionSection;
extern const ProfileSection kZerosSection;

}  // namespace memspy::findings
