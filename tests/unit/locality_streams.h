// SPDX-License-Identifier: GPL-2.0-or-later
//
// Streams as the log's reader uses them: accesses in, figures of one stream out.
#pragma once

#include <memory>

#include "analyses/locality/streams.h"

namespace memspy::locality {

inline std::unique_ptr<Streams> make(const StreamOptions& options) {
    auto streams = std::make_unique<Streams>();
    streams->configure(options);
    return streams;
}
inline void tell(Streams& streams, const WordAccess& access) {
    if (streams.wants(access.word)) streams.access(access);
    streams.advance(1);
}
// The figures of one stream; empty where there is no such stream.
inline StreamFigures figures_of(Streams& streams, StreamKind kind, u32 first = 0, u32 second = 0) {
    StreamFigures found;
    streams.for_each([&](Stream& stream) {
        if (stream.kind == kind && stream.first == first && stream.second == second)
            found = streams.figures(stream);
    });
    return found;
}

}  // namespace memspy::locality
