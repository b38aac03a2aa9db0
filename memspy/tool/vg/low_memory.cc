// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables by address (shadow_map.h, touch.h, quiet_lines.h) cover the 128 GiB from which the core serves a client. But the
// core grants a mapping wherever the program would like to have it, and some would like it far above: the heaps of Go and
// mimalloc at terabytes, where states would be those of memory 2^37 bytes and more below. Such a wish is no more than a
// wish, so the linker sends the core's questions for a place here (--wrap, flags.mk). A fixed address above remains as it
// is.
//
// Who wishes for a high address may insist that it is not a low one: GHC's runtime asks for a terabyte, for an eighth less
// whenever it gets none, and again and again, for ever, while it gets less than 8 GiB. So such wishes are served from there
// on, one after the other, up to where the core's own memory begins. A mapping that does not fit there whatever else is
// mapped has no place; one that does not fit because of others may be anywhere.
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

    constexpr Addr kServedBegin = Addr{8} << 30, kServedEnd = kEnd / 2;
    static Addr next = kServedBegin;
    const Addr bytes = VG_PGROUNDUP(request->bytes);
    if (bytes < request->bytes || bytes > kServedEnd - kServedBegin) {
        *ok = False;
        return 0;
    }
    if (bytes > kServedEnd - next) next = kServedBegin;
    const MapRequest wish{MapRequest::Hint, next, bytes};
    const Addr place = __real_vgPlain_am_get_advisory(&wish, for_client, ok);
    if (*ok && place == next) next += bytes;
    return place;
}
}
