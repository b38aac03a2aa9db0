// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables by address (shadow_map.h, touch.h, quiet_lines.h) cover the 128 GiB from which the core serves a client. But the
// core grants a mapping wherever the program would like to have it, and some would like it far above: Go's heap and
// mimalloc's at terabytes, where states would be those of memory 2^37 bytes and more below. Such a wish is no more than a
// wish, so the linker sends the core's questions for a place here (--wrap, flags.mk), and any place will do then. A fixed
// address above remains as it is.
#include "vg/vg.h"

extern "C" {
// As in the core's own header.
struct MapRequest {
    enum { Fixed, Hint, Any, Align } kind;
    Addr begin, bytes;
};
using GetAdvisory = Addr(const MapRequest*, Bool for_client, Bool* ok);
GetAdvisory __real_vgPlain_am_get_advisory, __wrap_vgPlain_am_get_advisory;

Addr __wrap_vgPlain_am_get_advisory(const MapRequest* request, Bool for_client, Bool* ok) {
    constexpr Addr kEnd = Addr{1} << memspy::kClientAddressBits;
    const bool is_high = request->begin >= kEnd || request->bytes > kEnd - request->begin;
    if (!for_client || request->kind != MapRequest::Hint || !is_high)
        return __real_vgPlain_am_get_advisory(request, for_client, ok);
    const MapRequest anywhere{MapRequest::Any, 0, request->bytes};
    return __real_vgPlain_am_get_advisory(&anywhere, for_client, ok);
}
}
