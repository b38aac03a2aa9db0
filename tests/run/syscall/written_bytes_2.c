// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: after a system call those bytes of the program's buffers are defined that the kernel wrote, and no others: calls
// that are made seldom, control data of messages, options of sockets, requests to devices.
// COMPILE: gcc -O0 -pthread
// ARCH: x86_64
// EXPECT: nothing
// PROCESSES: 2
// TIMEOUT: 120
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "written.h"

static void files(void) {
    char path[] = "written_bytes_XXXXXX", buffer[256];
    int fd = mkstemp(path);
    if (write(fd, "seventeen letters", 17) != 17) abort();
    struct statfs f;
    TWICE("fstatfs") { OUT(f); check(syscall(SYS_fstatfs, fd, &f)); }
    if (setxattr(path, "user.some", "value", 5, 0) == 0) {
        TWICE("lgetxattr") { OUT(buffer); check(lgetxattr(path, "user.some", buffer, sizeof buffer)); }
        TWICE("llistxattr") { OUT(buffer); check(llistxattr(path, buffer, sizeof buffer)); }
    }
    struct { unsigned bytes; int type; unsigned char id[128]; } handle;
    int mount;
    TWICE_WITH_GAPS("name_to_handle_at") {
        OUT(handle); OUT(mount); handle.bytes = sizeof handle.id;
        check(syscall(SYS_name_to_handle_at, AT_FDCWD, path, &handle, &mount, 0));
    }
    struct flock lock;
    TWICE_WITH_GAPS("fcntl F_OFD_GETLK") {
        OUT(lock); lock.l_type = F_WRLCK; lock.l_whence = SEEK_SET; lock.l_start = 0; lock.l_len = 0; lock.l_pid = 0;
        check(fcntl(fd, F_OFD_GETLK, &lock));
    }
    struct f_owner_ex owner;
    TWICE("fcntl F_GETOWN_EX") { OUT(owner); check(fcntl(fd, F_GETOWN_EX, &owner)); }
    int n;
    long big;
    TWICE("FIGETBSZ") { OUT(n); check(ioctl(fd, FIGETBSZ, &n)); }
    TWICE("FIOQSIZE") { OUT(big); check(ioctl(fd, 0x5460, &big)); }
    TWICE("FIONREAD") { lseek(fd, 2, SEEK_SET); OUT(n); check(ioctl(fd, FIONREAD, &n)); }
    TWICE("FS_IOC_GETFLAGS") { OUT(big); check(ioctl(fd, FS_IOC_GETFLAGS, &big)); }
    TWICE("FS_IOC_GETVERSION") { OUT(big); check(ioctl(fd, FS_IOC_GETVERSION, &big)); }
    struct fsxattr attributes;
    TWICE_WITH_GAPS("FS_IOC_FSGETXATTR") { OUT(attributes); check(ioctl(fd, FS_IOC_FSGETXATTR, &attributes)); }
    char label[256];
    TWICE_WITH_GAPS("FS_IOC_GETFSLABEL") { OUT(label); check(ioctl(fd, FS_IOC_GETFSLABEL, label)); }
    struct { struct fiemap map; struct fiemap_extent extents[4]; } extents;
    fsync(fd);
    TWICE_WITH_GAPS("FS_IOC_FIEMAP") {
        OUT(extents); memset(&extents.map, 0, sizeof extents.map);
        extents.map.fm_length = ~0ull; extents.map.fm_extent_count = 4;
        check(ioctl(fd, FS_IOC_FIEMAP, &extents));
    }
    int p[2], q[2];
    if (pipe(p) || pipe(q) || write(p[1], "some text", 9) != 9) abort();
    TWICE("vmsplice from a pipe") {
        struct iovec v = {buffer, 4};
        OUT(buffer); check(syscall(SYS_vmsplice, p[0], &v, 1ul, 0));
    }
    TWICE("read /proc") {
        int text = open("/proc/self/comm", O_RDONLY);
        OUT(buffer); check(read(text, buffer, sizeof buffer)); close(text);
    }
    TWICE("read /dev/zero") { int zero = open("/dev/zero", O_RDONLY); OUT(buffer); check(read(zero, buffer, 100)); close(zero); }
    TWICE("read failing") { OUT(buffer); check(read(-1, buffer, 100)); }
    aio_context_t context = 0;
    TWICE("io_setup") { OUT(context); context = 0; check(syscall(SYS_io_setup, 4, &context)); if (round_number == 0) syscall(SYS_io_destroy, context); }
    struct io_event events[4];
    TWICE("io_getevents") {
        struct iocb one, *list[] = {&one};
        memset(&one, 0, sizeof one);
        one.aio_lio_opcode = IOCB_CMD_PREAD; one.aio_fildes = fd; one.aio_buf = (uintptr_t)buffer; one.aio_nbytes = sizeof buffer;
        OUT(buffer); OUT(events);
        syscall(SYS_io_submit, context, 1, list);
        check(syscall(SYS_io_getevents, context, 1, 4, events, NULL));
    }
    unlink(path);
}

static void processes(void) {
    unsigned char attributes[56];
    TWICE("sched_getattr") { OUT(attributes); check(syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0)); }
    void* address;
    TWICE("prctl PR_GET_TID_ADDRESS") { OUT(address); check(syscall(SYS_prctl, 40, &address, 0, 0, 0)); }
    unsigned char vector[1024];
    TWICE("prctl PR_GET_AUXV") { OUT(vector); check(syscall(SYS_prctl, 0x41555856, vector, sizeof vector, 0, 0)); }
    int mode;
    unsigned long nodes[16];
    TWICE("get_mempolicy") { OUT(mode); OUT(nodes); check(syscall(SYS_get_mempolicy, &mode, nodes, 64ul, 0ul, 0ul)); }
    int status[3];
    TWICE("move_pages") { void* pages[2] = {&mode, status}; OUT(status); check(syscall(SYS_move_pages, 0, 2ul, pages, NULL, status, 0)); }
    char from[32] = "some text to copy", into[64];
    TWICE("process_vm_writev") {
        struct iovec local = {from, 20}, remote = {into, sizeof into};
        OUT(into); check(syscall(SYS_process_vm_writev, getpid(), &local, 1ul, &remote, 1ul, 0ul));
    }
    struct timex x;
    TWICE_WITH_GAPS("clock_adjtime") { OUT(x); memset(&x.modes, 0, sizeof x.modes); check(syscall(SYS_clock_adjtime, CLOCK_REALTIME, &x)); }
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec soon = {{0, 1000}, {0, 1000}};
    timerfd_settime(timer, 0, &soon, NULL);
    char eight[32];
    TWICE("read timerfd") { OUT(eight); check(read(timer, eight, sizeof eight)); }
    stack_t stack, old;
    static char other[65536];
    TWICE_WITH_GAPS("sigaltstack set") { memset(&stack, 0, sizeof stack); stack.ss_sp = other; stack.ss_size = sizeof other; OUT(old); check(syscall(SYS_sigaltstack, &stack, &old)); }
    unsigned words[2];
    TWICE("futex LOCK_PI") { OUT(words); words[0] = 0; check(syscall(SYS_futex, words, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0)); syscall(SYS_futex, words, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0); }
    TWICE("futex WAKE_OP") { OUT(words); words[0] = 0; words[1] = 0; check(syscall(SYS_futex, words, FUTEX_WAKE_OP_PRIVATE, 0, 0l, words + 1, FUTEX_OP(FUTEX_OP_SET, 7, FUTEX_OP_CMP_EQ, 9))); }
    int p[2];
    if (pipe(p) || write(p[1], "x", 1) != 1) abort();
    struct timespec left;
    struct { int fd; short events, got; } polled;
    TWICE("ppoll with a time") { OUT(left); OUT(polled); left.tv_sec = 0; left.tv_nsec = 1000; polled.fd = p[0]; polled.events = 1; check(syscall(SYS_ppoll, &polled, 1ul, &left, NULL, 8ul)); }
    // A question with room for its answer, to which the kernel says no.
    struct uffdio_api api;
    TWICE_WITH_GAPS("UFFDIO_API of a pipe") { OUT(api); api.api = UFFD_API; api.features = 0; check(ioctl(p[0], UFFDIO_API, &api)); }
}

static void traced(void) {
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) raise(SIGSTOP);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return;  // a container may refuse it
    struct user_regs_struct registers;
    TWICE("ptrace GETREGS") { OUT(registers); check(ptrace(PTRACE_GETREGS, child, NULL, &registers)); }
    struct user_fpregs_struct floats;
    TWICE("ptrace GETFPREGS") { OUT(floats); check(ptrace(PTRACE_GETFPREGS, child, NULL, &floats)); }
    siginfo_t info;
    TWICE_WITH_GAPS("ptrace GETSIGINFO") { OUT(info); check(ptrace(PTRACE_GETSIGINFO, child, NULL, &info)); }
    TWICE("ptrace GETREGSET") { struct iovec v = {&registers, 64}; OUT(registers); check(ptrace(PTRACE_GETREGSET, child, (void*)1, &v)); }
    long word;
    TWICE("ptrace PEEKDATA") { OUT(word); check(syscall(SYS_ptrace, PTRACE_PEEKDATA, child, &status, &word)); }
    TWICE("ptrace GETEVENTMSG") { OUT(word); check(ptrace(PTRACE_GETEVENTMSG, child, NULL, &word)); }
    TWICE("ptrace GETSIGMASK") { OUT(word); check(ptrace(PTRACE_GETSIGMASK, child, (void*)8, &word)); }
    ptrace(PTRACE_CONT, child, NULL, NULL);
    waitpid(child, &status, 0);
}

static void send_with(int fd, int type, const void* data, size_t bytes) {
    char control[64] = {0};
    struct iovec v = {"abc", 3};
    struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(bytes)};
    struct cmsghdr* c = CMSG_FIRSTHDR(&h);
    c->cmsg_level = SOL_SOCKET; c->cmsg_type = type; c->cmsg_len = CMSG_LEN(bytes);
    memcpy(CMSG_DATA(c), data, bytes);
    if (sendmsg(fd, &h, 0) != 3) abort();
}

// What the kernel leaves out between control messages is a gap of some bytes.
static void control_data(void) {
    int s[2];
    char a[64], control[256];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s)) abort();
    const int one = 1, fds[] = {0, 1, 2};
    const struct { int type; const void* data; size_t bytes, room; const char* name; } sent[] = {
        {SCM_RIGHTS, fds, 12, 256, "recvmsg SCM_RIGHTS"}, {SCM_RIGHTS, fds, 12, 24, "recvmsg SCM_RIGHTS short"},
        {SCM_RIGHTS, fds, 4, 256, "recvmsg SCM_RIGHTS one"}};
    for (int i = 0; i < 3; i++)
        TWICE_WITH_GAPS(sent[i].name) {
            struct iovec v = {a, sizeof a};
            struct msghdr h;
            send_with(s[0], sent[i].type, sent[i].data, sent[i].bytes);
            OUT(a); OUT(control); OUT(h); memset(&h, 0, sizeof h);
            h.msg_iov = &v; h.msg_iovlen = 1; h.msg_control = control; h.msg_controllen = sent[i].room;
            check(syscall(SYS_recvmsg, s[1], &h, 0));
        }
    setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &one, sizeof one);
    int udp = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    if (bind(udp, (struct sockaddr*)&here, size) || getsockname(udp, (struct sockaddr*)&here, &size)) abort();
    connect(udp, (struct sockaddr*)&here, size);
    setsockopt(udp, IPPROTO_IP, IP_PKTINFO, &one, sizeof one);
    setsockopt(udp, IPPROTO_IP, IP_RECVTTL, &one, sizeof one);
    setsockopt(udp, IPPROTO_IP, IP_RECVTOS, &one, sizeof one);
    setsockopt(udp, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
    const struct { int from, to; size_t room; int flags; const char* name; } got[] = {
        {s[0], s[1], 256, 0, "recvmsg SCM_CREDENTIALS"}, {udp, udp, 256, 0, "recvmsg IP_PKTINFO"},
        {udp, udp, 44, 0, "recvmsg IP_PKTINFO short"},   {udp, udp, 256, MSG_PEEK, "recvmsg MSG_PEEK"},
        {udp, udp, 0, 0, "recvmsg no control"}};
    for (int i = 0; i < 5; i++)
        TWICE_WITH_GAPS(got[i].name) {
            struct iovec v = {a, sizeof a};
            struct msghdr h;
            if (write(got[i].from, "abcde", 5) != 5) abort();
            OUT(a); OUT(control); OUT(h); memset(&h, 0, sizeof h);
            h.msg_iov = &v; h.msg_iovlen = 1; h.msg_control = control; h.msg_controllen = got[i].room;
            check(syscall(SYS_recvmsg, got[i].to, &h, got[i].flags));
        }
    TWICE_WITH_GAPS("recvmmsg with control and time") {
        char b[2][32], c[2][128];
        struct iovec v[2] = {{b[0], 32}, {b[1], 32}};
        struct mmsghdr h[2];
        struct timespec limit;
        for (int i = 0; i < 2; i++) if (write(udp, "abcde", 5) != 5) abort();
        OUT(b); OUT(c); OUT(h); OUT(limit); memset(h, 0, sizeof h); limit.tv_sec = 1; limit.tv_nsec = 0;
        for (int i = 0; i < 2; i++) { h[i].msg_hdr.msg_iov = &v[i]; h[i].msg_hdr.msg_iovlen = 1; h[i].msg_hdr.msg_control = c[i]; h[i].msg_hdr.msg_controllen = 128; }
        check(syscall(SYS_recvmmsg, udp, h, 2, 0, &limit));
    }
    TWICE("recvfrom MSG_PEEK") { if (write(s[0], "abc", 3) != 3) abort(); OUT(a); check(syscall(SYS_recvfrom, s[1], a, sizeof a, MSG_PEEK, NULL, NULL)); }
    TWICE("readv of a socket") { struct iovec v[] = {{a, 2}, {control, 64}}; if (write(s[0], "abcde", 5) != 5) abort(); OUT(a); OUT(control); check(readv(s[1], v, 2)); }
}

static void sockets(void) {
    int s[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, s)) abort();
    const int tcp = socket(AF_INET, SOCK_STREAM, 0), listener = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    if (bind(listener, (struct sockaddr*)&here, size) || listen(listener, 1) || getsockname(listener, (struct sockaddr*)&here, &size) || connect(tcp, (struct sockaddr*)&here, size)) abort();
    char option[512];
    socklen_t length;
    const struct { int fd, level, number; const char* name; } options[] = {
        {tcp, SOL_SOCKET, SO_ERROR, "SO_ERROR"}, {tcp, SOL_SOCKET, SO_RCVTIMEO, "SO_RCVTIMEO"}, {tcp, SOL_SOCKET, SO_DOMAIN, "SO_DOMAIN"},
        {tcp, SOL_SOCKET, SO_COOKIE, "SO_COOKIE"}, {tcp, SOL_SOCKET, SO_MEMINFO, "SO_MEMINFO"}, {tcp, SOL_SOCKET, SO_PEERNAME, "SO_PEERNAME"},
        {s[0], SOL_SOCKET, SO_PEERGROUPS, "SO_PEERGROUPS"}, {s[0], SOL_SOCKET, SO_PEERSEC, "SO_PEERSEC"}, {tcp, SOL_SOCKET, SO_BINDTODEVICE, "SO_BINDTODEVICE"},
        {tcp, SOL_SOCKET, SO_GET_FILTER, "SO_GET_FILTER"}, {s[0], SOL_SOCKET, 77, "SO_PEERPIDFD"},
        {tcp, IPPROTO_TCP, TCP_MAXSEG, "TCP_MAXSEG"}, {tcp, IPPROTO_TCP, TCP_CC_INFO, "TCP_CC_INFO"}, {tcp, IPPROTO_TCP, TCP_FASTOPEN_KEY, "TCP_FASTOPEN_KEY"},
        {tcp, IPPROTO_IP, IP_MTU, "IP_MTU"}, {tcp, IPPROTO_IP, IP_OPTIONS, "IP_OPTIONS"}, {udp, IPPROTO_IP, IP_MULTICAST_TTL, "IP_MULTICAST_TTL"},
        {udp, IPPROTO_IP, IP_MULTICAST_IF, "IP_MULTICAST_IF"}};
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
        TWICE_WITH_GAPS(options[i].name) { OUT(option); OUT(length); length = sizeof option; check(syscall(SYS_getsockopt, options[i].fd, options[i].level, options[i].number, option, &length)); }
    int n;
    TWICE("SIOCOUTQ") { OUT(n); check(ioctl(tcp, SIOCOUTQ, &n)); }
    TWICE("SIOCINQ") { OUT(n); check(ioctl(tcp, SIOCINQ, &n)); }
    TWICE("SIOCATMARK") { OUT(n); check(ioctl(tcp, SIOCATMARK, &n)); }
    TWICE("SIOCGPGRP") { OUT(n); check(ioctl(tcp, SIOCGPGRP, &n)); }
    TWICE("FIOGETOWN") { OUT(n); check(ioctl(tcp, 0x8903, &n)); }
    struct ifreq request;
    const struct { unsigned long number; const char* name; } requests[] = {{SIOCGIFNAME, "SIOCGIFNAME"}, {SIOCGIFTXQLEN, "SIOCGIFTXQLEN"}, {SIOCGIFMAP, "SIOCGIFMAP"}, {SIOCGIFDSTADDR, "SIOCGIFDSTADDR"}, {SIOCGIFPFLAGS, "SIOCGIFPFLAGS"}};
    for (int i = 0; i < 5; i++)
        TWICE_WITH_GAPS(requests[i].name) { OUT(request); if (i == 0) request.ifr_ifindex = 1; else strncpy(request.ifr_name, "lo", IFNAMSIZ); check(ioctl(udp, requests[i].number, &request)); }
    TWICE_WITH_GAPS("SIOCETHTOOL") { unsigned char answer[256]; OUT(request); OUT(answer); strncpy(request.ifr_name, "lo", IFNAMSIZ); request.ifr_data = (char*)answer; const unsigned link = 0xa; memcpy(answer, &link, 4); check(ioctl(udp, SIOCETHTOOL, &request)); }
    const int route = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    struct { struct nlmsghdr head; struct rtgenmsg kind; } ask;
    char answer[8192];
    struct sockaddr_nl peer;
    TWICE_WITH_GAPS("recvfrom netlink") {
        memset(&ask, 0, sizeof ask);
        ask.head.nlmsg_len = sizeof ask; ask.head.nlmsg_type = RTM_GETLINK; ask.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP; ask.kind.rtgen_family = AF_UNSPEC;
        if (send(route, &ask, sizeof ask, 0) < 0) abort();
        OUT(answer); OUT(peer); OUT(length); length = sizeof peer;
        check(syscall(SYS_recvfrom, route, answer, sizeof answer, 0, &peer, &length));
        while (recv(route, option, sizeof option, MSG_DONTWAIT) > 0) {}
    }
}

static void ask(int fd, const char* name, unsigned long request, size_t bytes) {
    static unsigned char answer[256];
    if (fd < 0) return;
    TWICE_WITH_GAPS(name) { out(answer, bytes, "answer"); check(syscall(SYS_ioctl, fd, request, answer)); }
}

static void devices(void) {
    int parent, child;
    if (openpty(&parent, &child, NULL, NULL, NULL)) return;
    ask(parent, "TIOCGPGRP", TIOCGPGRP, 8);
    ask(child, "TIOCGSID", TIOCGSID, 8);
    ask(child, "TIOCOUTQ", TIOCOUTQ, 8);
    ask(child, "TIOCGEXCL", TIOCGEXCL, 8);
    ask(parent, "TIOCGPKT", TIOCGPKT, 8);
    ask(child, "TIOCGDEV", TIOCGDEV, 8);
    ask(child, "TIOCGLCKTRMIOS", TIOCGLCKTRMIOS, 64);
    ask(child, "TIOCMGET", TIOCMGET, 8);
    ask(child, "TIOCGICOUNT", TIOCGICOUNT, 128);
    ask(child, "TIOCGSERIAL", TIOCGSERIAL, 128);
    ask(child, "KDGKBMODE", 0x4b44, 8);
    ask(child, "VT_GETSTATE", 0x5603, 16);
    const int disk = open("/dev/vda", O_RDONLY);
    ask(disk, "BLKIOMIN", 0x1278, 8);
    ask(disk, "BLKIOOPT", 0x1279, 8);
    ask(disk, "BLKALIGNOFF", 0x127a, 8);
    ask(disk, "BLKDISCARDZEROES", 0x127c, 8);
    ask(disk, "BLKROTATIONAL", 0x127e, 8);
    ask(disk, "BLKBSZGET", 0x80081270, 8);
    ask(disk, "BLKFRAGET", 0x1265, 8);
    ask(disk, "BLKSECTGET", 0x1267, 8);
    ask(disk, "BLKGETZONESZ", 0x80041284, 8);
    ask(disk, "BLKGETDISKSEQ", 0x80081280, 16);
    ask(disk, "HDIO_GETGEO", 0x301, 32);
    ask(disk, "CDROM_GET_CAPABILITY", 0x5331, 16);
    ask(disk, "SG_IO version", 0x2282, 8);
    const int random = open("/dev/random", O_RDONLY);
    ask(random, "RNDGETENTCNT", RNDGETENTCNT, 8);
    const int tun = open("/dev/net/tun", O_RDWR);
    ask(tun, "TUNGETFEATURES", TUNGETFEATURES, 8);
    const int loop = open("/dev/loop-control", O_RDWR);
    ask(loop, "LOOP_CTL_GET_FREE", 0x4c82, 8);
    ask(open("/dev/loop0", O_RDONLY), "LOOP_GET_STATUS64", 0x4c05, 256);
    ask(open("/dev/kvm", O_RDWR), "KVM_GET_API_VERSION", 0xae00, 8);
    ask(open("/dev/rtc0", O_RDONLY), "RTC_RD_TIME", 0x80247009, 64);
    ask(open("/dev/hpet", O_RDONLY), "HPET_INFO", 0x80186803, 32);
    ask(open("/proc/self/ns/user", O_RDONLY), "NS_GET_OWNER_UID", 0xb704, 8);
    ask(open("/dev/watchdog", O_RDONLY), "WDIOC_GETSUPPORT", 0x80285700, 64);
    ask(open("/dev/input/event0", O_RDONLY), "EVIOCGVERSION", 0x80044501, 8);
}

int main(void) {
    if (!RUNNING_ON_VALGRIND) return 0;
    files();
    processes();
    traced();
    control_data();
    sockets();
    devices();
    printf("%d differences in %d calls\n", failures, calls);
    return failures != 0;
}
