# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the two parts are compiled and linked, wherever that is done: here, or in Valgrind's source tree.

warnings = -Wall -Wextra -Wshadow -Wconversion
# What each part may include: its own folder, what all parts share, and the client requests.
tool_includes = -I$(srcdir)/memspy/tool -I$(srcdir)/memspy/common -I$(srcdir)/memspy
preload_includes = -I$(srcdir)/memspy -I$(srcdir)/memspy/common
program_includes = $(preload_includes)

platform_flags_amd64 =
# The helpers that GCC would call for outline atomics are in libc's start-up, which neither part has.
platform_flags_arm64 = -mno-outline-atomics

# The tool: freestanding C++ over the static core. It is a program without libc and without start-up
# files, loaded where the core expects itself to be. The core reads the tool's own debug information, and
# cores of 3.19 stop at what clang writes as DWARF 5.
tool_cxxflags = \
	-std=c++20 -O2 -gdwarf-4 $(warnings) -fno-pie \
	-ffreestanding -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-stack-protector -fno-builtin \
	-fno-strict-aliasing -fomit-frame-pointer
tool_ldflags = \
	-static -nodefaultlibs -nostartfiles -no-pie -u _start -Wl,--build-id=none -Wl,--wrap=vgPlain_string_match \
	-Wl,--wrap=vgPlain_maybe_Z_demangle -Wl,--wrap=vgPlain_DebugInfo_get_soname \
	-Wl,--wrap=vgPlain_DebugInfo_syms_getidx \
	-Wl,--wrap=vgModuleLocal_new_dwarf3_reader -Wl,--wrap=vgModuleLocal_read_debuginfo_dwarf3 \
	-Wl,--wrap=vgModuleLocal_dinfo_zalloc -Wl,--wrap=vgModuleLocal_img_from_local_file \
	-Wl,--wrap=vgModuleLocal_img_done -Wl,--wrap=vgModuleLocal_img_mark_compressed_part \
	-Wl,--wrap=vgModuleLocal_addStr -Wl,--wrap=vgModuleLocal_read_callframe_info_dwarf3 \
	-Wl,--wrap=vgPlain_redir_notify_new_DebugInfo -Wl,--wrap=vgPlain_redir_notify_delete_DebugInfo \
	-Wl,--wrap=vgPlain_get_filename -Wl,--wrap=vgPlain_get_linenum -Wl,--wrap=vgPlain_get_filename_linenum \
	-Wl,--wrap=vgPlain_generic_match -Wl,--wrap=vgPlain_describe_IP -Wl,--wrap=vgPlain_new_IIPC \
	-Wl,--wrap=vgModuleLocal_addLineInfo -Wl,--wrap=vgPlain_am_get_advisory \
	-Wl,--wrap=vgPlain_am_do_mmap_NO_NOTIFY -Wl,--wrap=vgModuleLocal_generic_PRE_sys_mmap \
	-Wl,--wrap=vgPlain_gdbserver_report_signal -Wl,--wrap=vgPlain_sigframe_create \
	-Wl,--wrap=vgModuleLocal_generic_POST_sys_recvfrom -Wl,--wrap=vgSysWrap_linux_sys_io_uring_enter_before \
	-Wl,--wrap=vgSysWrap_generic_sys_execve_before \
	-Wl,--wrap=vgPlain_am_mmap_client_heap -Wl,--wrap=vgPlain_nuke_all_threads_except \
	-Wl,--wrap=vgPlain_client_exit -Wl,--wrap=vgPlain_printf \
	-Wl,--wrap=vgModuleLocal_acquire_sched_lock -Wl,--wrap=vgModuleLocal_release_sched_lock \
	-Wl,--wrap=vgPlain_record_ExeContext -Wl,--wrap=vgPlain_use_CF_info \
	-Wl,--wrap=LibVEX_Translate -Wl,--wrap=sanityCheckIRSB -Wl,--wrap=do_deadcode_BB -Wl,--wrap=cprop_BB

# The library that is preloaded into the client: the core's malloc replacement, whole, and our functions. It has
# no line information (-S), so that a stack shows strcpy and not also the functions inlined into it; suppressions
# written for Memcheck match that way.
# It must win over libc and be set up before it, and must not pull libc in by itself.
preload_cflags = \
	-O2 -gdwarf-4 $(warnings) -fPIC -fno-builtin -fno-omit-frame-pointer -fno-strict-aliasing -fno-stack-protector
preload_ldflags = -nodefaultlibs -shared -Wl,-S,-z,interpose,-z,initfirst
# libc has two versions of memcpy on amd64; elsewhere one, which a name without a version answers too.
exports_amd64 = $(srcdir)/memspy/preload/exports-amd64.map
exports_arm64 =
