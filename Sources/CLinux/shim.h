// What Linux has and Swift's Glibc module lacks. Declared here, since <fcntl.h> belongs to that module already.
#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

int fallocate(int descriptor, int mode, long offset, long length);

// `actions` is a posix_spawn_file_actions_t *: everything from this descriptor on is closed in the child.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);

int memfd_create(const char *name, unsigned int flags);

int pidfd_open(int process, unsigned int flags);

// The calling thread.
int gettid(void);

int prctl(int option, ...);

// Lets the calling process die when the thread that has started it ends.
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
    // __O_TMPFILE, which is O_TMPFILE together with O_DIRECTORY: a file that has no name yet.
    CLINUX_FILE_WITHOUT_NAME = 020000000,
    // O_PATH: what has the name, not to be read or written.
    CLINUX_PLACE_ONLY = 010000000
};

enum {
    // FALLOC_FL_KEEP_SIZE: take the room, leave the size.
    CLINUX_ALLOCATE_KEEPING_SIZE = 1
};

// struct sockaddr_nl and what of rtnetlink(7) is needed to learn that the network has come back.
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
