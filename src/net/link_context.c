/* SPDX-License-Identifier: Apache-2.0 */
#include "net/link_context.h"

#include "base/digest.h"
#include "base/mem.h"
#include "net/socket_bio.h"

#include <openssl/err.h>

/* The number of the only cipher, TLS_AES_128_GCM_SHA256, and the name of the key, which is
 * public. */
static const unsigned char cipher_id[] = {0x13, 0x01};
#define CIPHER_NAME "TLS_AES_128_GCM_SHA256"
static const unsigned char identity[] = "orbweaver place 1";
enum { IDENTITY_BYTES = sizeof identity - 1 };

struct link_context {
    SSL_CTX *context;
    BIO_METHOD *method;
    struct digest key; /* SHA-256 of the secret */
};

static SSL_SESSION *key_session(SSL *ssl)
{
    const struct link_context *c = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, cipher_id);
    SSL_SESSION *s = SSL_SESSION_new();
    if (s && cipher && SSL_SESSION_set1_master_key(s, c->key.bytes, DIGEST_SHA256_BYTES) &&
        SSL_SESSION_set_cipher(s, cipher) && SSL_SESSION_set_protocol_version(s, TLS1_3_VERSION))
        return s;
    SSL_SESSION_free(s);
    return NULL;
}

static int use_key(SSL *ssl, const EVP_MD *md, const unsigned char **id, size_t *id_n,
                   SSL_SESSION **ret)
{
    (void)md; /* the one cipher has the one hash */
    *ret = key_session(ssl);
    *id = identity;
    *id_n = IDENTITY_BYTES;
    return *ret != NULL;
}

static int find_key(SSL *ssl, const unsigned char *id, size_t id_n, SSL_SESSION **ret)
{
    *ret = NULL;
    if (id_n != IDENTITY_BYTES || memcmp(id, identity, id_n) != 0)
        return 1; /* unknown: without a certificate the handshake fails */
    *ret = key_session(ssl);
    return *ret != NULL;
}

/* No certificate is ever shown or believed: without the key there is no handshake. No tickets: a
 * later connection proves the secret again. */
static bool context_set(SSL_CTX *ctx, struct link_context *c)
{
    SSL_CTX_set_app_data(ctx, c);
    SSL_CTX_set_psk_use_session_callback(ctx, use_key);
    SSL_CTX_set_psk_find_session_callback(ctx, find_key);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) &&
           SSL_CTX_set_ciphersuites(ctx, CIPHER_NAME) && SSL_CTX_set_num_tickets(ctx, 0);
}

enum rc link_context_open(struct str secret, struct link_context **ret)
{
    if (secret.n < LINK_MIN_SECRET_BYTES || secret.n > LINK_MAX_SECRET_BYTES)
        return RC_INVALID;
    struct link_context *c = mem_zero(1, sizeof *c);
    if (!c)
        return RC_NOMEM;
    c->context = SSL_CTX_new(TLS_method());
    c->method = socket_bio_method();
    bool ok = c->context && c->method && context_set(c->context, c) &&
              digest_of(DIGEST_SHA256, secret, &c->key) == RC_OK;
    ERR_clear_error();
    if (!ok) {
        link_context_close(c);
        return RC_NOMEM;
    }
    *ret = c;
    return RC_OK;
}

void link_context_close(struct link_context *c)
{
    if (!c)
        return;
    SSL_CTX_free(c->context);
    BIO_meth_free(c->method);
    explicit_bzero(&c->key, sizeof c->key);
    mem_free(c);
}

SSL *link_context_tls(struct link_context *c, int *fd, bool accepts)
{
    SSL *ssl = SSL_new(c->context);
    BIO *bio = ssl ? BIO_new(c->method) : NULL;
    if (!bio) {
        SSL_free(ssl);
        ERR_clear_error();
        return NULL;
    }
    BIO_set_data(bio, fd);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    if (accepts) {
        SSL_set_accept_state(ssl);
    } else { /* the accepting end shows no certificate; if it did, it would not be trusted */
        SSL_set_connect_state(ssl);
        SSL_set_verify(ssl, SSL_VERIFY_PEER, NULL);
    }
    return ssl;
}

bool link_tls_is_proven(SSL *ssl)
{
    return SSL_is_init_finished(ssl) && SSL_session_reused(ssl) == 1;
}
