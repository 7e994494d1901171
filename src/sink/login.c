/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/login.h"

bool sink_agent_is_good(struct str name)
{
    if (name.n == 0 || name.n > SINK_MAX_NAME_BYTES)
        return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!(c >= 'a' && c <= 'z') && !ascii_is_digit(c) && c != '-' && c != '_')
            return false;
    }
    return true;
}

static enum rc copy_text(char *to, size_t room, struct str text)
{
    if (text.n == 0 || text.n >= room || memchr(text.p, 0, text.n))
        return RC_INVALID;
    memcpy(to, text.p, text.n);
    to[text.n] = '\0';
    return RC_OK;
}

enum rc sink_address_read(struct str text, struct sink_login *ret)
{
    struct str host = str_take_until(&text, ':');
    uint64_t port = SINK_PORT;
    if (text.p && (str_to_u64(text, &port) || port == 0 || port > UINT16_MAX))
        return RC_INVALID;
    for (size_t i = 0; i < host.n; i++)
        if (!ascii_is_alnum(host.p[i]) && host.p[i] != '.' && host.p[i] != '-')
            return RC_INVALID;
    ret->port = (uint16_t)port;
    return copy_text(ret->host, sizeof ret->host, host);
}

void sink_login_write(const struct sink_login *l, struct str authority, struct buf *out)
{
    buf_printf(out, "# orbweaver sink: keep it secret\nserver: %s:%u\nagent: %s\nsecret: %s\n",
               l->host, l->port, l->name, l->secret.text);
    buf_add(out, authority);
}

static enum rc take_line(struct str line, struct sink_login *l, unsigned *seen)
{
    struct str value = line;
    struct str key = str_take_until(&value, ':');
    value = str_trim(value);
    if (!value.p || key.n == 0 || key.p[0] == '#')
        return RC_OK;
    if (str_eq(key, STR("server"))) {
        *seen |= 1;
        return sink_address_read(value, l);
    }
    if (str_eq(key, STR("agent"))) {
        *seen |= 2;
        return sink_agent_is_good(value) ? copy_text(l->name, sizeof l->name, value) : RC_INVALID;
    }
    if (str_eq(key, STR("secret"))) {
        *seen |= 4;
        return value.n == SECRET_BYTES ? copy_text(l->secret.text, sizeof l->secret.text, value)
                                       : RC_INVALID;
    }
    return RC_INVALID;
}

enum rc sink_login_read(struct str text, struct sink_login *ret)
{
    struct sink_login l = {0};
    unsigned seen = 0;
    enum rc rc = RC_OK;
    while (rc == RC_OK && text.n) {
        struct str line = str_trim(str_take_until(&text, '\n'));
        if (str_starts(line, STR("-----BEGIN")))
            break;
        rc = take_line(line, &l, &seen);
    }
    if (rc == RC_OK && seen != 7)
        rc = RC_INVALID;
    if (rc == RC_OK)
        *ret = l;
    explicit_bzero(&l, sizeof l);
    return rc;
}

/* The hash in the line of that name; absent if there is no line. */
static struct str hash_of(struct str text, struct str name)
{
    while (text.n) {
        struct str hash = str_take_until(&text, '\n');
        struct str whose = str_take_until(&hash, ' ');
        if (hash.p && str_eq(whose, name))
            return hash;
    }
    return STR_NONE;
}

bool sink_agents_has(struct str text, struct str name)
{
    return hash_of(text, name).p != NULL;
}

bool sink_agents_know(struct str text, struct str name, struct str secret)
{
    struct secret said;
    struct secret_hash hash;
    struct str found = hash_of(text, name);
    if (!found.p || secret.n != SECRET_BYTES || copy_text(said.text, sizeof said.text, secret) ||
        copy_text(hash.text, sizeof hash.text, found))
        return false;
    bool good = secret_matches(&said, &hash);
    explicit_bzero(&said, sizeof said);
    return good;
}

void sink_agents_write(struct str text, struct str name, const struct secret_hash *hash,
                       struct buf *out)
{
    while (text.n) {
        struct str line = str_take_until(&text, '\n'), rest = line;
        if (str_eq(str_take_until(&rest, ' '), name) || !rest.p)
            continue;
        buf_add(out, line);
        buf_byte(out, '\n');
    }
    if (hash)
        buf_printf(out, STR_FMT " %s\n", STR_ARG(name), hash->text);
}
