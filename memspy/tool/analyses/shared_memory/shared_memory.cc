// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/shared_memory/shared_memory.h"

#include "analyses/analysis.h"
#include "client/shared_windows.h"
#include "instrument/uses/use_observer.h"
#include "places/frames.h"
#include "rt/global.h"
#include "rt/runtime_libraries.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::shared_memory {

extern const profile::ProfileSection kSection;

namespace {

rt::Global<MappedFiles> mapped;
rt::Global<LineUses> uses;
rt::Global<rt::Vector<LineStretch>> settled;
bool follows = false;  // there has been such memory, and code tells of accesses
u64 anonymous = 0;     // anonymous mappings that this process made
bool is_for_processes = false;

constexpr u64 kMapShared = 1, kMapTypes = 15, kSharedValidate = 3;
constexpr u64 kReadOnly = 0x1000;  // SHM_RDONLY

ContextId stack_now(u32 thread) { return id_of(VG_(record_ExeContext)(thread, 0)); }

void use(Address a, Address instruction, u64 bytes, bool loads, bool stores) {
    MappedFiles::FilePlace place;
    if (!mapped->find(a, place)) return;
    const ThreadId thread = VG_(get_running_tid)();
    const u32 site = uses->site(instruction, VG_(get_SP)(thread), [&] {
        // Generated code keeps the program counter of some instructions only.
        const auto delta = static_cast<Word>(instruction - VG_(get_IP)(thread));
        return id_of(VG_(record_ExeContext)(thread, delta));
    });
    uses->add(place.file, site, place.offset, bytes < place.room ? bytes : place.room, loads, stores);
}

void placed(Address a, Address instruction, u64 of) {
    using instrument::PlacedUse;
    use(a, instruction, of >> PlacedUse::kBytesShift, (of & PlacedUse::kLoads) != 0,
        (of & PlacedUse::kStores) != 0);
}

void call_accessed(threads::Thread, u32 thread, Address begin, usize bytes, bool stores) {
    if (follows) use(begin, VG_(get_IP)(thread), bytes, !stores, stores);
}

// Code is made again with the first such memory: before that it costs nothing.
void begin_to_follow() {
    if (follows) return;
    follows = true;
    instrument::add_use_hooks({.leaves = mapped->leaves(), .leaf_bits = kLeafBits, .placed = placed});
    profile::want_section(kSection);
    vg::discard_translations();
}

// Files of devices are no memory that processes share, but for those of pages.
bool is_device(const char* path) {
    return VG_(strncmp)(path, "/dev/", 5) == 0 && VG_(strncmp)(path, "/dev/shm/", 9) != 0 &&
           VG_(strncmp)(path, "/dev/hugepages/", 15) != 0 && VG_(strncmp)(path, "/dev/zero", 9) != 0;
}

// The mapped file at `begin`, with the offset there. False: there is none.
bool file_at(Address begin, SharedFile& file, u64& offset) {
    const NSegment* const segment = VG_(am_find_nsegment)(begin);
    if (segment == nullptr || segment->kind != SkFileC) return false;
    file.identity = {segment->dev, segment->ino};
    offset = static_cast<u64>(segment->offset) + (begin - segment->start);
    const HChar* const path = VG_(am_get_filename)(segment);
    if (path != nullptr) file.path = VG_(strdup)("memspy.shared_path", path);
    return true;
}

void follow(u32 thread, Address begin, usize bytes, u64 offset, SharedFile file) {
    file.stack = stack_now(thread);
    mapped->map(begin, bytes, offset, file);
    begin_to_follow();
}

void after_map(u32 thread, const u64* arguments, Address begin) {
    const u64 bytes = arguments[1], protection = arguments[2], flags = arguments[3];
    SharedFile file;
    u64 offset = 0;
    if ((flags & VKI_MAP_ANONYMOUS) != 0)
        file.identity.inode = static_cast<u64>(VG_(getpid)()) << 32 | ++anonymous;
    else if (!file_at(begin, file, offset) || is_device(file.path))
        return;
    const bool is_memory =
        file.identity.device == FileIdentity::kAnonymous || VG_(strncmp)(file.path, "/dev/shm/", 9) == 0;
    // Who only loads from a file on a disk reads data.
    if (!is_memory && (protection & VKI_PROT_WRITE) == 0) return;
    is_for_processes |= is_memory;
    follow(thread, begin, VG_PGROUNDUP(bytes), offset, file);
}

void after_attach(u32 thread, const u64* arguments, Address begin) {
    const NSegment* const segment = VG_(am_find_nsegment)(begin);
    if (segment == nullptr) return;
    is_for_processes |= (arguments[2] & kReadOnly) == 0;
    follow(thread, begin, segment->end + 1 - begin, 0,
           {.identity = {FileIdentity::kSystemV, arguments[0]}, .stack = {}, .path = "", .bytes = 0});
}

// What a library of the system maps for itself (libomp's registration, sqlite's log): by the innermost code that is not
// the C library's.
bool is_of_library(u32 thread) {
    constexpr u32 kMost = 8;
    Addr code[kMost];
    const UInt count = VG_(get_StackTrace)(thread, code, kMost, nullptr, nullptr, 0);
    for (UInt i = 0; i < count; ++i)
        if (const vg::ModuleId id = vg::module_of_code(code[i]);
            id == vg::ModuleId::None || !rt::is_c_library(vg::module(id).path))
            return places::is_library_code(code[i]);
    return false;
}

void after_call(threads::Thread t, u32 thread, u32 number, const u64* arguments, i64 result) {
    if ((number != __NR_mmap && number != __NR_shmat) || result < 0 || !options().shared_memory) return;
    if (number == __NR_mmap && (arguments[3] & kMapTypes) != kMapShared &&
        (arguments[3] & kMapTypes) != kSharedValidate)
        return;
    if (threads::is_helper(t) || threads::is_in_library(thread) || is_of_library(thread)) return;
    if (number == __NR_mmap)
        after_map(thread, arguments, static_cast<Address>(result));
    else
        after_attach(thread, arguments, static_cast<Address>(result));
}

void window_shared(u32 thread, Address begin, usize bytes) {
    SharedFile file;
    u64 offset = 0;
    if (!options().shared_memory || !file_at(begin, file, offset)) return;
    is_for_processes = true;
    follow(thread, begin, bytes, offset, file);
}

void unmapped(Address begin, usize bytes) {
    if (follows) mapped->unmap(begin, bytes);
}
void forked(threads::Thread, u32) {
    if (!follows) return;
    uses->clear();
    anonymous = 0;
}

void settle() {
    if (follows) uses->stretches(*settled);
}

bool has_results() { return is_for_processes && !uses->empty(); }

void finish(End) {
    settle();
    if (!has_results() || VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    VG_(umsg)(
        "Shared memory: the profiles of all processes together show the lines that they take from each "
        "other,\n");
    VG_(umsg)("by memspy-report shared-memory PROFILE...\n");
    VG_(umsg)("\n");
}

void register_with_core() {
    threads::listen({.after_call = after_call,
                     .call_accessed = call_accessed,
                     .mapped = unmapped,  // it may replace another one
                     .unmapped = unmapped,
                     .forked = forked});
    client::listen_to_shared_windows(window_shared);
}

}  // namespace

const rt::Vector<SharedFile>& files() { return mapped->files(); }
const rt::Vector<LineStretch>& stretches() { return *settled; }
ContextId stack_of_site(u32 site) { return uses->stack(site); }
u64 left_out() { return uses->left_out(); }

// A program is known to share memory only when it does, so the section of the profile is wanted from then on.
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "shared-memory",
                                .wanted = [] { return false; },
                                .register_with_core = register_with_core,
                                .checkpoint = settle,
                                .finish = finish,
                                .section = &kSection,
                                .comes_later = true,
                                .has_results = has_results};

}  // namespace memspy::shared_memory
