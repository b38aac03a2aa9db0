// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/report_files.h"

#include "rt/text.h"

// Declared by the core for itself only.
struct ReportSink {
    Int descriptor;
    Int type;
    HChar* path;  // of a file, expanded
};
extern "C" {
extern ReportSink VG_(log_output_sink), VG_(xml_output_sink);
extern void VG_(logging_atfork_child)(ThreadId thread);
extern const HChar* VG_(clo_log_fname_unexpanded);
extern const HChar* VG_(clo_xml_fname_unexpanded);
extern UInt VG_(get_n_errs_shown)(void);
}

namespace memspy::vg {
namespace {

bool shares_names = false;
bool xml_is_closed = false;
UInt errors_in_xml = 0;
UInt errors_before_fork = 0;
constexpr Int kFileType = 1;
const HChar* log_name = nullptr;  // during a fork: --log-file, which the core does not see

bool is_own(const HChar* name) {
    return name != nullptr &&
           (!shares_names || VG_(strstr)(name, "%p") != nullptr || VG_(strstr)(name, "%n") != nullptr);
}

bool exists(const HChar* path) {
    struct vg_stat file;
    return !sr_isError(VG_(stat)(path, &file));
}

void move_away(const HChar* option, const HChar* name) {
    if (!is_own(name)) return;
    HChar* path = VG_(expand_file_name)(option, name);
    HChar* moved = numbered_path(path);
    VG_(rename)(path, moved);
    VG_(free)(moved);
    VG_(free)(path);
}

// The last of two equal options counts.
void name_another(const HChar* option, const HChar* name) {
    if (name == nullptr || is_own(name)) return;
    HChar* path = VG_(expand_file_name)(option, name);
    for (;;) {
        HChar* numbered = numbered_path(path);
        // Made at once, so that another child does not take the same number.
        const SysRes made = VG_(open)(numbered, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0644);
        if (!sr_isError(made) || sr_Err(made) != VKI_EEXIST) {
            if (!sr_isError(made)) VG_(close)(static_cast<Int>(sr_Res(made)));
            rt::Text text;
            text.add(option).add('=').add(numbered);
            const HChar* argument = VG_(strdup)("memspy.argument", text.c_str());
            VG_(addToXA)(VG_(args_for_valgrind), &argument);
            VG_(free)(numbered);
            break;
        }
        VG_(free)(numbered);
    }
    VG_(free)(path);
}

}  // namespace

void close_xml_for_now() {
    if (!VG_(clo_xml) || VG_(clo_xml_fname_unexpanded) == nullptr) return;
    if (xml_is_closed && VG_(get_n_errs_shown)() == errors_in_xml) return;
    xml_is_closed = true;
    errors_in_xml = VG_(get_n_errs_shown)();
    constexpr HChar kEnd[] = "\n</valgrindoutput>\n";
    const Int descriptor = VG_(xml_output_sink).descriptor;
    const Off64T here = descriptor < 0 ? -1 : VG_(lseek)(descriptor, 0, VKI_SEEK_CUR);
    if (here < 0) return;
    VG_(write)(descriptor, kEnd, sizeof kEnd - 1);
    VG_(lseek)(descriptor, here, VKI_SEEK_SET);
}

HChar* numbered_path(const HChar* path) {
    // The extension begins at the last point of the file's own name.
    const HChar* slash = VG_(strrchr)(path, '/');
    const HChar* point = VG_(strrchr)(path, '.');
    usize stem = VG_(strlen)(path);
    if (point != nullptr && (slash == nullptr || point > slash + 1) && !VG_(isdigit)(point[1]))
        stem = static_cast<usize>(point - path);
    rt::Text numbered;
    u64 number = 0;
    do {
        numbered.reset();
        numbered.add(path);
        numbered.cut(stem);
        numbered.add('.').add_plain(++number).add(path + stem);
    } while (exists(numbered.c_str()));
    return VG_(strdup)("memspy.numbered_path", numbered.c_str());
}

void make_way_for_exec() {
    if (shares_names) {
        name_another("--log-file", VG_(clo_log_fname_unexpanded));
        if (VG_(clo_xml)) name_another("--xml-file", VG_(clo_xml_fname_unexpanded));
    }
    // Of most children nothing is to be kept.
    if (shares_names && VG_(get_n_errs_shown)() == errors_before_fork) return;
    move_away("--log-file", VG_(clo_log_fname_unexpanded));
    if (VG_(clo_xml)) move_away("--xml-file", VG_(clo_xml_fname_unexpanded));
}

// The core opens the child's files. Where it opens another log file, it does not come to the XML file, and
// writes the child's XML to the parent's. So it sees a log file that remains the same; the log file is opened
// afterwards, without XML and preamble, which are written by then.
static void hide_log_name(ThreadId) {
    if (!VG_(clo_xml) || VG_(log_output_sink).type != kFileType || VG_(xml_output_sink).type != kFileType)
        return;
    log_name = VG_(clo_log_fname_unexpanded);
    VG_(clo_log_fname_unexpanded) = VG_(log_output_sink).path;
}
static void show_log_name(ThreadId) {
    if (log_name != nullptr) VG_(clo_log_fname_unexpanded) = log_name;
    log_name = nullptr;
}
static void open_log_of_child(ThreadId thread) {
    if (log_name == nullptr) return;
    show_log_name(thread);
    const Int verbosity = VG_(clo_verbosity);
    VG_(clo_xml) = False;
    VG_(clo_verbosity) = 0;
    VG_(logging_atfork_child)(thread);
    VG_(clo_xml) = True;
    VG_(clo_verbosity) = verbosity;
}

void register_report_files() { VG_(atfork)(hide_log_name, show_log_name, open_log_of_child); }

void share_report_files() {
    shares_names = true;
    xml_is_closed = false;
    errors_before_fork = VG_(get_n_errs_shown)();
}

}  // namespace memspy::vg
