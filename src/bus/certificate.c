/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/certificate.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

enum { DAY_SECONDS = 86400, AUTHORITY_DAYS = 20 * 365, MACHINE_DAYS = 10 * 365 };

void certificate_init(struct certificate *c)
{
    buf_init(&c->cert, CERTIFICATE_MAX_BYTES);
    buf_init(&c->key, CERTIFICATE_MAX_BYTES);
}

void certificate_done(struct certificate *c)
{
    if (c->key.p)
        explicit_bzero(c->key.p, c->key.cap);
    buf_done(&c->cert);
    buf_done(&c->key);
}

static bool add_extension(X509 *x, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    bool good = e && X509_add_ext(x, e, -1);
    X509_EXTENSION_free(e);
    return good;
}

/* Serial, times, name and key. It is valid from a day ago, since another machine's clock may be
 * late. */
static bool fill(X509 *x, EVP_PKEY *key, struct str name, int days)
{
    uint8_t serial[16];
    BIGNUM *number = NULL;
    X509_NAME *subject = X509_get_subject_name(x);
    bool good = RAND_bytes(serial, sizeof serial) == 1;
    serial[0] &= 0x7f;
    number = good ? BN_bin2bn(serial, sizeof serial, NULL) : NULL;
    good = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x)) &&
           X509_set_version(x, X509_VERSION_3) &&
           X509_gmtime_adj(X509_getm_notBefore(x), -DAY_SECONDS) &&
           X509_time_adj_ex(X509_getm_notAfter(x), days, 0, NULL) && X509_set_pubkey(x, key) &&
           X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_ASC, (const uint8_t *)"orbweaver", -1,
                                      -1, 0) &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const uint8_t *)name.p,
                                      (int)(name.n < 64 ? name.n : 64), -1, 0);
    BN_free(number);
    return good;
}

static bool pem_out(BIO *bio, struct buf *ret)
{
    char *text = NULL;
    long n = BIO_get_mem_data(bio, &text);
    buf_clear(ret);
    if (n > 0)
        buf_add(ret, str_make(text, (size_t)n));
    return n > 0 && buf_rc(ret) == RC_OK;
}

static bool write_pem(X509 *x, EVP_PKEY *key, struct certificate *ret)
{
    BIO *cert = BIO_new(BIO_s_mem()), *secret = BIO_new(BIO_s_secmem());
    bool good = cert && secret && PEM_write_bio_X509(cert, x) &&
                PEM_write_bio_PrivateKey(secret, key, NULL, NULL, 0, NULL, NULL) &&
                pem_out(cert, &ret->cert) && pem_out(secret, &ret->key);
    BIO_free(cert);
    BIO_free(secret);
    return good;
}

enum rc certificate_authority(struct str name, struct certificate *ret)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = X509_new();
    bool good = key && x && fill(x, key, name, AUTHORITY_DAYS) &&
                X509_set_issuer_name(x, X509_get_subject_name(x)) &&
                add_extension(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                add_extension(x, x, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                add_extension(x, x, NID_subject_key_identifier, "hash") &&
                X509_sign(x, key, EVP_sha256()) && write_pem(x, key, ret);
    X509_free(x);
    EVP_PKEY_free(key);
    return good ? RC_OK : RC_NOMEM;
}

/* "DNS:a.example" or "IP:10.0.0.1". */
static bool alternative_name(struct str host, char *ret, size_t bytes)
{
    struct in_addr address;
    char name[CERTIFICATE_MAX_HOST_BYTES + 1];
    if (host.n == 0 || host.n > CERTIFICATE_MAX_HOST_BYTES)
        return false;
    for (size_t i = 0; i < host.n; i++)
        if (!ascii_is_alnum(host.p[i]) && host.p[i] != '.' && host.p[i] != '-')
            return false;
    (void)snprintf(name, sizeof name, STR_FMT, STR_ARG(host));
    bool is_address = inet_pton(AF_INET, name, &address) == 1;
    (void)snprintf(ret, bytes, "%s:%s", is_address ? "IP" : "DNS", name);
    return true;
}

static bool sign_for(X509 *issuer, EVP_PKEY *issuer_key, struct str host, const char *names,
                     struct certificate *ret)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = X509_new();
    bool good = key && x && fill(x, key, host, MACHINE_DAYS) &&
                X509_set_issuer_name(x, X509_get_subject_name(issuer)) &&
                add_extension(x, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
                add_extension(x, issuer, NID_key_usage, "critical,digitalSignature") &&
                add_extension(x, issuer, NID_ext_key_usage, "serverAuth,clientAuth") &&
                add_extension(x, issuer, NID_subject_alt_name, names) &&
                add_extension(x, issuer, NID_subject_key_identifier, "hash") &&
                add_extension(x, issuer, NID_authority_key_identifier, "keyid") &&
                X509_sign(x, issuer_key, EVP_sha256()) && write_pem(x, key, ret);
    X509_free(x);
    EVP_PKEY_free(key);
    return good;
}

enum rc certificate_for(const struct certificate *authority, struct str host,
                        struct certificate *ret)
{
    char names[CERTIFICATE_MAX_HOST_BYTES + 8];
    enum rc rc = RC_INVALID;
    if (!alternative_name(host, names, sizeof names))
        return RC_INVALID;
    BIO *cert = BIO_new_mem_buf(authority->cert.p, (int)authority->cert.n);
    BIO *secret = BIO_new_mem_buf(authority->key.p, (int)authority->key.n);
    X509 *x = cert ? PEM_read_bio_X509(cert, NULL, NULL, NULL) : NULL;
    EVP_PKEY *key = secret ? PEM_read_bio_PrivateKey(secret, NULL, NULL, NULL) : NULL;
    if (x && key && X509_check_private_key(x, key) == 1)
        rc = sign_for(x, key, host, names, ret) ? RC_OK : RC_NOMEM;
    X509_free(x);
    EVP_PKEY_free(key);
    BIO_free(cert);
    BIO_free(secret);
    return rc;
}
