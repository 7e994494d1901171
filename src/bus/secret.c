/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/secret.h"

#include "base/digest.h"

#include <crypt.h>
#include <sys/random.h>

enum { BCRYPT_COST = 5, SALT_BYTES = 16, RANDOM_BYTES = SECRET_BYTES / 2 };

static enum rc random_bytes(void *to, size_t bytes)
{
    return getrandom(to, bytes, 0) == (ssize_t)bytes ? RC_OK : RC_IO;
}

enum rc secret_make(struct secret *ret)
{
    uint8_t bytes[RANDOM_BYTES];
    struct buf out = buf_on(ret->text, SECRET_BYTES);
    enum rc rc = random_bytes(bytes, sizeof bytes);
    if (rc)
        return rc;
    buf_hex(&out, bytes, sizeof bytes);
    ret->text[SECRET_BYTES] = '\0';
    explicit_bzero(bytes, sizeof bytes);
    return buf_rc(&out);
}

static bool crypt_into(const char *password, const char *setting, struct secret_hash *ret)
{
    struct crypt_data data = {0};
    const char *hash = crypt_r(password, setting, &data);
    bool good = hash && hash[0] == '$' && strlen(hash) <= SECRET_HASH_MAX_BYTES;
    if (good)
        memcpy(ret->text, hash, strlen(hash) + 1);
    explicit_bzero(&data, sizeof data);
    return good;
}

enum rc secret_hash_make(const struct secret *s, struct secret_hash *ret)
{
    char salt[SALT_BYTES], setting[CRYPT_GENSALT_OUTPUT_SIZE];
    enum rc rc = random_bytes(salt, sizeof salt);
    if (rc)
        return rc;
    /* "$2a$" is the only spelling that nats-server accepts for a hash. */
    if (!crypt_gensalt_rn("$2a$", BCRYPT_COST, salt, sizeof salt, setting, sizeof setting))
        return RC_UNSUPPORTED;
    return crypt_into(s->text, setting, ret) ? RC_OK : RC_UNSUPPORTED;
}

bool secret_matches(const struct secret *s, const struct secret_hash *hash)
{
    struct secret_hash got;
    return crypt_into(s->text, hash->text, &got) && str_eq(str_c(got.text), str_c(hash->text));
}
