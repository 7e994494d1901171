/* SPDX-License-Identifier: Apache-2.0 */
#include "net/socket_bio.h"

#include <errno.h>
#include <sys/socket.h>

static int socket_write(BIO *b, const char *from, int n)
{
    const int *fd = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    ssize_t sent = send(*fd, from, (size_t)n, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_write(b);
    return (int)sent;
}

static int socket_read(BIO *b, char *to, int n)
{
    const int *fd = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    ssize_t got = recv(*fd, to, (size_t)n, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(b);
    if (got == 0)
        BIO_set_flags(b, BIO_FLAGS_IN_EOF);
    return (int)got;
}

static long socket_control(BIO *b, int command, long number, void *pointer)
{
    (void)number;
    (void)pointer;
    if (command == BIO_CTRL_FLUSH)
        return 1;
    if (command == BIO_CTRL_EOF)
        return BIO_test_flags(b, BIO_FLAGS_IN_EOF) != 0;
    return 0;
}

BIO_METHOD *socket_bio_method(void)
{
    BIO_METHOD *m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "orbweaver socket");
    if (!m || !BIO_meth_set_write(m, socket_write) || !BIO_meth_set_read(m, socket_read) ||
        !BIO_meth_set_ctrl(m, socket_control)) {
        BIO_meth_free(m);
        return NULL;
    }
    return m;
}
