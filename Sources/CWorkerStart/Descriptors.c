#define _GNU_SOURCE
#include "CWorkerStart.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

// In C, for its macros have no counterpart in Swift. A descriptor travels with one byte, which means nothing.
union place {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int utter_send_descriptor(int socket, int descriptor) {
    char byte = 0;
    struct iovec data = {&byte, 1};
    union place place;
    memset(&place, 0, sizeof place);
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = place.bytes, .msg_controllen = sizeof place.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    ssize_t count;
    do count = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count == 1 ? 0 : -1;
}

int utter_receive_descriptor(int socket) {
    char byte;
    struct iovec data = {&byte, 1};
    union place place;
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = place.bytes, .msg_controllen = sizeof place.bytes};
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    struct cmsghdr *header = count == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return -1;
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}
