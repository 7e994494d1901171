/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/tls_ca.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/mem.h"
#include "serve/tls_cert.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <unistd.h>

enum { BUCKETS = 16384, MAX_PATH = 4096, MAX_PEM = 64 * 1024 };

/* A kept certificate: in the chain of its bucket, and in a ring by when it was last asked for. */
struct kept {
    struct kept *next_in_bucket;
    struct kept *newer, *older;
    X509 *cert;
    uint64_t hash;
    size_t name_bytes;
    enum leaf_kind kind;
    char name[CERT_MAX_NAME];
};

struct tls_ca {
    struct authority own;
    struct authority unknown; /* LEAF_UNKNOWN_CA's; made when first needed */
    EVP_PKEY *leaf_key;
    struct kept ring; /* newer = the oldest, older = the newest */
    uint32_t count, most_kept;
    struct kept *buckets[BUCKETS];
};

/* The folder -------------------------------------------------------------------------------- */

static bool path_in(const char *folder, const char *name, struct buf *path)
{
    buf_clear(path);
    buf_printf(path, "%s/%s", folder, name);
    return buf_c(path) != NULL;
}

static enum rc write_error(void)
{
    return errno == ENOSPC || errno == EDQUOT ? RC_DISK_FULL : RC_IO;
}

/* Writes beside it and renames, so that a file with that name is always whole. */
static enum rc file_put(const char *folder, const char *name, mode_t mode, struct str bytes)
{
    char room[MAX_PATH], new_room[MAX_PATH];
    struct buf path = buf_on(room, sizeof room), fresh = buf_on(new_room, sizeof new_room);
    char new_name[32];
    struct buf b = buf_on(new_name, sizeof new_name);
    buf_printf(&b, "%s.%ld", name, (long)getpid());
    if (!buf_c(&b) || !path_in(folder, name, &path) || !path_in(folder, new_name, &fresh))
        return RC_IO;
    if (unlink(fresh.p) && errno != ENOENT)
        return write_error();
    int fd = open(fresh.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0)
        return write_error();
    enum rc rc = fd_write_all(fd, bytes) ? RC_OK : write_error();
    if (close(fd) && !rc)
        rc = write_error();
    if (!rc && rename(fresh.p, path.p))
        rc = write_error();
    if (rc)
        (void)unlink(fresh.p);
    return rc;
}

/* The whole of a small file into a memory BIO. RC_NOT_FOUND if there is none. */
static enum rc file_get(const char *folder, const char *name, BIO **ret)
{
    char room[MAX_PATH], piece[4096];
    struct buf path = buf_on(room, sizeof room);
    if (!path_in(folder, name, &path))
        return RC_IO;
    int fd = open(path.p, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? RC_NOT_FOUND : RC_IO;
    BIO *bio = BIO_new(BIO_s_mem());
    enum rc rc = bio ? RC_OK : RC_NOMEM;
    for (size_t all = 0; !rc;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n == 0)
            break;
        all += n > 0 ? (size_t)n : 0;
        if (n < 0)
            rc = RC_IO;
        else if (all > MAX_PEM)
            rc = RC_CORRUPT;
        else if (BIO_write(bio, piece, (int)n) != n)
            rc = RC_NOMEM;
    }
    (void)close(fd);
    if (rc)
        BIO_free(bio);
    else
        *ret = bio;
    return rc;
}

/* A key that wants a password is none of ours; never ask the terminal for one. */
static int no_password(char *room, int bytes, int is_writing, void *ctx)
{
    (void)room, (void)bytes, (void)is_writing, (void)ctx;
    return -1;
}

static enum rc authority_load(struct authority *a, BIO *cert, BIO *key)
{
    a->cert = PEM_read_bio_X509(cert, NULL, no_password, NULL);
    a->key = PEM_read_bio_PrivateKey(key, NULL, no_password, NULL);
    bool is_pair = a->cert && a->key && X509_check_private_key(a->cert, a->key) == 1;
    ERR_clear_error();
    return is_pair ? RC_OK : RC_CORRUPT;
}

static struct str bio_str(BIO *bio)
{
    char *p = NULL;
    long n = BIO_get_mem_data(bio, &p);
    return str_make(p, (size_t)n);
}

/* The key first: with a certificate there is always a key to it. */
static enum rc authority_save(const struct authority *a, const char *folder)
{
    BIO *cert = BIO_new(BIO_s_mem()), *key = BIO_new(BIO_s_secmem());
    enum rc rc = RC_NOMEM;
    if (cert && key && PEM_write_bio_X509(cert, a->cert) == 1 &&
        PEM_write_bio_PrivateKey(key, a->key, NULL, NULL, 0, NULL, NULL) == 1)
        rc = file_put(folder, "ca.key", 0600, bio_str(key));
    if (!rc)
        rc = file_put(folder, "ca.pem", 0644, bio_str(cert));
    BIO_free(cert);
    BIO_free(key);
    return rc;
}

static enum rc authority_of_folder(struct authority *a, const char *folder)
{
    BIO *cert = NULL, *key = NULL;
    enum rc rc = file_get(folder, "ca.pem", &cert);
    if (rc == RC_NOT_FOUND) {
        rc = authority_make(a, "simweb: simulated web, trust it for tests only");
        return rc ? rc : authority_save(a, folder);
    }
    if (!rc)
        rc = file_get(folder, "ca.key", &key);
    if (rc == RC_NOT_FOUND)
        rc = RC_CORRUPT;
    if (!rc)
        rc = authority_load(a, cert, key);
    BIO_free(cert);
    BIO_free(key);
    return rc;
}

enum rc tls_ca_open(const char *folder, uint32_t most_kept, struct tls_ca **ret)
{
    assert(most_kept >= 1);
    struct tls_ca *ca = mem_zero(1, sizeof *ca);
    if (!ca)
        return RC_NOMEM;
    ca->most_kept = most_kept;
    ca->ring.newer = ca->ring.older = &ca->ring;
    enum rc rc = authority_of_folder(&ca->own, folder);
    if (!rc) {
        ca->leaf_key = key_make();
        rc = ca->leaf_key ? RC_OK : RC_NOMEM;
    }
    if (rc)
        tls_ca_close(ca);
    else
        *ret = ca;
    return rc;
}

/* What is kept ------------------------------------------------------------------------------ */

static void ring_remove(struct kept *k)
{
    k->newer->older = k->older;
    k->older->newer = k->newer;
}

static void ring_newest(struct tls_ca *ca, struct kept *k)
{
    k->older = ca->ring.older;
    k->newer = &ca->ring;
    k->older->newer = k;
    ca->ring.older = k;
}

static void forget(struct tls_ca *ca, struct kept *k)
{
    struct kept **at = &ca->buckets[k->hash % BUCKETS];
    while (*at != k)
        at = &(*at)->next_in_bucket;
    *at = k->next_in_bucket;
    ring_remove(k);
    X509_free(k->cert);
    mem_free(k);
    ca->count--;
}

void tls_ca_close(struct tls_ca *ca)
{
    if (!ca)
        return;
    while (ca->ring.newer != &ca->ring)
        forget(ca, ca->ring.newer);
    authority_done(&ca->own);
    authority_done(&ca->unknown);
    EVP_PKEY_free(ca->leaf_key);
    mem_free(ca);
}

static struct kept *find(struct tls_ca *ca, enum leaf_kind kind, struct str name, uint64_t hash)
{
    struct kept *k = ca->buckets[hash % BUCKETS];
    while (k &&
           (k->hash != hash || k->kind != kind || !str_eq(str_make(k->name, k->name_bytes), name)))
        k = k->next_in_bucket;
    return k;
}

/* Takes the certificate, also when it cannot be kept. */
static struct kept *keep(struct tls_ca *ca, enum leaf_kind kind, struct str name, uint64_t hash,
                         X509 *cert)
{
    struct kept *k = mem_alloc(sizeof *k);
    if (!k) {
        X509_free(cert);
        return NULL;
    }
    *k = (struct kept){.cert = cert, .hash = hash, .name_bytes = name.n, .kind = kind};
    memcpy(k->name, name.p, name.n);
    if (ca->count == ca->most_kept)
        forget(ca, ca->ring.newer);
    k->next_in_bucket = ca->buckets[hash % BUCKETS];
    ca->buckets[hash % BUCKETS] = k;
    ring_newest(ca, k);
    ca->count++;
    return k;
}

static X509 *leaf_new(struct tls_ca *ca, enum leaf_kind kind, struct str name)
{
    if (kind == LEAF_UNKNOWN_CA && !ca->unknown.cert &&
        authority_make(&ca->unknown, "an authority nobody knows"))
        return NULL;
    struct leaf_wish wish = {
        .name = kind == LEAF_WRONG_HOST ? STR("another-host.invalid") : name,
        .key = ca->leaf_key,
        .issuer = kind == LEAF_UNKNOWN_CA ? &ca->unknown : &ca->own,
        .is_expired = kind == LEAF_EXPIRED,
    };
    if (kind == LEAF_SELF_SIGNED)
        wish.issuer = NULL;
    return leaf_make(&wish);
}

X509 *tls_ca_leaf(struct tls_ca *ca, enum leaf_kind kind, struct str name)
{
    uint64_t hash = hash64_seeded(name, (uint64_t)kind);
    struct kept *k = find(ca, kind, name, hash);
    if (k) {
        ring_remove(k);
        ring_newest(ca, k);
        return k->cert;
    }
    X509 *cert = leaf_new(ca, kind, name);
    ERR_clear_error();
    k = cert ? keep(ca, kind, name, hash, cert) : NULL;
    return k ? k->cert : NULL;
}

EVP_PKEY *tls_ca_leaf_key(const struct tls_ca *ca)
{
    return ca->leaf_key;
}

uint32_t tls_ca_kept(const struct tls_ca *ca)
{
    return ca->count;
}
