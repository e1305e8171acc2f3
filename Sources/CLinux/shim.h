// What Linux has and Swift's Glibc module lacks. It is declared here because <fcntl.h> already belongs to that module.
#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

int fallocate(int descriptor, int mode, long offset, long length);

// `actions` is a posix_spawn_file_actions_t *. The child closes every descriptor from `from` on.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);
// The child runs in `folder`.
int posix_spawn_file_actions_addchdir_np(void *actions, const char *folder);

void *memmem(const void *bytes, unsigned long count, const void *part, unsigned long part_count);

// Extended attributes of a file, which <sys/xattr.h> declares.
int fsetxattr(int descriptor, const char *name, const void *value, unsigned long size, int flags);
long fgetxattr(int descriptor, const char *name, void *value, unsigned long size);
int fremovexattr(int descriptor, const char *name);

// A pipe that no child gets, not even one that is started at this moment.
int pipe2(int *ends, int flags);

int memfd_create(const char *name, unsigned int flags);

int pidfd_open(int process, unsigned int flags);

// Returns the ID of the calling thread.
int gettid(void);

int prctl(int option, ...);

// Lets the kernel kill the calling process when the thread that started it ends.
static inline int clinux_end_with_parent(void) {
    // PR_SET_PDEATHSIG, SIGKILL
    return prctl(1, 9L, 0L, 0L, 0L);
}

enum {
    // MFD_CLOEXEC, MFD_NOEXEC_SEAL
    CLINUX_MEMORY_FILE_CLOSED_ON_EXEC = 1,
    CLINUX_MEMORY_FILE_NOT_EXECUTABLE = 8
};

enum {
    // __O_TMPFILE, which is O_TMPFILE without O_DIRECTORY: a file that has no name yet.
    CLINUX_FILE_WITHOUT_NAME = 020000000,
    // O_PATH: a descriptor of the file or folder itself, which can't be read or written.
    CLINUX_PLACE_ONLY = 010000000
};

enum {
    // F_SETSIG and F_SETLEASE of fcntl(2).
    CLINUX_SET_SIGNAL = 10,
    CLINUX_SET_LEASE = 1024
};

enum {
    // FALLOC_FL_KEEP_SIZE: allocate the space, keep the size.
    CLINUX_ALLOCATE_KEEPING_SIZE = 1
};

// struct sockaddr_nl and the parts of rtnetlink(7) that report that the network has come back.
struct clinux_netlink_address {
    unsigned short family, padding;
    unsigned int process, groups;
};

struct clinux_netlink_header {
    unsigned int length;
    unsigned short type, flags;
    unsigned int sequence, process;
};

// struct ifinfomsg
struct clinux_link_message {
    unsigned char family, padding;
    unsigned short type;
    int index;
    unsigned int flags, change;
};

enum {
    CLINUX_AF_NETLINK = 16,
    CLINUX_NETLINK_ROUTE = 0,
    // RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR
    CLINUX_GROUPS = 0x1 | 0x10 | 0x40 | 0x100,
    CLINUX_RTM_NEWLINK = 16,
    CLINUX_RTM_NEWADDR = 20,
    CLINUX_RTM_NEWROUTE = 24,
    CLINUX_IFF_RUNNING = 0x40
};

#endif
