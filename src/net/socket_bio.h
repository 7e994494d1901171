/* SPDX-License-Identifier: Apache-2.0 */
/* socket bio: a socket as OpenSSL sees it. OpenSSL's own would raise SIGPIPE when the other end has
 * gone. A bio's data (BIO_set_data) points to the descriptor, an int, which stays the caller's. */
#ifndef NET_SOCKET_BIO_H
#define NET_SOCKET_BIO_H

#include <openssl/bio.h>

BIO_METHOD *socket_bio_method(void); /* BIO_meth_free; NULL: no memory */

#endif
