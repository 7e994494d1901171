/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/certificate.h"
#include "bus/secret.h"
#include "lib/test.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

static void passwords_differ_and_match_their_hash_only(void **state)
{
    struct secret a, b;
    struct secret_hash hash, other;
    (void)state;
    assert_rc(secret_make(&a), RC_OK);
    assert_rc(secret_make(&b), RC_OK);
    assert_int_equal(strlen(a.text), SECRET_BYTES);
    assert_string_not_equal(a.text, b.text);
    assert_rc(secret_hash_make(&a, &hash), RC_OK);
    assert_rc(secret_hash_make(&a, &other), RC_OK);
    assert_string_not_equal(hash.text, other.text); /* the salt */
    assert_int_equal(strncmp(hash.text, "$2a$", 4), 0);
    assert_true(secret_matches(&a, &hash));
    assert_true(secret_matches(&a, &other));
    assert_false(secret_matches(&b, &hash));
    b = a;
    b.text[SECRET_BYTES - 1] ^= 1; /* the last letter counts: bcrypt reads 72 */
    assert_false(secret_matches(&b, &hash));
}

static X509 *parse(const struct buf *pem)
{
    BIO *bio = BIO_new_mem_buf(pem->p, (int)pem->n);
    X509 *x = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    assert_non_null(x);
    return x;
}

/* The check of one server on another: signed by our authority, for that host. */
static bool is_good(const struct certificate *authority, const struct certificate *c,
                    const char *host, int purpose)
{
    X509 *ca = parse(&authority->cert), *x = parse(&c->cert);
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    X509_STORE_add_cert(store, ca);
    X509_STORE_CTX_init(ctx, store, x, NULL);
    X509_STORE_CTX_set_purpose(ctx, purpose);
    bool good = X509_verify_cert(ctx) == 1 &&
                (X509_check_host(x, host, 0, 0, NULL) == 1 || X509_check_ip_asc(x, host, 0) == 1);
    X509_STORE_CTX_free(ctx);
    X509_STORE_free(store);
    X509_free(ca);
    X509_free(x);
    return good;
}

static void a_machine_is_known_by_its_certificate(void **state)
{
    struct certificate ca, other, named, numbered;
    (void)state;
    certificate_init(&ca);
    certificate_init(&other);
    certificate_init(&named);
    certificate_init(&numbered);
    assert_rc(certificate_authority(STR("cluster c"), &ca), RC_OK);
    assert_rc(certificate_authority(STR("cluster c"), &other), RC_OK);
    assert_rc(certificate_for(&ca, STR("a.example"), &named), RC_OK);
    assert_rc(certificate_for(&ca, STR("10.0.0.7"), &numbered), RC_OK);
    assert_true(is_good(&ca, &named, "a.example", X509_PURPOSE_SSL_SERVER));
    assert_true(is_good(&ca, &named, "a.example", X509_PURPOSE_SSL_CLIENT));
    assert_false(is_good(&ca, &named, "b.example", X509_PURPOSE_SSL_SERVER));
    assert_true(is_good(&ca, &numbered, "10.0.0.7", X509_PURPOSE_SSL_SERVER));
    assert_false(is_good(&other, &named, "a.example", X509_PURPOSE_SSL_SERVER));
    certificate_done(&numbered);
    certificate_done(&named);
    certificate_done(&other);
    certificate_done(&ca);
}

static void what_is_no_host_gets_none(void **state)
{
    struct certificate ca, c;
    (void)state;
    certificate_init(&ca);
    certificate_init(&c);
    assert_rc(certificate_for(&ca, STR("a.example"), &c), RC_INVALID); /* no authority */
    assert_rc(certificate_authority(STR("x"), &ca), RC_OK);
    assert_rc(certificate_for(&ca, STR(""), &c), RC_INVALID);
    assert_rc(certificate_for(&ca, STR("a,DNS:b"), &c), RC_INVALID);
    assert_rc(certificate_for(&ca, STR("a b"), &c), RC_INVALID);
    certificate_done(&c);
    certificate_done(&ca);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passwords_differ_and_match_their_hash_only),
        cmocka_unit_test(a_machine_is_known_by_its_certificate),
        cmocka_unit_test(what_is_no_host_gets_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
