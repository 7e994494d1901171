/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/request.h"

enum { IDENTITY_MAX_BYTES = 512 };

static bool may_stand(struct str value)
{
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] == '\r' || value.p[i] == '\n' || value.p[i] == '\0')
            return false;
    return true;
}

/* Visible ASCII and blanks. Both ends are compared: char has no sign on some processors. */
static bool is_printable(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~')
            return false;
    return true;
}

static bool has_any(struct str s, struct str bytes)
{
    for (size_t i = 0; i < bytes.n; i++)
        if (str_find(s, bytes.p[i]) < s.n)
            return true;
    return false;
}

static bool is_mail(struct str s)
{
    size_t at = str_find(s, '@');
    struct str domain = str_from(s, at + 1);
    return at > 0 && domain.n > 0 && !has_any(domain, STR("@/:"));
}

static bool is_page(struct str s)
{
    return (str_starts_nocase(s, STR("http://")) && s.n > 7) ||
           (str_starts_nocase(s, STR("https://")) && s.n > 8);
}

static enum rc refuse(struct buf *why, const char *what)
{
    buf_add(why, str_c(what));
    return RC_INVALID;
}

static enum rc check_agent(struct str agent, struct buf *why)
{
    if (agent.n > IDENTITY_MAX_BYTES)
        return refuse(why, "user-agent: expected at most 512 bytes");
    if (!is_printable(agent))
        return refuse(why, "user-agent: expected visible ASCII");
    if (request_robots_token(agent).n == 0)
        return refuse(why,
                      "user-agent: expected a name for robots.txt at its start: letters, - and _");
    return RC_OK;
}

static enum rc check_contact(struct str contact, struct buf *why)
{
    if (contact.n > IDENTITY_MAX_BYTES)
        return refuse(why, "contact: expected at most 512 bytes");
    if (!is_printable(contact) || has_any(contact, STR(" ()<>\"\\")))
        return refuse(why, "contact: expected visible ASCII without blanks and brackets");
    if (!is_page(contact) && !is_mail(contact))
        return refuse(why,
                      "contact: expected a URL such as https://example.org/bot, or a mail address");
    return RC_OK;
}

/* A user agent that holds the contact already does not get it twice. */
static struct str joined(struct str agent, struct str contact, struct arena *arena)
{
    if (contact.n == 0 || str_find_str(agent, contact) < agent.n)
        return arena_dup(arena, agent);
    return arena_printf(arena, STR_FMT " (+" STR_FMT ")", STR_ARG(agent), STR_ARG(contact));
}

enum rc identity_make(struct str user_agent, struct str contact, struct arena *arena,
                      struct request_identity *ret, struct buf *why)
{
    struct request_identity made = {0};
    user_agent = str_trim(user_agent);
    contact = str_trim(contact);
    if (str_starts_nocase(contact, STR("mailto:")))
        contact = str_from(contact, 7);
    enum rc rc = check_agent(user_agent, why);
    if (rc == RC_OK && contact.n)
        rc = check_contact(contact, why);
    if (rc != RC_OK)
        return rc;
    bool has_from = contact.n && !is_page(contact);
    made.user_agent = joined(user_agent, contact, arena);
    if (has_from)
        made.from = arena_dup(arena, contact);
    if (!made.user_agent.p || (has_from && !made.from.p))
        return RC_NOMEM;
    *ret = made;
    return RC_OK;
}

static void field(struct buf *out, struct str name, struct str value)
{
    if (value.n == 0 || !may_stand(value))
        return;
    buf_add(out, name);
    buf_add(out, STR(": "));
    buf_add(out, value);
    buf_add(out, STR("\r\n"));
}

void request_write(struct buf *out, const struct url *u, const struct request_identity *identity,
                   const struct request_condition *condition)
{
    buf_add(out, STR("GET "));
    buf_add(out, url_path_query(u));
    buf_add(out, STR(" HTTP/1.1\r\nHost: "));
    buf_add(out, str_make(u->p + u->host_at, (size_t)(u->port_end - u->host_at)));
    buf_add(out, STR("\r\n"));
    field(out, STR("User-Agent"), identity->user_agent);
    field(out, STR("From"), identity->from);
    buf_add(out, STR("Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
                     "Accept-Language: en;q=0.8,*;q=0.5\r\n"));
    field(out, STR("Accept-Encoding"),
          identity->encodings.p ? identity->encodings : STR(REQUEST_ENCODINGS));
    if (condition) {
        field(out, STR("If-None-Match"), condition->etag);
        field(out, STR("If-Modified-Since"), condition->last_modified);
    }
    buf_add(out, STR("\r\n"));
}

struct str request_robots_token(struct str user_agent)
{
    size_t n = 0;
    while (n < user_agent.n &&
           (ascii_is_alpha(user_agent.p[n]) || user_agent.p[n] == '-' || user_agent.p[n] == '_'))
        n++;
    return str_first(user_agent, n);
}
