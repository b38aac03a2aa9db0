// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables by address (shadow_map.h, touch.h, quiet_lines.h) cover the 128 GiB from which the core serves a
// client. But the core grants a mapping wherever the program would like to have it, and some would like it
// far above: the heaps of Go and mimalloc at terabytes, where states would be those of memory 2^37 bytes and
// more below. Such a wish is no more than a wish, so the linker sends the core's questions for a place here
// (--wrap, flags.mk). A fixed address above remains as it is.
//
// Who wishes for a high address may insist that it is not a low one: GHC's runtime asks for a terabyte, for
// an eighth less whenever it gets none, and again and again, for ever, while it gets less than 8 GiB. So such
// wishes are served from there on, one after the other, up to where the core's own memory begins. A mapping
// that does not fit there whatever else is mapped has no place; one that does not fit because of others may
// be anywhere.
//
// Some mappings the kernel places itself: the rings of io_uring, which it refuses at any address, and huge
// pages, of whose alignment the core knows nothing. The core then asks the kernel for any address, which
// would be far above as well. So the kernel gets a low wish (which is aligned for huge pages), then the flag
// that keeps a mapping below 2 GiB, which amd64 has. Where neither helps the mapping lies above
// (mappings.cc). The core asks for the place that the kernel chose once more and stops if that is not the
// answer. It also refuses what has to lie below 2 GiB, but wishes for a place above.
#include "vg/compat.h"
#include "vg/vg.h"

extern "C" {
// As in the core's own header.
struct MapRequest {
    enum { Fixed, Hint, Any, Align } kind;
    Addr begin, bytes;
};
using GetAdvisory = Addr(const MapRequest*, Bool for_client, Bool* ok);
GetAdvisory __real_vgPlain_am_get_advisory, __wrap_vgPlain_am_get_advisory;
using Map = SysRes(Addr begin, SizeT bytes, UInt protection, UInt flags, Int file, Long offset);
Map __real_vgPlain_am_do_mmap_NO_NOTIFY, __wrap_vgPlain_am_do_mmap_NO_NOTIFY;

static Addr chosen_by_kernel;

#ifdef VKI_MAP_32BIT
static constexpr UInt kLowFlag = VKI_MAP_32BIT;
#else
static constexpr UInt kLowFlag = 0;
#endif
static constexpr UInt kHugePages = 0x40000;

// Their size is in the flags, as a logarithm; where there is none it is the common one.
static Addr huge_page_bytes(UWord flags) {
    constexpr unsigned kShift = 26, kMask = 63, kCommonBits = 21, kMostBits = 34;
    const unsigned bits = flags >> kShift & kMask;
    return Addr{1} << (bits < kCommonBits || bits > kMostBits ? kCommonBits : bits);
}

Addr __wrap_vgPlain_am_get_advisory(const MapRequest* request, Bool for_client, Bool* ok) {
    constexpr Addr kEnd = Addr{1} << memspy::kClientAddressBits;
    if (request->kind == MapRequest::Hint && request->begin == chosen_by_kernel && chosen_by_kernel != 0) {
        chosen_by_kernel = 0;
        *ok = True;
        return request->begin;
    }
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

// The system refuses a mapping larger than its memory unless it is told that most of it stays untouched.
SysRes __wrap_vgPlain_am_do_mmap_NO_NOTIFY(Addr begin, SizeT bytes, UInt protection, UInt flags, Int file,
                                           Long offset) {
    constexpr UInt kNoReserve = 0x4000;
    const auto map = [&](Addr at, UInt more) {
        return __real_vgPlain_am_do_mmap_NO_NOTIFY(at, bytes, protection, flags | more, file, offset);
    };
    if (memspy::vg::is_mapping_zeroed) flags |= kNoReserve;
    if (begin != 0 || (flags & VKI_MAP_FIXED) != 0) return map(begin, 0);

    const Addr page = huge_page_bytes(flags);
    Bool has_room = False;
    Addr wish = 0;
    if (bytes < Addr{1} << memspy::kClientAddressBits) {
        const MapRequest room{MapRequest::Any, 0, bytes + 2 * page};
        wish = __real_vgPlain_am_get_advisory(&room, True, &has_room);
    }
    SysRes placed = map(has_room ? (wish + page - 1) & ~(page - 1) : 0, 0);
    if (sr_isError(placed)) placed = map(0, kLowFlag);
    if (sr_isError(placed)) placed = map(0, 0);
    if (!sr_isError(placed)) chosen_by_kernel = sr_Res(placed);
    return placed;
}

using MapForClient = SysRes(ThreadId, UWord begin, UWord bytes, UWord protection, UWord flags, UWord file,
                            Long offset);
MapForClient __real_vgModuleLocal_generic_PRE_sys_mmap, __wrap_vgModuleLocal_generic_PRE_sys_mmap;

SysRes __wrap_vgModuleLocal_generic_PRE_sys_mmap(ThreadId thread, UWord begin, UWord bytes, UWord protection,
                                                 UWord flags, UWord file, Long offset) {
    constexpr UWord kEnd = UWord{1} << 31;
    const bool is_wish = (flags & VKI_MAP_FIXED) == 0 && begin % VKI_PAGE_SIZE == 0;
    if ((flags & kLowFlag) != 0 && is_wish && (begin >= kEnd || bytes >= kEnd - begin)) begin = 0;
    // The kernel maps whole pages. What the core thinks free behind a part of one would be unmapped.
    const UWord page = huge_page_bytes(flags), whole = (bytes + page - 1) & ~(page - 1);
    if ((flags & kHugePages) != 0 && whole > bytes) bytes = whole;
    return __real_vgModuleLocal_generic_PRE_sys_mmap(thread, begin, bytes, protection, flags, file, offset);
}
}
