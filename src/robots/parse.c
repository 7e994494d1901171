/* SPDX-License-Identifier: Apache-2.0 */
/* Two walks over the lines: the first finds whether some group names the agent, the second takes
 * the rules of those groups, or of the groups for "*". */
#include "robots/block.h"
#include "robots/lines.h"
#include "robots/octets.h"

struct reader {
    struct str agent;
    struct builder *build;
    struct buf pattern;   /* of one rule at a time */
    bool named;           /* some group names the agent: those for "*" do not concern it */
    bool seen_agent;      /* a User-agent line has come */
    bool concerned;       /* the group at hand is for us */
    bool ruled;           /* and has had a rule, so that the next User-agent begins another */
    bool delay_concerned; /* the same for Crawl-delay, which also closes a run of User-agents */
    bool delayed;
};

/* Letters, '_' and '-' are RFC 9309's product token. */
static size_t token_bytes(struct str value, bool digits)
{
    size_t i = 0;
    while (i < value.n && (ascii_is_alpha(value.p[i]) || value.p[i] == '_' || value.p[i] == '-' ||
                           (digits && ascii_is_digit(value.p[i]))))
        i++;
    return i;
}

static bool agent_named(struct str value, struct str agent)
{
    return agent.n && (str_eq_nocase(str_first(value, token_bytes(value, false)), agent) ||
                       str_eq_nocase(str_first(value, token_bytes(value, true)), agent));
}

/* "*", alone or with something behind it that is no part of a name ("*<br>", "* everyone"). */
static bool agent_any(struct str value)
{
    return value.n && *value.p == '*' && token_bytes(str_from(value, 1), true) == 0;
}

static bool body_names(struct str body, struct str agent)
{
    struct robots_lines lines;
    enum robots_key key;
    struct str value;
    robots_lines_init(&lines, body);
    while (robots_lines_next(&lines, &key, &value)) {
        if (key == KEY_USER_AGENT && agent_named(value, agent))
            return true;
    }
    return false;
}

static void agent_read(struct reader *r, struct str value)
{
    bool ours = r->named ? agent_named(value, r->agent) : agent_any(value);
    r->concerned = ours || (r->concerned && !r->ruled);
    r->delay_concerned = ours || (r->delay_concerned && !r->ruled && !r->delayed);
    r->ruled = r->delayed = false;
    r->seen_agent = true;
}

/* A rule for a directory's default page (index.html) also covers the directory: some files allow
 * that page only. */
static void directory_add(struct reader *r, unsigned line, struct str text)
{
    size_t slash = text.n;
    while (slash && text.p[slash - 1] != '/')
        slash--;
    if (slash == 0 || !str_starts(str_from(text, slash), STR("index.htm")))
        return;
    r->pattern.n = slash;
    buf_byte(&r->pattern, '$');
    if (buf_rc(&r->pattern) == RC_OK)
        builder_rule(r->build, true, line, buf_str(&r->pattern));
}

static void rule_read(struct reader *r, bool allow, unsigned line, struct str value)
{
    r->ruled = true;
    if (!r->concerned || value.n == 0)
        return;
    r->pattern.n = 0;
    octets_pattern(value, &r->pattern);
    if (buf_rc(&r->pattern) != RC_OK)
        return;
    builder_rule(r->build, allow, line, buf_str(&r->pattern));
    if (allow)
        directory_add(r, line, buf_str(&r->pattern));
}

/* Seconds with a fraction, and whatever follows ("10", "0.5", "1,5", "10<br>"); false if it does
 * not begin with a number. */
static bool seconds_read(struct str s, uint32_t *ret_ms)
{
    uint64_t ms = 0;
    size_t i = 0, digits = 0;
    for (; i < s.n && ascii_is_digit(s.p[i]); i++, digits++) {
        if (ms <= ROBOTS_DELAY_MAX_MS)
            ms = ms * 10 + (uint64_t)(s.p[i] - '0') * 1000;
    }
    if (i < s.n && (s.p[i] == '.' || s.p[i] == ',')) {
        uint64_t unit = 100;
        for (i++; i < s.n && ascii_is_digit(s.p[i]); i++, digits++, unit /= 10)
            ms += unit * (uint64_t)(s.p[i] - '0');
    }
    *ret_ms = ms < ROBOTS_DELAY_MAX_MS ? (uint32_t)ms : ROBOTS_DELAY_MAX_MS;
    return digits > 0;
}

/* The longest delay given to us holds. A delay before any User-agent line is for all agents, unless
 * a User-agent line follows after all (then reader_end drops it). */
static void delay_read(struct reader *r, struct str value)
{
    uint32_t ms;
    r->delayed = true;
    if ((r->seen_agent && !r->delay_concerned) || !seconds_read(value, &ms))
        return;
    struct facts *facts = &r->build->facts;
    if (!facts->has_delay || ms > facts->delay_ms)
        facts->delay_ms = ms;
    facts->has_delay = true;
}

static void line_use(struct reader *r, enum robots_key key, unsigned line, struct str value)
{
    struct facts *facts = &r->build->facts;
    switch (key) {
    case KEY_USER_AGENT:
        if (!r->seen_agent) {
            facts->has_delay = false;
            facts->delay_ms = 0;
        }
        agent_read(r, value);
        break;
    case KEY_ALLOW:
    case KEY_DISALLOW:
        rule_read(r, key == KEY_ALLOW, line, value);
        break;
    case KEY_CRAWL_DELAY:
        delay_read(r, value);
        break;
    case KEY_SITEMAP:
        if (value.n)
            builder_sitemap(r->build, value);
        break;
    case KEY_NONE:
        break;
    }
}

enum rc robots_parse(struct str body, struct str agent, struct robots **ret)
{
    struct builder build;
    builder_init(&build);
    struct reader r = {.agent = agent, .build = &build, .named = body_names(body, agent)};
    buf_init(&r.pattern, UINT16_MAX);
    build.facts.is_named = r.named;
    struct robots_lines lines;
    enum robots_key key;
    struct str value;
    robots_lines_init(&lines, body);
    while (robots_lines_next(&lines, &key, &value))
        line_use(&r, key, lines.number, value);
    enum rc rc = buf_rc(&r.pattern);
    if (rc == RC_OK)
        rc = builder_finish(&build, ret);
    buf_done(&r.pattern);
    builder_done(&build);
    return rc;
}
