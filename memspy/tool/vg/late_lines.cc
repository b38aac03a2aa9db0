// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core reads all of a module at once into its record of the module, which only the core can take apart:
// symbols, what frames are unwound by, lines, inlined calls; then it sorts the tables and closes the files.
// The linker sends the steps here (--wrap, flags.mk):
//
//   files are opened, their compressed parts noted     their names and these parts are kept
//   before the first symbol                            the record is copied: it has no table yet
//   lines, inlined calls                               what the readers are called with is kept, no more
//   a line is asked for                                two copies of that copy: one has its lines read, both
//                                                      have their tables sorted; words that differ are the
//                                                      lines', and go into the core's record
#include "vg/late_lines.h"

#include <new>

#include "rt/vector.h"

extern Bool VG_(clo_read_var_info);
extern Bool VG_(clo_keep_debuginfo);

#if defined(__x86_64__) && __VALGRIND_MINOR__ < 22
#define READS_LATE 1
#else
#define READS_LATE 0
#endif

extern "C" {
void __real_vgModuleLocal_new_dwarf3_reader(_DebugInfo*, memspy::vg::FileParts);
void vgModuleLocal_canonicaliseTables(_DebugInfo*);

void* __real_vgModuleLocal_img_from_local_file(const HChar*);
void __real_vgModuleLocal_img_done(void*);
ULong __real_vgModuleLocal_img_mark_compressed_part(void*, ULong, SizeT, SizeT);
}

namespace memspy::vg {
namespace {

struct Compressed {
    ULong offset;
    SizeT compressed_bytes, bytes;
    ULong answer;
};
struct SourceFile {
    void* image = nullptr;         // the core's
    void* closed_image = nullptr;  // the one before it was opened again
    bool open = false;
    HChar* path = nullptr;
    struct vg_stat state = {};  // of the file when it was opened
    rt::Vector<Compressed> compressed;
    SourceFile* next = nullptr;

    ~SourceFile() { VG_(free)(path); }
};

struct Late {
    _DebugInfo* module = nullptr;
    u64* record = nullptr;  // a copy of the module's record, before it had tables
    SourceFile* files = nullptr;
    LineParts lines = {};
    FileParts inlined = {};
    bool has_lines = false, has_inlined = false, is_of_system = false;
    Late* next = nullptr;
};

usize record_bytes = 0;  // of the core's record of a module
Late* being_read = nullptr;
Late* late = nullptr;

template <typename T>
T* create() {
    return new (VG_(malloc)("memspy.late_lines", sizeof(T))) T;
}
template <typename T>
void destroy(T* object) {
    object->~T();
    VG_(free)(object);
}

bool leaves_system_lines = false;

u64* copy_of(const void* record) {
    void* copy = VG_(malloc)("memspy.late_lines.record", record_bytes);
    VG_(memcpy)(copy, record, record_bytes);
    return static_cast<u64*>(copy);
}

void forget(Late* module) {
    if (module == nullptr) return;
    while (SourceFile* file = module->files) {
        module->files = file->next;
        destroy(file);
    }
    VG_(free)(module->record);
    destroy(module);
}

SourceFile* open_file(const void* image) {
    if (being_read == nullptr) return nullptr;
    for (SourceFile* file = being_read->files; file != nullptr; file = file->next)
        if (file->open && file->image == image) return file;
    return nullptr;
}

bool open_again(SourceFile& file) {
    struct vg_stat state;
    if (sr_isError(VG_(stat)(file.path, &state)) || state.ino != file.state.ino ||
        state.dev != file.state.dev || state.size != file.state.size || state.mtime != file.state.mtime)
        return false;
    file.closed_image = file.image;
    file.image = __real_vgModuleLocal_img_from_local_file(file.path);
    file.open = file.image != nullptr;
    if (!file.open) return false;
    for (const Compressed& part : file.compressed)
        CHECK_EQ(part.answer, __real_vgModuleLocal_img_mark_compressed_part(
                                  file.image, part.offset, part.compressed_bytes, part.bytes));
    return true;
}

// When all are open: what is opened may be where another file was.
void replace_image(FilePart& part, const SourceFile* files) {
    for (const SourceFile* file = files; file != nullptr; file = file->next)
        if (part.image == file->closed_image) {
            part.image = file->image;
            break;
        }
}

bool open_files(Late& module) {
    for (SourceFile* file = module.files; file != nullptr; file = file->next)
        if (!open_again(*file)) return false;
    LineParts& lines = module.lines;
    FilePart* const of_lines[] = {&lines.info, &lines.types,     &lines.abbrev,  &lines.line,
                                  &lines.str,  &lines.other_str, &lines.line_str};
    for (FilePart* part : of_lines) replace_image(*part, module.files);
    for (FilePart& part : module.inlined.part) replace_image(part, module.files);
    return true;
}

// The strings of the lines are in a pool of their own, which the core's record does not know: they stay when
// the module goes.
void read_lines_into(Late& module) {
    u64* plain = copy_of(module.record);
    u64* full = copy_of(module.record);
    auto* read = reinterpret_cast<_DebugInfo*>(full);
    const bool core_knows_units = read_lines(read, module.lines);
    if (module.has_inlined && core_knows_units)
        __real_vgModuleLocal_new_dwarf3_reader(read, module.inlined);
    else if (module.has_inlined)
        read_inlined_calls_ourselves(read);
    vgModuleLocal_canonicaliseTables(read);
    vgModuleLocal_canonicaliseTables(reinterpret_cast<_DebugInfo*>(plain));
    auto* record = reinterpret_cast<u64*>(module.module);
    for (usize i = 0; i < record_bytes / sizeof(u64); ++i)
        if (full[i] != plain[i] && record[i] == plain[i]) record[i] = full[i];
    VG_(free)(plain);
    VG_(free)(full);
}

void read(Late* module) {
    if (open_files(*module)) read_lines_into(*module);
    for (SourceFile* file = module->files; file != nullptr; file = file->next)
        if (file->open) __real_vgModuleLocal_img_done(file->image);
    forget(module);
}

// Takes the first that fits out of the list.
template <typename Fits>
Late* taken(Fits&& fits) {
    for (Late** at = &late; *at != nullptr; at = &(*at)->next)
        if (fits(**at)) {
            Late* found = *at;
            *at = found->next;
            return found;
        }
    return nullptr;
}

void need_lines(DiEpoch epoch, Addr code) {
    if (late == nullptr) return;
    const auto* module = reinterpret_cast<const _DebugInfo*>(VG_(find_DebugInfo)(epoch, code));
    const auto is_wanted = [&](const Late& each) {
        return each.module == module && !(each.is_of_system && leaves_system_lines);
    };
    if (Late* found = taken(is_wanted)) read(found);
}

const HChar* last_name(const HChar* path) {
    const HChar* slash = VG_(strrchr)(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

bool reads_a_module() {
    if (being_read == nullptr) return false;
    for (SourceFile* file = being_read->files; file != nullptr; file = file->next)
        if (file->open) return true;
    return false;
}

void note_opened(void* image, const HChar* path) {
    if (image == nullptr || record_bytes == 0) return;
    if (!reads_a_module()) {
        forget(being_read);  // the core had no use for it
        being_read = create<Late>();
    }
    auto* file = create<SourceFile>();
    file->image = image;
    file->open = true;
    file->path = VG_(strdup)("memspy.late_lines.path", path);
    if (sr_isError(VG_(stat)(path, &file->state))) file->state = {};
    file->next = being_read->files;
    being_read->files = file;
}

// A file that was looked at and is not the one is closed before lines are read, the others after that.
void note_closed(const void* image) {
    SourceFile* closed = open_file(image);
    if (closed == nullptr) return;
    closed->open = false;
    if (being_read->has_lines) return;
    for (SourceFile** at = &being_read->files; *at != nullptr; at = &(*at)->next)
        if (*at == closed) {
            *at = closed->next;
            break;
        }
    destroy(closed);
}

void note_tables_begin(_DebugInfo* module) {
    if (being_read == nullptr || being_read->module != nullptr) return;
    being_read->module = module;
    being_read->record = copy_of(module);
}

// The core has read the module, and begins to use it; one that it failed with is not used.
void note_read(const _DebugInfo* module) {
    if (being_read == nullptr) return;
    if (being_read->module == module && being_read->has_lines) {
        being_read->next = late;
        late = being_read;
    } else {
        forget(being_read);
    }
    being_read = nullptr;
}

void note_unloaded(const _DebugInfo* module) {
    Late* found = taken([&](const Late& each) { return each.module == module; });
    if (found != nullptr && VG_(clo_keep_debuginfo))
        read(found);
    else
        forget(found);
}

bool reads_at_once = false;

void read_all() {
    while (Late* first = taken([](const Late&) { return true; })) read(first);
}

void read_files_named(Address path) {
    for (Address at = path; at == path || *reinterpret_cast<const HChar*>(at - 1) != '\0'; ++at)
        if ((at == path || at % VKI_PAGE_SIZE == 0) && !VG_(am_is_valid_for_client)(at, 1, VKI_PROT_READ))
            return;
    const HChar* name = last_name(reinterpret_cast<const HChar*>(path));
    const auto has_name = [&](const Late& each) {
        for (const SourceFile* file = each.files; file != nullptr; file = file->next)
            if (VG_STREQ(last_name(file->path), name)) return true;
        return false;
    };
    while (Late* found = taken(has_name)) read(found);
}

}  // namespace

bool are_lines_read_later(_DebugInfo* module, bool is_of_system, const LineParts& parts) {
    if (reads_at_once || being_read == nullptr || VG_(clo_read_var_info)) return false;
    note_tables_begin(module);
    if (being_read->module != module) return false;
    if (open_file(parts.info.image) == nullptr) return false;  // a server's
    being_read->is_of_system = is_of_system;
    being_read->lines = parts;
    being_read->has_lines = true;
    return true;
}

bool are_inlined_calls_read_later(_DebugInfo* module, bool is_of_system, const FileParts& parts) {
    if (reads_at_once || being_read == nullptr || VG_(clo_read_var_info)) return false;
    if (being_read->module != module || !being_read->has_lines) return false;
    being_read->is_of_system = is_of_system;
    being_read->inlined = parts;
    being_read->has_inlined = true;
    return true;
}

bool has_late_lines() { return late != nullptr; }

LeaveSystemLines::LeaveSystemLines() { leaves_system_lines = true; }
LeaveSystemLines::~LeaveSystemLines() { leaves_system_lines = false; }

void read_no_later() {
    read_all();
    reads_at_once = true;
}

void read_before_call(u32 number, const u64* arguments) {
    if (late == nullptr) return;
#if READS_LATE
    switch (number) {
        case __NR_rename:
        case __NR_unlink: read_files_named(arguments[0]); return;
        case __NR_renameat:
        case __NR_renameat2:
        case __NR_unlinkat: read_files_named(arguments[1]); return;
        case __NR_prctl:
            if (arguments[0] == VKI_PR_SET_SECCOMP) read_all();
            return;
        case __NR_chroot:
        case __NR_mount:
        case __NR_pivot_root:
        case __NR_seccomp:
        case __NR_setfsuid:
        case __NR_setns:
        case __NR_setresuid:
        case __NR_setreuid:
        case __NR_setuid:
        case __NR_umount2:
        case __NR_unshare: read_all(); return;
        default: return;
    }
#endif
}

}  // namespace memspy::vg

#if READS_LATE

extern "C" {
using namespace memspy::vg;

void* __real_vgModuleLocal_dinfo_zalloc(const HChar*, SizeT);
void* __wrap_vgModuleLocal_dinfo_zalloc(const HChar* purpose, SizeT bytes) {
    if (record_bytes == 0 && VG_STREQ(purpose, "di.debuginfo.aDI.1")) record_bytes = bytes;
    return __real_vgModuleLocal_dinfo_zalloc(purpose, bytes);
}

void* __wrap_vgModuleLocal_img_from_local_file(const HChar* path) {
    void* image = __real_vgModuleLocal_img_from_local_file(path);
    note_opened(image, path);
    return image;
}
void __wrap_vgModuleLocal_img_done(void* image) {
    note_closed(image);
    __real_vgModuleLocal_img_done(image);
}
ULong __wrap_vgModuleLocal_img_mark_compressed_part(void* image, ULong offset, SizeT compressed,
                                                    SizeT bytes) {
    const ULong answer = __real_vgModuleLocal_img_mark_compressed_part(image, offset, compressed, bytes);
    if (SourceFile* file = open_file(image)) file->compressed.push_back({offset, compressed, bytes, answer});
    return answer;
}

using AddString = const HChar*(_DebugInfo*, const HChar*, Int);
AddString __real_vgModuleLocal_addStr, __wrap_vgModuleLocal_addStr;
const HChar* __wrap_vgModuleLocal_addStr(_DebugInfo* module, const HChar* text, Int length) {
    note_tables_begin(module);
    return __real_vgModuleLocal_addStr(module, text, length);
}
using ReadFrames = void(_DebugInfo*, FilePart, Addr, Bool);
ReadFrames __real_vgModuleLocal_read_callframe_info_dwarf3, __wrap_vgModuleLocal_read_callframe_info_dwarf3;
void __wrap_vgModuleLocal_read_callframe_info_dwarf3(_DebugInfo* module, FilePart part, Addr address,
                                                     Bool is_eh_frame) {
    note_tables_begin(module);
    __real_vgModuleLocal_read_callframe_info_dwarf3(module, part, address, is_eh_frame);
}

void __real_vgPlain_redir_notify_new_DebugInfo(_DebugInfo*);
void __wrap_vgPlain_redir_notify_new_DebugInfo(_DebugInfo* module) {
    note_read(module);
    __real_vgPlain_redir_notify_new_DebugInfo(module);
}
void __real_vgPlain_redir_notify_delete_DebugInfo(const _DebugInfo*);
void __wrap_vgPlain_redir_notify_delete_DebugInfo(const _DebugInfo* module) {
    note_unloaded(module);
    __real_vgPlain_redir_notify_delete_DebugInfo(module);
}

// Whoever asks for lines.
using GetFile = Bool(DiEpoch, Addr, const HChar**);
GetFile __real_vgPlain_get_filename, __wrap_vgPlain_get_filename;
Bool __wrap_vgPlain_get_filename(DiEpoch epoch, Addr code, const HChar** name) {
    need_lines(epoch, code);
    return __real_vgPlain_get_filename(epoch, code, name);
}
using GetLine = Bool(DiEpoch, Addr, UInt*);
GetLine __real_vgPlain_get_linenum, __wrap_vgPlain_get_linenum;
Bool __wrap_vgPlain_get_linenum(DiEpoch epoch, Addr code, UInt* line) {
    need_lines(epoch, code);
    return __real_vgPlain_get_linenum(epoch, code, line);
}
using GetFileAndLine = Bool(DiEpoch, Addr, const HChar**, const HChar**, UInt*);
GetFileAndLine __real_vgPlain_get_filename_linenum, __wrap_vgPlain_get_filename_linenum;
Bool __wrap_vgPlain_get_filename_linenum(DiEpoch epoch, Addr code, const HChar** name, const HChar** folder,
                                         UInt* line) {
    need_lines(epoch, code);
    return __real_vgPlain_get_filename_linenum(epoch, code, name, folder, line);
}
using Describe = const HChar*(DiEpoch, Addr, const InlIPCursor*);
Describe __real_vgPlain_describe_IP, __wrap_vgPlain_describe_IP;
const HChar* __wrap_vgPlain_describe_IP(DiEpoch epoch, Addr code, const InlIPCursor* cursor) {
    need_lines(epoch, code);
    return __real_vgPlain_describe_IP(epoch, code, cursor);
}
using NewCursor = InlIPCursor*(DiEpoch, Addr);
NewCursor __real_vgPlain_new_IIPC, __wrap_vgPlain_new_IIPC;
InlIPCursor* __wrap_vgPlain_new_IIPC(DiEpoch epoch, Addr code) {
    need_lines(epoch, code);
    return __real_vgPlain_new_IIPC(epoch, code);
}
}

#else

// Everything is as the core does it.
#if defined(__x86_64__)
#define GO_TO "jmp"
#else
#define GO_TO "b"
#endif
asm(R"(
    .text
    .macro AS_BEFORE names:vararg
    .irp name, \names
    .globl __wrap_\name
    .type __wrap_\name, STT_FUNC
__wrap_\name:
    )" GO_TO R"( __real_\name
    .endr
    .endm
    AS_BEFORE vgModuleLocal_dinfo_zalloc, vgModuleLocal_img_from_local_file, vgModuleLocal_img_done
    AS_BEFORE vgModuleLocal_img_mark_compressed_part, vgModuleLocal_addStr, vgModuleLocal_read_callframe_info_dwarf3
    AS_BEFORE vgPlain_redir_notify_new_DebugInfo, vgPlain_redir_notify_delete_DebugInfo
    AS_BEFORE vgPlain_get_filename, vgPlain_get_linenum, vgPlain_get_filename_linenum
    AS_BEFORE vgPlain_describe_IP, vgPlain_new_IIPC
)");

#endif
