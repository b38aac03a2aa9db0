// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: after a system call those bytes of the program's buffers are defined that the kernel wrote, and no others.
// PROVES: ARM64 has fewer calls.
// COMPILE: gcc -O0 -pthread
// EXPECT: nothing
// PROCESSES: 5
// TIMEOUT: 120
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

#include "written.h"

static void send_to(int fd, const char* text) { if (write(fd, text, strlen(text)) < 0) abort(); }

static void files(void) {
    char buffer[256];
    char path[] = "written_bytes_XXXXXX";
    int fd = mkstemp(path);
    char other_path[] = "written_bytes_XXXXXX";
    int other = mkstemp(other_path);
    send_to(fd, "seventeen letters");
    TWICE("read") { lseek(fd, 4, SEEK_SET); OUT(buffer); check(read(fd, buffer, sizeof buffer)); }
    TWICE("read at the end") { lseek(fd, 0, SEEK_END); OUT(buffer); check(read(fd, buffer, sizeof buffer)); }
    TWICE("pread64") { OUT(buffer); check(pread(fd, buffer, sizeof buffer, 9)); }
    TWICE("readv") {
        char a[5], b[100];
        struct iovec v[] = {{a, sizeof a}, {b, sizeof b}};
        OUT(a); OUT(b); lseek(fd, 2, SEEK_SET);
        check(readv(fd, v, 2));
    }
    TWICE("preadv") {
        char a[5], b[100];
        struct iovec v[] = {{a, sizeof a}, {b, sizeof b}};
        OUT(a); OUT(b);
        check(preadv(fd, v, 2, 3));
    }
    TWICE("preadv2") {
        char a[5], b[100];
        struct iovec v[] = {{a, sizeof a}, {b, sizeof b}};
        OUT(a); OUT(b);
        check(preadv2(fd, v, 2, 3, 0));
    }
    struct stat s;
#ifdef __x86_64__
    TWICE("stat") { OUT(s); check(syscall(SYS_stat, path, &s)); }
    TWICE("lstat") { OUT(s); check(syscall(SYS_lstat, path, &s)); }
#endif
    TWICE("fstat") { OUT(s); check(syscall(SYS_fstat, fd, &s)); }
    TWICE("newfstatat") { OUT(s); check(syscall(SYS_newfstatat, AT_FDCWD, path, &s, 0)); }
    struct statx x;
    TWICE("statx") { OUT(x); check(syscall(SYS_statx, AT_FDCWD, path, 0, STATX_ALL, &x)); }
    struct statfs f;
    TWICE("statfs") { OUT(f); check(syscall(SYS_statfs, path, &f)); }
    TWICE_WITH_GAPS("getdents64") {
        char entries[4096];
        int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
        OUT(entries);
        check(syscall(SYS_getdents64, folder, entries, sizeof entries));
        close(folder);
    }
#ifdef __x86_64__
    TWICE_WITH_GAPS("getdents") {
        char entries[4096];
        int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
        OUT(entries);
        check(syscall(SYS_getdents, folder, entries, sizeof entries));
        close(folder);
    }
#endif
    TWICE("readlink") { OUT(buffer); check(readlink("/proc/self/cwd", buffer, sizeof buffer)); }
    TWICE("readlinkat") { OUT(buffer); check(readlinkat(AT_FDCWD, "/proc/self/cwd", buffer, sizeof buffer)); }
    TWICE("readlink short") { OUT(buffer); check(readlink("/proc/self/cwd", buffer, 3)); }
    TWICE("getcwd") { OUT(buffer); check(syscall(SYS_getcwd, buffer, sizeof buffer)); }
    if (setxattr(path, "user.some", "value", 5, 0) == 0) {
        TWICE("getxattr") { OUT(buffer); check(getxattr(path, "user.some", buffer, sizeof buffer)); }
        TWICE("fgetxattr") { OUT(buffer); check(fgetxattr(fd, "user.some", buffer, sizeof buffer)); }
        TWICE("listxattr") { OUT(buffer); check(listxattr(path, buffer, sizeof buffer)); }
        TWICE("flistxattr") { OUT(buffer); check(flistxattr(fd, buffer, sizeof buffer)); }
    }
    loff_t from, to;
    TWICE("copy_file_range") {
        OUT(from); OUT(to); from = 0; to = 0;
        check(syscall(SYS_copy_file_range, fd, &from, other, &to, 17ul, 0));
    }
    off_t offset;
    TWICE("sendfile") { OUT(offset); offset = 3; check(sendfile(other, fd, &offset, 5)); }
    int pipes[2];
#ifdef __x86_64__
    TWICE("pipe") { OUT(pipes); check(syscall(SYS_pipe, pipes)); close(pipes[0]); close(pipes[1]); }
#endif
    TWICE("pipe2") { OUT(pipes); check(pipe2(pipes, O_CLOEXEC)); }
    TWICE("splice") { OUT(from); from = 2; check(splice(fd, &from, pipes[1], NULL, 3, 0)); }
    TWICE("read pipe") { OUT(buffer); check(read(pipes[0], buffer, 2)); }
    struct flock lock;
    TWICE_WITH_GAPS("fcntl F_GETLK") {
        OUT(lock); lock.l_type = F_WRLCK; lock.l_whence = SEEK_SET; lock.l_start = 0; lock.l_len = 0;
        check(fcntl(fd, F_GETLK, &lock));
    }
    unsigned char resident[64];
    void* map = mmap(NULL, 4096 * 3, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TWICE("mincore") { OUT(resident); check(mincore(map, 4096 * 3, resident)); }
    unlink(path);
    unlink(other_path);
    close(fd);
    close(other);
    close(pipes[0]);
    close(pipes[1]);
}

static void processes(void) {
    struct rlimit limit, new_limit = {0, 0};
    TWICE("getrlimit") { OUT(limit); check(syscall(SYS_getrlimit, RLIMIT_CPU, &limit)); }
    TWICE("prlimit64") { OUT(limit); check(syscall(SYS_prlimit64, 0, RLIMIT_CORE, &new_limit, &limit)); }
    struct rusage usage;
    TWICE("getrusage") { OUT(usage); check(syscall(SYS_getrusage, RUSAGE_SELF, &usage)); }
    struct sysinfo info;
    TWICE("sysinfo") { OUT(info); check(syscall(SYS_sysinfo, &info)); }
    struct utsname name;
    TWICE("uname") { OUT(name); check(syscall(SYS_uname, &name)); }
    struct tms t;
    TWICE("times") { OUT(t); check(syscall(SYS_times, &t)); }
    uid_t a, b, c;
    TWICE("getresuid") { OUT(a); OUT(b); OUT(c); check(syscall(SYS_getresuid, &a, &b, &c)); }
    TWICE("getresgid") { OUT(a); OUT(b); OUT(c); check(syscall(SYS_getresgid, &a, &b, &c)); }
    gid_t groups[64];
    TWICE("getgroups") { OUT(groups); check(syscall(SYS_getgroups, 64, groups)); }
    unsigned char cpus[256];
    TWICE("sched_getaffinity") { OUT(cpus); check(syscall(SYS_sched_getaffinity, 0, sizeof cpus, cpus)); }
    struct sched_param param;
    TWICE("sched_getparam") { OUT(param); check(syscall(SYS_sched_getparam, 0, &param)); }
    struct timespec interval;
    TWICE("sched_rr_get_interval") { OUT(interval); check(syscall(SYS_sched_rr_get_interval, 0, &interval)); }
    unsigned cpu, node;
    TWICE("getcpu") { OUT(cpu); OUT(node); check(syscall(SYS_getcpu, &cpu, &node, NULL)); }
    char text[64];
    TWICE("prctl PR_GET_NAME") { OUT(text); check(prctl(PR_GET_NAME, text)); }
    int number;
    TWICE("prctl PR_GET_PDEATHSIG") { OUT(number); check(syscall(SYS_prctl, PR_GET_PDEATHSIG, &number, 0, 0, 0)); }
    TWICE("prctl PR_GET_CHILD_SUBREAPER") { OUT(number); check(syscall(SYS_prctl, PR_GET_CHILD_SUBREAPER, &number, 0, 0, 0)); }
    TWICE("prctl PR_GET_TSC") { OUT(number); check(syscall(SYS_prctl, PR_GET_TSC, &number, 0, 0, 0)); }
    unsigned long base;
#ifdef __x86_64__
    TWICE("arch_prctl ARCH_GET_FS") { OUT(base); check(syscall(SYS_arch_prctl, 0x1003, &base)); }
#endif
    void* head;
    size_t length;
    TWICE("get_robust_list") { OUT(head); OUT(length); check(syscall(SYS_get_robust_list, 0, &head, &length)); }
    unsigned char random[64];
    TWICE("getrandom") { OUT(random); check(syscall(SYS_getrandom, random, 40ul, 0)); }
    int status;
    TWICE("wait4") { pid_t child = fork(); if (child == 0) _exit(3); OUT(status); OUT(usage); check(syscall(SYS_wait4, child, &status, 0, &usage)); }
    siginfo_t si;
    TWICE_WITH_GAPS("waitid") { pid_t child = fork(); if (child == 0) _exit(3); OUT(si); OUT(usage); check(syscall(SYS_waitid, P_PID, child, &si, WEXITED, &usage)); }
    char from[32] = "some text to copy", into[64];
    TWICE("process_vm_readv") {
        struct iovec local = {into, sizeof into}, remote = {from, 20};
        OUT(into);
        check(syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0));
    }
    struct { unsigned version; int pid; } header = {0x20080522, 0};
    unsigned char data[32];
    TWICE("capget") { OUT(data); check(syscall(SYS_capget, &header, data)); }
}

static void times_and_signals(void) {
    struct timespec t;
    TWICE("clock_gettime") { OUT(t); check(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t)); }
    TWICE("clock_getres") { OUT(t); check(syscall(SYS_clock_getres, CLOCK_MONOTONIC, &t)); }
    struct timeval v;
    struct timezone z;
    TWICE("gettimeofday") { OUT(v); OUT(z); check(syscall(SYS_gettimeofday, &v, &z)); }
    time_t now;
#ifdef __x86_64__
    TWICE("time") { OUT(now); check(syscall(SYS_time, &now)); }
#endif
    struct itimerval i;
    TWICE("getitimer") { OUT(i); check(syscall(SYS_getitimer, ITIMER_REAL, &i)); }
    struct itimerval zero = {{0, 0}, {0, 0}};
    TWICE("setitimer") { OUT(i); check(syscall(SYS_setitimer, ITIMER_REAL, &zero, &i)); }
    struct timex x;
    TWICE_WITH_GAPS("adjtimex") { memset(&x, 0, sizeof x); OUT(x); memset(&x.modes, 0, sizeof x.modes); check(syscall(SYS_adjtimex, &x)); }
    int timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    TWICE("timer_create") { OUT(timer); check(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer)); }
    struct itimerspec spec, none = {{0, 0}, {0, 0}};
    TWICE("timer_gettime") { OUT(spec); check(syscall(SYS_timer_gettime, timer, &spec)); }
    TWICE("timer_settime") { OUT(spec); check(syscall(SYS_timer_settime, timer, 0, &none, &spec)); }
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    TWICE("timerfd_gettime") { OUT(spec); check(syscall(SYS_timerfd_gettime, fd, &spec)); }
    TWICE("timerfd_settime") { OUT(spec); check(syscall(SYS_timerfd_settime, fd, 0, &none, &spec)); }
    struct timespec brief = {0, 1000};
    TWICE("nanosleep") { OUT(t); check(syscall(SYS_nanosleep, &brief, &t)); }
    TWICE("clock_nanosleep") { OUT(t); check(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &brief, &t)); }
    uint64_t set = 1ull << (SIGUSR1 - 1), old, pending;
    TWICE("rt_sigprocmask") { OUT(old); check(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &old, 8ul)); }
    unsigned char action[32];
    TWICE("rt_sigaction") { OUT(action); check(syscall(SYS_rt_sigaction, SIGUSR2, NULL, action, 8ul)); }
    stack_t stack;
    TWICE_WITH_GAPS("sigaltstack") { OUT(stack); check(syscall(SYS_sigaltstack, NULL, &stack)); }
    siginfo_t info;
    TWICE("rt_sigtimedwait") { kill(getpid(), SIGUSR1); OUT(info); struct timespec second = {1, 0}; check(syscall(SYS_rt_sigtimedwait, &set, &info, &second, 8ul)); }
    TWICE("rt_sigpending") { OUT(pending); check(syscall(SYS_rt_sigpending, &pending, 8ul)); }
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    int sfd = signalfd(-1, &mask, SFD_NONBLOCK);
    struct signalfd_siginfo got[3];
    TWICE("read signalfd") { kill(getpid(), SIGUSR1); OUT(got); check(read(sfd, got, sizeof got)); }
    int efd = eventfd(3, EFD_NONBLOCK);
    char eight[32];
    TWICE("read eventfd") { uint64_t one = 1; if (write(efd, &one, 8) < 0) abort(); OUT(eight); check(read(efd, eight, sizeof eight)); }
}

static void waits(void) {
    int p[2], q[2];
    if (pipe(p) || pipe(q)) abort();
    send_to(p[1], "x");
    struct pollfd fds[3];
    struct timespec zero = {0, 0};
#ifdef __x86_64__
    TWICE("poll") {
        OUT(fds);
        for (int i = 0; i < 3; i++) { fds[i].fd = i == 1 ? p[0] : q[0]; fds[i].events = POLLIN; }
        check(syscall(SYS_poll, fds, 2ul, 0));
    }
#endif
    TWICE("ppoll") {
        OUT(fds);
        for (int i = 0; i < 3; i++) { fds[i].fd = i == 1 ? p[0] : q[0]; fds[i].events = POLLIN; }
        check(syscall(SYS_ppoll, fds, 3ul, &zero, NULL, 8ul));
    }
    int e = epoll_create1(0);
    struct epoll_event add = {.events = EPOLLIN, .data.u64 = 77};
    epoll_ctl(e, EPOLL_CTL_ADD, p[0], &add);
    struct epoll_event events[4];
#ifdef __x86_64__
    TWICE("epoll_wait") { OUT(events); check(syscall(SYS_epoll_wait, e, events, 4, 0)); }
#endif
    TWICE("epoll_pwait") { OUT(events); check(syscall(SYS_epoll_pwait, e, events, 4, 0, NULL, 8ul)); }
    int watch = inotify_init1(IN_NONBLOCK);
    inotify_add_watch(watch, ".", IN_CREATE | IN_DELETE);
    char changes[512];
    TWICE("read inotify") { close(open("written_bytes_file", O_CREAT | O_RDWR, 0600)); unlink("written_bytes_file"); OUT(changes); check(read(watch, changes, sizeof changes)); }
    struct msgbuf_ { long type; char text[100]; } letter = {1, "hello"}, got;
    int id = msgget(IPC_PRIVATE, 0600);
    TWICE("msgrcv") { msgsnd(id, &letter, 6, 0); OUT(got); check(syscall(SYS_msgrcv, id, &got, sizeof got.text, 0, 0)); }
    struct msqid_ds m;
    TWICE("msgctl IPC_STAT") { OUT(m); check(syscall(SYS_msgctl, id, IPC_STAT, &m)); }
    msgctl(id, IPC_RMID, NULL);
    int semaphores = semget(IPC_PRIVATE, 3, 0600);
    struct semid_ds sd;
    unsigned short values[8];
    TWICE("semctl IPC_STAT") { OUT(sd); check(syscall(SYS_semctl, semaphores, 0, IPC_STAT, &sd)); }
    TWICE("semctl GETALL") { OUT(values); check(syscall(SYS_semctl, semaphores, 0, GETALL, values)); }
    semctl(semaphores, 0, IPC_RMID);
    int shared = shmget(IPC_PRIVATE, 4096, 0600);
    struct shmid_ds sh;
    TWICE("shmctl IPC_STAT") { OUT(sh); check(syscall(SYS_shmctl, shared, IPC_STAT, &sh)); }
    shmctl(shared, IPC_RMID, NULL);
    struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = 64}, gotten;
    mqd_t queue = mq_open("/written_bytes", O_CREAT | O_RDWR, 0600, &attr);
    if (queue >= 0) {
        mq_unlink("/written_bytes");
        char message[128];
        unsigned priority;
        struct timespec until = {2000000000, 0};
        TWICE("mq_timedreceive") { mq_send(queue, "eleven bits", 11, 5); OUT(message); OUT(priority); check(syscall(SYS_mq_timedreceive, queue, message, sizeof message, &priority, &until)); }
        TWICE("mq_getsetattr") { OUT(gotten); check(syscall(SYS_mq_getsetattr, queue, NULL, &gotten)); }
    }
    fd_set in, other;
    struct timeval limit;
#ifdef __x86_64__
    TWICE("select") {
        OUT(in); OUT(other); OUT(limit);
        memset(&in, 0, 8); memset(&other, 0, 8); FD_SET(p[0], &in); FD_SET(q[0], &in); limit.tv_sec = 0; limit.tv_usec = 10;
        check(syscall(SYS_select, 64, &in, &other, NULL, &limit));
    }
#endif
    TWICE("pselect6") {
        struct timespec l;
        OUT(in); OUT(l); memset(&in, 0, 8); FD_SET(p[0], &in); l.tv_sec = 0; l.tv_nsec = 10;
        check(syscall(SYS_pselect6, 64, &in, NULL, NULL, &l, NULL));
    }
}

static void sockets(void) {
    int s[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s)) abort();
    int pair[2];
    TWICE("socketpair") { OUT(pair); check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); if (round_number == 0) { close(pair[0]); close(pair[1]); } }
    char buffer[128], address[128];
    socklen_t length;
    TWICE("recvfrom") { send_to(s[0], "abc"); OUT(buffer); check(syscall(SYS_recvfrom, s[1], buffer, sizeof buffer, 0, NULL, NULL)); }
    TWICE("recvfrom MSG_TRUNC") { send_to(s[0], "abcdefgh"); OUT(buffer); check(syscall(SYS_recvfrom, s[1], buffer, 4, MSG_TRUNC, NULL, NULL)); }
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (struct sockaddr*)&here, sizeof here) || listen(listener, 4)) abort();
    TWICE("getsockname") { OUT(address); OUT(length); length = sizeof address; check(syscall(SYS_getsockname, listener, address, &length)); }
    TWICE("getsockname short") { OUT(address); OUT(length); length = 5; check(syscall(SYS_getsockname, listener, address, &length)); }
    socklen_t size = sizeof here;
    getsockname(listener, (struct sockaddr*)&here, &size);
    if (connect(client, (struct sockaddr*)&here, sizeof here)) abort();
    int server = -1;
    TWICE("accept") {
        if (round_number == 1) { close(client); client = socket(AF_INET, SOCK_STREAM, 0); connect(client, (struct sockaddr*)&here, sizeof here); }
        OUT(address); OUT(length); length = sizeof address;
        check(server = syscall(SYS_accept, listener, address, &length));
    }
    TWICE("accept4 short") {
        close(client); client = socket(AF_INET, SOCK_STREAM, 0); connect(client, (struct sockaddr*)&here, sizeof here);
        OUT(address); OUT(length); length = 6;
        check(server = syscall(SYS_accept4, listener, address, &length, 0));
    }
    TWICE("getpeername") { OUT(address); OUT(length); length = sizeof address; check(syscall(SYS_getpeername, client, address, &length)); }
    TWICE("getpeername short") { OUT(address); OUT(length); length = 3; check(syscall(SYS_getpeername, client, address, &length)); }
    char option[256];
    TWICE("getsockopt SO_TYPE") { OUT(option); OUT(length); length = sizeof option; check(syscall(SYS_getsockopt, client, SOL_SOCKET, SO_TYPE, option, &length)); }
    TWICE("getsockopt SO_LINGER") { OUT(option); OUT(length); length = sizeof option; check(syscall(SYS_getsockopt, client, SOL_SOCKET, SO_LINGER, option, &length)); }
    TWICE("getsockopt SO_PEERCRED") { OUT(option); OUT(length); length = sizeof option; check(syscall(SYS_getsockopt, pair[0], SOL_SOCKET, SO_PEERCRED, option, &length)); }
    TWICE("getsockopt TCP_INFO") { OUT(option); OUT(length); length = sizeof option; check(syscall(SYS_getsockopt, client, IPPROTO_TCP, TCP_INFO, option, &length)); }
    TWICE("getsockopt TCP_CONGESTION") { OUT(option); OUT(length); length = sizeof option; check(syscall(SYS_getsockopt, client, IPPROTO_TCP, TCP_CONGESTION, option, &length)); }
    TWICE("getsockopt short") { OUT(option); OUT(length); length = 2; check(syscall(SYS_getsockopt, client, SOL_SOCKET, SO_RCVBUF, option, &length)); }
    int udp = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(udp, (struct sockaddr*)&local, sizeof local)) abort();
    size = sizeof local;
    getsockname(udp, (struct sockaddr*)&local, &size);
    const int one = 1;
    setsockopt(udp, SOL_SOCKET, SO_TIMESTAMP, &one, sizeof one);
    TWICE("recvfrom with address") {
        sendto(udp, "hello", 5, 0, (struct sockaddr*)&local, sizeof local);
        OUT(buffer); OUT(address); OUT(length); length = sizeof address;
        check(syscall(SYS_recvfrom, udp, buffer, sizeof buffer, 0, address, &length));
    }
    TWICE("recvmsg") {
        char a[3], b[64], control[256];
        struct iovec v[] = {{a, sizeof a}, {b, sizeof b}};
        struct msghdr h;
        sendto(udp, "hello", 5, 0, (struct sockaddr*)&local, sizeof local);
        OUT(a); OUT(b); OUT(control); OUT(address); OUT(h);
        memset(&h, 0, sizeof h);
        h.msg_name = address; h.msg_namelen = sizeof address; h.msg_iov = v; h.msg_iovlen = 2; h.msg_control = control; h.msg_controllen = sizeof control;
        check(syscall(SYS_recvmsg, udp, &h, 0));
    }
    TWICE("recvmmsg") {
        char a[3], b[64], c[32];
        struct iovec v[] = {{a, sizeof a}, {b, sizeof b}}, w[] = {{c, sizeof c}};
        struct mmsghdr h[2];
        sendto(udp, "hello", 5, 0, (struct sockaddr*)&local, sizeof local);
        OUT(a); OUT(b); OUT(c); OUT(address); OUT(h);
        memset(h, 0, sizeof h);
        h[0].msg_hdr.msg_name = address; h[0].msg_hdr.msg_namelen = sizeof address; h[0].msg_hdr.msg_iov = v; h[0].msg_hdr.msg_iovlen = 2;
        h[1].msg_hdr.msg_iov = w; h[1].msg_hdr.msg_iovlen = 1;
        check(syscall(SYS_recvmmsg, udp, h, 2, MSG_DONTWAIT, NULL));
    }
    int count;
    TWICE("ioctl FIONREAD") { send_to(s[0], "abc"); OUT(count); check(ioctl(s[1], FIONREAD, &count)); if (read(s[1], buffer, 9) < 0) abort(); }
    struct ifreq request;
    const unsigned long requests[] = {SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFNETMASK, SIOCGIFMTU, SIOCGIFINDEX, SIOCGIFHWADDR, SIOCGIFBRDADDR, SIOCGIFMETRIC};
    const char* names[] = {"SIOCGIFFLAGS", "SIOCGIFADDR", "SIOCGIFNETMASK", "SIOCGIFMTU", "SIOCGIFINDEX", "SIOCGIFHWADDR", "SIOCGIFBRDADDR", "SIOCGIFMETRIC"};
    for (int i = 0; i < 8; i++)
        TWICE_WITH_GAPS(names[i]) { OUT(request); strncpy(request.ifr_name, "lo", IFNAMSIZ); check(ioctl(udp, requests[i], &request)); }
    TWICE("SIOCGIFCONF") {
        char interfaces[512]; struct ifconf conf;
        OUT(interfaces); OUT(conf); memset(&conf, 0, sizeof conf); conf.ifc_len = sizeof interfaces; conf.ifc_buf = interfaces;
        check(ioctl(udp, SIOCGIFCONF, &conf));
    }
}

static void terminals(void) {
    int parent, child;
    if (openpty(&parent, &child, NULL, NULL, NULL)) { printf("# no terminal\n"); return; }
    unsigned char settings[64];
    TWICE("TCGETS") { OUT(settings); check(syscall(SYS_ioctl, child, 0x5401, settings)); }
    TWICE("TCGETS2") { OUT(settings); check(syscall(SYS_ioctl, child, 0x802c542a, settings)); }
    TWICE("TCGETA") { OUT(settings); check(syscall(SYS_ioctl, child, 0x5405, settings)); }
    struct winsize window;
    TWICE("TIOCGWINSZ") { OUT(window); check(ioctl(child, TIOCGWINSZ, &window)); }
    int n;
    TWICE("TIOCGPTN") { OUT(n); check(ioctl(parent, TIOCGPTN, &n)); }
    TWICE("TIOCINQ") { OUT(n); check(ioctl(child, TIOCINQ, &n)); }
    TWICE("TIOCGETD") { OUT(n); check(ioctl(child, TIOCGETD, &n)); }
    TWICE("TIOCGPTLCK") { OUT(n); check(ioctl(parent, TIOCGPTLCK, &n)); }
    TWICE("TIOCGSOFTCAR") { OUT(n); check(ioctl(child, TIOCGSOFTCAR, &n)); }
    int fd = open("/dev/vda", O_RDONLY);
    if (fd >= 0) {
        uint64_t big; unsigned small;
        TWICE("BLKGETSIZE64") { OUT(big); check(ioctl(fd, 0x80081272, &big)); }
        TWICE("BLKSSZGET") { OUT(small); check(ioctl(fd, 0x1268, &small)); }
        TWICE("BLKROGET") { OUT(small); check(ioctl(fd, 0x125e, &small)); }
        TWICE("BLKPBSZGET") { OUT(small); check(ioctl(fd, 0x127b, &small)); }
        TWICE("BLKRAGET") { OUT(big); check(ioctl(fd, 0x1263, &big)); }
        TWICE("BLKGETSIZE") { OUT(big); check(ioctl(fd, 0x1260, &big)); }
    }
}

int main(void) {
    if (!RUNNING_ON_VALGRIND) return 0;
    files();
    processes();
    times_and_signals();
    waits();
    sockets();
    terminals();
    printf("%d differences in %d calls\n", failures, calls);
    return failures != 0;
}
