// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mix/io.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/clock.h"
#include "vg/vg.h"

namespace memspy::mix {
namespace {

struct IoCall {
    u32 number;
    const char* name;
    bool writes;
};
constexpr IoCall kCalls[] = {
    {__NR_read, "read", false},          {__NR_pread64, "pread", false},
    {__NR_readv, "readv", false},        {__NR_preadv, "preadv", false},
    {__NR_recvfrom, "recvfrom", false},  {__NR_recvmsg, "recvmsg", false},
    {__NR_write, "write", true},         {__NR_pwrite64, "pwrite", true},
    {__NR_writev, "writev", true},       {__NR_pwritev, "pwritev", true},
    {__NR_sendto, "sendto", true},       {__NR_sendmsg, "sendmsg", true},
    {__NR_sendfile, "sendfile", true},   {__NR_fsync, "fsync", true},
    {__NR_fdatasync, "fdatasync", true},
};

rt::Global<rt::Vector<u64>> began;  // by slot of a thread: microseconds
rt::Global<rt::Vector<IoRow>> rows;
rt::Global<rt::HashMap<u32>> row_of;  // by call, stack and thread: index + 1

const IoCall* find_call(u32 number) {
    for (const IoCall& call : kCalls)
        if (call.number == number) return &call;
    return nullptr;
}

}  // namespace

void io_begins(threads::Thread t, u32 number) {
    if (find_call(number) == nullptr) return;
    if (began->size() <= t.slot) began->resize(t.slot + 1);
    (*began)[t.slot] = vg::wall_microseconds();
}

void io_ends(threads::Thread t, u32 guest_id, u32 number, i64 result) {
    const IoCall* const call = find_call(number);
    if (call == nullptr || began->size() <= t.slot) return;
    const u64 now = vg::wall_microseconds(), then = (*began)[t.slot];
    const u32 stack = static_cast<u32>(id_of(VG_(record_ExeContext)(guest_id, 0)));
    const u64 which = static_cast<u64>(call - kCalls);
    u32& index = (*row_of)[which << 56 ^ u64{t.serial} << 32 ^ stack];
    if (index == 0) {
        rows->push_back(IoRow{.stack = ContextId{stack}, .thread = t.serial, .call = call->name});
        index = static_cast<u32>(rows->size());
    }
    IoRow& row = (*rows)[index - 1];
    ++row.calls;
    // The clock may have been set back.
    if (now > then) row.microseconds += now - then;
    if (result > 0) (call->writes ? row.written : row.read) += static_cast<u64>(result);
}

void forget_io() {
    rows->clear();
    row_of->clear();
}

const rt::Vector<IoRow>& io_rows() { return *rows; }

}  // namespace memspy::mix
