/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/nats_login.h"

#include "base/jsonw.h"

#include <jansson.h>

static void write_half(struct jsonw *j, const char *key, const char *user, const struct secret *s)
{
    jsonw_key(j, key);
    jsonw_object(j);
    jsonw_text_field(j, "user", str_c(user));
    jsonw_text_field(j, "password", str_c(s->text));
    jsonw_end(j);
}

void nats_login_write(const struct nats_login *l, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "crawl", str_c(l->crawl));
    jsonw_text_field(&j, "name", str_c(l->name));
    jsonw_text_field(&j, "url", str_c(l->url));
    if (l->copies)
        jsonw_u64_field(&j, "copies", l->copies);
    write_half(&j, "say", l->say_user, &l->say);
    if (l->hear_user[0])
        write_half(&j, "hear", l->hear_user, &l->hear);
    jsonw_end(&j);
    buf_byte(out, '\n');
}

static bool take(const json_t *o, const char *key, char *to, size_t bytes)
{
    const json_t *v = json_object_get(o, key);
    size_t n = json_string_length(v);
    if (n == 0 || n >= bytes)
        return false;
    memcpy(to, json_string_value(v), n + 1);
    return strlen(to) == n;
}

static bool read_half(const json_t *o, char *user, struct secret *s)
{
    return take(o, "user", user, NATS_MAX_USER_BYTES + 1) &&
           take(o, "password", s->text, sizeof s->text);
}

static bool read_whole(const json_t *o, struct nats_login *l)
{
    const json_t *hear = json_object_get(o, "hear");
    const json_t *copies = json_object_get(o, "copies");
    l->copies = json_integer_value(copies) == 1 ? 1 : 3; /* not given: assume copies, to be safe */
    return take(o, "crawl", l->crawl, sizeof l->crawl) && nats_crawl_is_good(str_c(l->crawl)) &&
           take(o, "name", l->name, sizeof l->name) && take(o, "url", l->url, sizeof l->url) &&
           read_half(json_object_get(o, "say"), l->say_user, &l->say) &&
           (!hear || read_half(hear, l->hear_user, &l->hear));
}

enum rc nats_login_read(struct str json, struct nats_login *ret)
{
    struct nats_login l = {0};
    if (json.n == 0 || json.n > NATS_LOGIN_MAX_BYTES)
        return RC_INVALID;
    json_t *o = json_loadb(json.p, json.n, JSON_REJECT_DUPLICATES, NULL);
    bool good = json_is_object(o) && read_whole(o, &l);
    json_decref(o);
    if (good)
        *ret = l;
    explicit_bzero(&l, sizeof l);
    return good ? RC_OK : RC_INVALID;
}
