// SPDX-License-Identifier: GPL-2.0-or-later
//
// The objects of MPI that the program has made, and those that it has freed. Libraries give one handle several
// times (a communicator's group); it is freed when it was freed as often. No Valgrind here.
#pragma once

#include "requests/mpi.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::mpi {

class Objects {
public:
    struct Made {
        MpiObjectKind kind;
        ContextId context;
        const char* maker;  // the client's, static storage
        u32 times;
    };
    struct Freed {
        Made made;
        ContextId context;
    };

    void made(const MpiObject& object, ContextId context) {
        freed_.erase(object.handle);
        if (Made* known = objects_.find(key_of(object.kind, object.handle)))
            ++known->times;
        else
            objects_[key_of(object.kind, object.handle)] = {object.kind, context, object.maker, 1};
    }
    // The program has the handle once more, of an object that is part of another one, or that it did not make.
    void found_again(const MpiObject& object) {
        if (Made* known = objects_.find(key_of(object.kind, object.handle))) ++known->times;
        freed_.erase(object.handle);
    }
    void gone(const MpiObject& object, ContextId context) {
        const u64 key = key_of(object.kind, object.handle);
        Made* const known = objects_.find(key);
        if (known == nullptr || --known->times > 0) return;
        // Those of which no call asks.
        if (object.kind != kMpiKey && object.kind != kMpiMessage) freed_[object.handle] = {*known, context};
        objects_.erase(key);
    }
    // Null if it is not known to be freed. Libraries use handles again, so one is of any kind.
    const Freed* find_freed(u64 handle) { return freed_.find(handle); }
    void clear() {
        objects_.clear();
        freed_.clear();
    }
    // Calls f(made) once for each place at which objects were made that are still there, in the order of the
    // places.
    template <typename F>
    void for_each_place(F&& f) {
        rt::Vector<Made> places;
        objects_.for_each([&places](u64, const Made& made) {
            usize at = 0;
            while (at < places.size() && places[at].context < made.context) ++at;
            if (at < places.size() && places[at].context == made.context) return;
            places.push_back(made);
            for (usize i = places.size() - 1; i > at; --i) places[i] = places[i - 1];
            places[at] = made;
        });
        for (const Made& made : places) f(made);
    }

private:
    // Handles are pointers below 2^48, or ints.
    static u64 key_of(MpiObjectKind kind, u64 handle) { return static_cast<u64>(kind) << 56 | handle; }

    rt::HashMap<Made> objects_;
    rt::HashMap<Freed> freed_;  // by handle
};

}  // namespace memspy::mpi
