/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include "base/mem.h"

#include <openssl/evp.h>

struct digester {
    EVP_MD_CTX *ctx;
    enum digest_kind kind;
    bool has_data; /* since it was started */
    enum rc rc;
};

static const EVP_MD *method(enum digest_kind kind)
{
    return kind == DIGEST_SHA1 ? EVP_sha1() : EVP_sha256();
}

size_t digest_bytes(enum digest_kind kind)
{
    return kind == DIGEST_SHA1 ? DIGEST_SHA1_BYTES : DIGEST_SHA256_BYTES;
}

enum rc digest_of(enum digest_kind kind, struct str data, struct digest *ret)
{
    struct digest d = {.kind = kind};
    if (!EVP_Digest(data.p ? data.p : "", data.n, d.bytes, NULL, method(kind), NULL))
        return RC_NOMEM;
    *ret = d;
    return RC_OK;
}

struct digester *digester_open(enum digest_kind kind)
{
    struct digester *d = mem_alloc(sizeof *d);
    if (!d)
        return NULL;
    *d = (struct digester){.kind = kind, .ctx = EVP_MD_CTX_new()};
    if (!d->ctx || !EVP_DigestInit_ex(d->ctx, method(kind), NULL)) {
        digester_close(d);
        return NULL;
    }
    return d;
}

void digester_add(struct digester *d, struct str data)
{
    if (data.n && d->rc == RC_OK && !EVP_DigestUpdate(d->ctx, data.p, data.n))
        d->rc = RC_NOMEM;
    d->has_data = d->has_data || data.n;
}

enum rc digester_restart(struct digester *d)
{
    struct digest dropped;
    return d->has_data || d->rc ? digester_finish(d, &dropped) : RC_OK;
}

enum rc digester_finish(struct digester *d, struct digest *ret)
{
    struct digest result = {.kind = d->kind};
    enum rc rc = d->rc;
    if (rc == RC_OK && !EVP_DigestFinal_ex(d->ctx, result.bytes, NULL))
        rc = RC_NOMEM;
    /* Without a method it stays what it is; naming one would look it up among all providers. */
    d->rc = EVP_DigestInit_ex(d->ctx, NULL, NULL) ? RC_OK : RC_NOMEM;
    d->has_data = false;
    if (rc == RC_OK)
        *ret = result;
    return rc;
}

void digester_close(struct digester *d)
{
    if (!d)
        return;
    EVP_MD_CTX_free(d->ctx);
    mem_free(d);
}

bool digest_eq(const struct digest *a, const struct digest *b)
{
    return a->kind == b->kind && memcmp(a->bytes, b->bytes, digest_bytes(a->kind)) == 0;
}

void buf_base32(struct buf *b, const uint8_t *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    uint32_t held = 0;
    unsigned bits = 0;
    size_t count = (n * 8 + 4) / 5;
    char *to = buf_reserve(b, count);
    if (!to)
        return;
    for (size_t i = 0; i < n; i++) {
        held = held << 8 | bytes[i];
        for (bits += 8; bits >= 5; bits -= 5)
            *to++ = letters[held >> (bits - 5) & 31];
    }
    if (bits)
        *to = letters[held << (5 - bits) & 31];
    b->n += count;
}

void buf_hex(struct buf *b, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char *to = buf_reserve(b, 2 * n);
    if (!to)
        return;
    for (size_t i = 0; i < n; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    b->n += 2 * n;
}

static int base32_value(char c)
{
    if (ascii_is_alpha(c))
        return ascii_lower(c) - 'a';
    return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

enum rc base32_decode(struct str text, uint8_t *to, size_t n)
{
    while (text.n && text.p[text.n - 1] == '=')
        text.n--;
    if (text.n != (n * 8 + 4) / 5)
        return RC_INVALID;
    uint32_t held = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < text.n; i++) {
        int value = base32_value(text.p[i]);
        if (value < 0)
            return RC_INVALID;
        held = held << 5 | (uint32_t)value;
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            *to++ = (uint8_t)(held >> bits);
        }
    }
    return RC_OK;
}

enum rc hex_decode(struct str text, uint8_t *to, size_t n)
{
    if (text.n != n * 2)
        return RC_INVALID;
    for (size_t i = 0; i < n; i++) {
        int high = ascii_hex(text.p[2 * i]);
        int low = ascii_hex(text.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return RC_INVALID;
        to[i] = (uint8_t)(high << 4 | low);
    }
    return RC_OK;
}
