// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/compat.h"

#include <concepts>

// Only the core's own headers declare this. Only the first member of a sink is needed here.
struct SinkHead {
    Int descriptor;
};
extern "C" {
extern SinkHead VG_(log_output_sink), VG_(xml_output_sink);
extern void VG_(discard_translations)(Addr start, ULong range, const HChar* who);
extern UInt VG_(clo_fair_sched);
extern Bool VG_(clo_trace_children);
extern Bool VG_(clo_run_libc_freeres);
extern Bool VG_(clo_run_cxx_freeres);
extern Bool VG_(should_we_trace_this_child)(const HChar* program, const HChar** arguments);
extern UInt VG_(get_n_errs_found)(void);
extern UInt VG_(get_n_errs_shown)(void);
extern SysRes VG_(do_syscall)(UWord number, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord,
                              RegWord);
extern const HChar* VG_(clo_log_fname_unexpanded);
extern const HChar* VG_(clo_xml_fname_unexpanded);
}

namespace memspy::vg {
namespace {

// Templates, so that a branch for another version is not compiled.
template <typename F>
void call_need_core_errors(F need) {
    if constexpr (std::invocable<F, Bool>)
        need(True);
    else
        need();
}

template <typename F>
[[noreturn]] void end_for_lack_of_memory(F out_of_memory, const HChar* what, SizeT bytes) {
    if constexpr (std::invocable<F, const HChar*, SizeT, UWord>)
        out_of_memory(what, bytes, VKI_ENOMEM);
    else
        out_of_memory(what, bytes);
    __builtin_unreachable();
}

void* address_or_null(void* memory) { return memory; }
template <typename Result>
void* address_or_null(const Result& result) {
    return sr_isError(result) ? nullptr : reinterpret_cast<void*>(sr_Res(result));
}

MallocFamily family;

// From 3.21 on the core also passes the alignment as requested, before rounding it up to a power of two.
void* new_aligned(ThreadId thread, SizeT size, SizeT alignment, SizeT) {
    return family.new_aligned(thread, size, alignment);
}
void* vec_new_aligned(ThreadId thread, SizeT size, SizeT alignment, SizeT) {
    return family.vec_new_aligned(thread, size, alignment);
}
void* memalign(ThreadId thread, SizeT alignment, SizeT, SizeT size) {
    return family.memalign(thread, alignment, size);
}

// The minimum red zone, which --redzone-size may increase; 16 bytes hold the widest common access.
constexpr SizeT kLeastRedZone = 16;

template <typename F>
void call_needs_malloc_replacement(F needs, const MallocFamily& f) {
    auto call = [&](auto aligned, auto vec_aligned, auto align) {
        needs(f.malloc, f.new_, aligned, f.vec_new, vec_aligned, align, f.calloc, f.free, f.delete_,
              f.delete_aligned, f.vec_delete, f.vec_delete_aligned, f.realloc, f.usable_size, kLeastRedZone);
    };
    using WithAsked = decltype(&memalign);
    if constexpr (std::invocable<F, decltype(f.malloc), decltype(f.new_), WithAsked, decltype(f.vec_new),
                                 WithAsked, WithAsked, decltype(f.calloc), decltype(f.free),
                                 decltype(f.delete_), decltype(f.delete_aligned), decltype(f.vec_delete),
                                 decltype(f.vec_delete_aligned), decltype(f.realloc), decltype(f.usable_size),
                                 SizeT>)
        call(&new_aligned, &vec_new_aligned, &memalign);
    else
        call(f.new_aligned, f.vec_new_aligned, f.memalign);
}

}  // namespace

bool is_mapping_zeroed = false;

void* map_zeroed_or_null(SizeT bytes) {
    is_mapping_zeroed = true;
    void* const memory = address_or_null(VG_(am_shadow_alloc)(bytes));
    is_mapping_zeroed = false;
    return memory;
}

void* map_zeroed(SizeT bytes, const HChar* what) {
    void* memory = map_zeroed_or_null(bytes);
    if (memory == nullptr) end_for_lack_of_memory(VG_(out_of_memory_NORETURN), what, bytes);
    return memory;
}

void need_core_errors() { call_need_core_errors(VG_(needs_core_errors)); }

SysRes system_call(UWord number, UWord a, UWord b, UWord c, UWord d) {
    return VG_(do_syscall)(number, a, b, c, d, 0, 0, 0, 0);
}

void discard_pages(Address begin, usize bytes) {
    constexpr UWord kDontNeed = 4;  // MADV_DONTNEED
    const Address first = VG_PGROUNDUP(begin), last = VG_PGROUNDDN(begin + bytes);
    if (first < last) system_call(__NR_madvise, first, last - first, kDontNeed);
}

bool report_is_writable() {
    const HChar* name = VG_(clo_xml) ? VG_(clo_xml_fname_unexpanded) : VG_(clo_log_fname_unexpanded);
    const Int descriptor = VG_(clo_xml) ? VG_(xml_output_sink).descriptor : VG_(log_output_sink).descriptor;
    return name == nullptr || descriptor < 0 || VG_(write)(descriptor, "\n", 1) == 1;
}

bool reports_to_terminal() {
    // Devices of the kernel's: virtual consoles and serial lines, then pseudoterminals.
    constexpr ULong kConsoles = 4, kFirstPseudo = 136, kLastPseudo = 143;
    struct vg_stat file;
    if (VG_(clo_xml) || VG_(fstat)(VG_(log_output_sink).descriptor, &file) != 0) return false;
    const ULong device = file.rdev >> 8 & 0xfff;
    return device == kConsoles || (device >= kFirstPseudo && device <= kLastPseudo);
}

bool leave_xml_to_parent() {
    const HChar* name = VG_(clo_xml_fname_unexpanded);
    if (!VG_(clo_xml) || name == nullptr || VG_(strstr)(name, "%p") != nullptr ||
        VG_(strstr)(name, "%n") != nullptr)
        return false;
    VG_(xml_output_sink).descriptor = -1;
    return true;
}

static bool cleanup_wanted = false;

void want_library_cleanup() { cleanup_wanted = true; }
void skip_library_cleanup() {
    if (!cleanup_wanted) VG_(clo_run_libc_freeres) = VG_(clo_run_cxx_freeres) = False;
}

void discard_translations() {
    const Addr first = VKI_PAGE_SIZE;
    VG_(discard_translations)(first, (ULong{1} << 47) - 2 * first, "memspy: policy changed");
}
void discard_translation(Address first) { VG_(discard_translations)(first, 1, "memspy: made again"); }

ErrorCounts error_counts() { return {VG_(get_n_errs_found)(), VG_(get_n_errs_shown)()}; }

bool traces_children() { return VG_(clo_trace_children); }
bool traces_exec(const HChar* program, const HChar** arguments) {
    return VG_(should_we_trace_this_child)(program, arguments);
}

void prefer_fair_scheduling() {
    constexpr UInt kTry = 2;  // if the machine supports it
    VG_(clo_fair_sched) = kTry;
}

void replace_malloc(const MallocFamily& given) {
    family = given;
    call_needs_malloc_replacement(VG_(needs_malloc_replacement), family);
}

}  // namespace memspy::vg
