// What Linux has and Swift's Glibc module lacks. Declared here, since <fcntl.h> belongs to that module already.
#ifndef CLINUX_SHIM_H
#define CLINUX_SHIM_H

int fallocate(int descriptor, int mode, long offset, long length);

enum {
    // FALLOC_FL_KEEP_SIZE: take the room, leave the size.
    CLINUX_ALLOCATE_KEEPING_SIZE = 1
};

#endif
