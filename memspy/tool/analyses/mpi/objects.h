// SPDX-License-Identifier: GPL-2.0-or-later
//
// The objects of MPI that the program has made and not freed. No Valgrind here.
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
    };

    void made(const MpiObject& object, ContextId context) {
        objects_[key_of(object)] = {object.kind, context, object.maker};
    }
    void gone(const MpiObject& object) { objects_.erase(key_of(object)); }
    void clear() { objects_.clear(); }
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
    static u64 key_of(const MpiObject& object) { return static_cast<u64>(object.kind) << 56 | object.handle; }

    rt::HashMap<Made> objects_;
};

}  // namespace memspy::mpi
