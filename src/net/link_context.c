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
static const char place_identity[] = "orbweaver place 1";
static const char member_identity[] = "orbweaver member 1 "; /* then comes the name */
enum { IDENTITY_ROOM = sizeof member_identity + LINK_MAX_NAME_BYTES };

struct link_context {
    SSL_CTX *context;
    BIO_METHOD *method;
    struct digest key; /* SHA-256 of the secret; not of a context with keys by name */
    char identity[IDENTITY_ROOM];
    size_t identity_n;
    struct link_keys keys; /* find: NULL but where keys have names */
};

static struct link_context *context_of(const SSL *ssl)
{
    return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
}

static SSL_SESSION *key_session(SSL *ssl, const struct digest *key)
{
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, cipher_id);
    SSL_SESSION *s = SSL_SESSION_new();
    if (s && cipher && SSL_SESSION_set1_master_key(s, key->bytes, DIGEST_SHA256_BYTES) &&
        SSL_SESSION_set_cipher(s, cipher) && SSL_SESSION_set_protocol_version(s, TLS1_3_VERSION))
        return s;
    SSL_SESSION_free(s);
    return NULL;
}

static int use_key(SSL *ssl, const EVP_MD *md, const unsigned char **id, size_t *id_n,
                   SSL_SESSION **ret)
{
    const struct link_context *c = context_of(ssl);
    (void)md; /* the one cipher has the one hash */
    *ret = key_session(ssl, &c->key);
    *id = (const unsigned char *)c->identity;
    *id_n = c->identity_n;
    return *ret != NULL;
}

/* The name that an identity says; absent: it says none. */
static struct str name_in(struct str identity)
{
    const struct str begin = str_make(member_identity, sizeof member_identity - 1);
    if (!str_starts(identity, begin) || identity.n == begin.n ||
        identity.n - begin.n > LINK_MAX_NAME_BYTES)
        return STR_NONE;
    return str_from(identity, begin.n);
}

/* The handshake proves that the other end has the key. Until then the name is only said. */
static bool find_named(SSL *ssl, const struct link_context *c, struct str identity,
                       struct digest *key)
{
    struct str name = name_in(identity);
    char *room = SSL_get_app_data(ssl);
    if (!name.p || !c->keys.find(c->keys.ctx, name, key))
        return false;
    memcpy(room, name.p, name.n);
    room[name.n] = '\0';
    return true;
}

static int find_key(SSL *ssl, const unsigned char *id, size_t id_n, SSL_SESSION **ret)
{
    const struct link_context *c = context_of(ssl);
    struct str identity = str_make((const char *)id, id_n);
    struct digest key = c->key;
    bool is_known = c->keys.find ? find_named(ssl, c, identity, &key)
                                 : str_eq(identity, str_make(c->identity, c->identity_n));
    *ret = is_known ? key_session(ssl, &key) : NULL;
    explicit_bzero(&key, sizeof key);
    return !is_known || *ret; /* unknown: without a certificate the handshake fails */
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

static enum rc context_open(const struct link_context *with, struct link_context **ret)
{
    struct link_context *c = mem_zero(1, sizeof *c);
    if (!c)
        return RC_NOMEM;
    *c = *with;
    c->context = SSL_CTX_new(TLS_method());
    c->method = socket_bio_method();
    bool ok = c->context && c->method && context_set(c->context, c);
    ERR_clear_error();
    if (!ok) {
        link_context_close(c);
        return RC_NOMEM;
    }
    *ret = c;
    return RC_OK;
}

enum rc link_key(struct str secret, struct digest *ret)
{
    if (secret.n < LINK_MIN_SECRET_BYTES || secret.n > LINK_MAX_SECRET_BYTES)
        return RC_INVALID;
    return digest_of(DIGEST_SHA256, secret, ret);
}

/* Of one secret; `begin` and `name` are the identity. */
static enum rc context_of_secret(const char *begin, struct str name, struct str secret,
                                 struct link_context **ret)
{
    struct link_context with = {0};
    struct buf identity = buf_on(with.identity, sizeof with.identity);
    buf_add(&identity, str_c(begin));
    buf_add(&identity, name);
    with.identity_n = identity.n;
    enum rc rc = buf_rc(&identity) ? RC_INVALID : link_key(secret, &with.key);
    if (rc == RC_OK)
        rc = context_open(&with, ret);
    explicit_bzero(&with.key, sizeof with.key);
    return rc;
}

enum rc link_context_open(struct str secret, struct link_context **ret)
{
    return context_of_secret(place_identity, STR(""), secret, ret);
}

enum rc link_context_open_named(struct str name, struct str secret, struct link_context **ret)
{
    if (!name.n || name.n > LINK_MAX_NAME_BYTES)
        return RC_INVALID;
    return context_of_secret(member_identity, name, secret, ret);
}

enum rc link_context_open_keys(struct link_keys keys, struct link_context **ret)
{
    return context_open(&(struct link_context){.keys = keys}, ret);
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

SSL *link_context_tls(struct link_context *c, int *fd, bool accepts, char *name)
{
    SSL *ssl = SSL_new(c->context);
    BIO *bio = ssl ? BIO_new(c->method) : NULL;
    if (!bio) {
        SSL_free(ssl);
        ERR_clear_error();
        return NULL;
    }
    SSL_set_app_data(ssl, name);
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
