/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/tls_cert.h"

#include "base/buf.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

enum {
    DAY_S = 24 * 60 * 60,
    AUTHORITY_DAYS = 3650,
    LEAF_DAYS = 397, /* the most that browsers accept */
    EXPIRED_DAYS = 30,
    MAX_COMMON_NAME = 64,
};

EVP_PKEY *key_make(void)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    ERR_clear_error();
    return key;
}

/* Random, so that two runs with one authority never give two certificates the same number: some
 * clients remember them. */
static bool set_serial(X509 *x)
{
    uint64_t serial;
    if (RAND_bytes((unsigned char *)&serial, sizeof serial) != 1)
        return false;
    return ASN1_INTEGER_set_uint64(X509_get_serialNumber(x), serial >> 1 | 1) == 1;
}

static bool set_days(X509 *x, int from, int to)
{
    return X509_gmtime_adj(X509_getm_notBefore(x), (long)from * DAY_S) &&
           X509_gmtime_adj(X509_getm_notAfter(x), (long)to * DAY_S);
}

static bool name_add(X509_NAME *name, const char *field, struct str value)
{
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)value.p,
                                      (int)value.n, -1, 0) == 1;
}

static bool extend(X509 *x, X509 *issuer, int what, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, what, value);
    bool is_added = e && X509_add_ext(x, e, -1) == 1;
    X509_EXTENSION_free(e);
    return is_added;
}

/* What all have: version 3, serial, dates, key. */
static X509 *cert_begin(EVP_PKEY *key, int from_day, int to_day)
{
    X509 *x = X509_new();
    if (x && X509_set_version(x, X509_VERSION_3) == 1 && set_serial(x) &&
        set_days(x, from_day, to_day) && X509_set_pubkey(x, key) == 1)
        return x;
    X509_free(x);
    return NULL;
}

static bool sign(X509 *x, EVP_PKEY *key)
{
    return X509_sign(x, key, EVP_sha256()) > 0;
}

static bool authority_fill(X509 *x, EVP_PKEY *key, const char *name)
{
    X509_NAME *subject = X509_get_subject_name(x);
    return name_add(subject, "O", STR("simweb")) && name_add(subject, "CN", str_c(name)) &&
           X509_set_issuer_name(x, subject) == 1 &&
           extend(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           extend(x, x, NID_key_usage, "critical,keyCertSign,cRLSign") &&
           extend(x, x, NID_subject_key_identifier, "hash") && sign(x, key);
}

enum rc authority_make(struct authority *a, const char *name)
{
    *a = (struct authority){.key = key_make()};
    a->cert = a->key ? cert_begin(a->key, -1, AUTHORITY_DAYS) : NULL;
    bool is_made = a->cert && authority_fill(a->cert, a->key, name);
    ERR_clear_error();
    if (!is_made)
        authority_done(a);
    return is_made ? RC_OK : RC_NOMEM;
}

void authority_done(struct authority *a)
{
    X509_free(a->cert);
    EVP_PKEY_free(a->key);
    *a = (struct authority){0};
}

/* The name goes into a structure, not into a text that a parser reads: a client chooses it, and a
 * comma in it must not become a second name. */
static GENERAL_NAME *general_name(struct str name)
{
    char text[CERT_MAX_NAME + 1];
    unsigned char address[4];
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    bool is_address = inet_pton(AF_INET, text, address) == 1;
    GENERAL_NAME *g = GENERAL_NAME_new();
    ASN1_STRING *value = is_address ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();
    const void *bytes = is_address ? (const void *)address : name.p;
    if (!g || !value || ASN1_STRING_set(value, bytes, is_address ? 4 : (int)name.n) != 1) {
        GENERAL_NAME_free(g);
        ASN1_STRING_free(value);
        return NULL;
    }
    GENERAL_NAME_set0_value(g, is_address ? GEN_IPADD : GEN_DNS, value);
    return g;
}

static bool set_alternative_name(X509 *x, struct str name)
{
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    GENERAL_NAME *g = general_name(name);
    bool is_set = false;
    if (names && g && sk_GENERAL_NAME_push(names, g) > 0) {
        g = NULL;
        is_set = X509_add1_ext_i2d(x, NID_subject_alt_name, names, 0, 0) == 1;
    }
    GENERAL_NAME_free(g);
    GENERAL_NAMES_free(names);
    return is_set;
}

static bool leaf_fill(X509 *x, const struct leaf_wish *wish)
{
    X509_NAME *subject = X509_get_subject_name(x);
    X509 *issuer = wish->issuer ? wish->issuer->cert : x;
    return name_add(subject, "O", STR("simweb")) &&
           (wish->name.n > MAX_COMMON_NAME || name_add(subject, "CN", wish->name)) &&
           X509_set_issuer_name(x, X509_get_subject_name(issuer)) == 1 &&
           extend(x, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           extend(x, issuer, NID_key_usage, "critical,digitalSignature") &&
           extend(x, issuer, NID_ext_key_usage, "serverAuth") &&
           extend(x, issuer, NID_subject_key_identifier, "hash") &&
           (!wish->issuer || extend(x, issuer, NID_authority_key_identifier, "keyid:always")) &&
           set_alternative_name(x, wish->name) &&
           sign(x, wish->issuer ? wish->issuer->key : wish->key);
}

X509 *leaf_make(const struct leaf_wish *wish)
{
    if (wish->name.n == 0 || wish->name.n > CERT_MAX_NAME ||
        str_find(wish->name, '\0') < wish->name.n)
        return NULL;
    X509 *x = wish->is_expired ? cert_begin(wish->key, -2 * EXPIRED_DAYS, -EXPIRED_DAYS)
                               : cert_begin(wish->key, -1, LEAF_DAYS);
    bool is_made = x && leaf_fill(x, wish);
    ERR_clear_error();
    if (is_made)
        return x;
    X509_free(x);
    return NULL;
}
