// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/report_files.h"

#include "rt/text.h"

// Declared by the core for itself only. Of a sink only the first member is needed here.
struct XmlFileHead {
    Int descriptor;
};
extern "C" {
extern XmlFileHead VG_(xml_output_sink);
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

void move_report_files() {
    // Of most children nothing is to be kept.
    if (shares_names && VG_(get_n_errs_shown)() == errors_before_fork) return;
    move_away("--log-file", VG_(clo_log_fname_unexpanded));
    if (VG_(clo_xml)) move_away("--xml-file", VG_(clo_xml_fname_unexpanded));
}

void share_report_files() {
    shares_names = true;
    xml_is_closed = false;
    errors_before_fork = VG_(get_n_errs_shown)();
}

}  // namespace memspy::vg
