/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/control.h"

#include "base/jsonw.h"
#include "base/log.h"
#include "base/mem.h"

enum {
    REPORT_MAX_BYTES = REPLY_MAX_BYTES - 4096,
    URL_BYTES = 16 * 1024,
    PAGE_MAX_BYTES = 64 * 1024,
};
#define MOST_SECONDS (UINT64_MAX / 1000000)

/* A request, with its query apart. */
struct command {
    const struct control *c;
    const struct request *q;
    struct str query;
    uint64_t now_us;
    struct reply *r;
};

/* Answers ----------------------------------------------------------------------------------- */

/* By the web's clock, as everything here. The body of an answer to HEAD is only spoken of. */
static void answer_text(const struct command *m, uint16_t status, struct str more, struct str body)
{
    char room[256];
    struct buf lines = buf_on(room, sizeof room);
    buf_add(&lines, STR("Date: "));
    buf_http_date(&lines, sim_clock_wall_ms(m->c->clock, m->now_us));
    buf_add(&lines, STR("\r\nCache-Control: no-store\r\n"));
    buf_add(&lines, more);
    reply_page(m->r, status, "application/json", buf_str(&lines), body);
    if (str_eq(m->q->method, STR("HEAD")))
        reply_drop_body(m->r, body.n);
}

static void answer_json(const struct command *m, uint16_t status, struct buf *json)
{
    if (buf_rc(json) != RC_OK) {
        answer_text(m, 500, STR_NONE,
                    STR("{\"error\":\"the answer is longer than the control port can send\"}\n"));
        return;
    }
    struct str more = status == 401   ? STR("WWW-Authenticate: Bearer\r\n")
                      : status == 405 ? STR("Allow: GET, POST\r\n")
                                      : STR_NONE;
    answer_text(m, status, more, buf_str(json));
}

static void answer_error(const struct command *m, uint16_t status, const char *what)
{
    char room[512];
    struct buf json = buf_on(room, sizeof room);
    struct jsonw j = jsonw_to(&json);
    jsonw_object(&j);
    jsonw_text_field(&j, "error", str_c(what));
    jsonw_end(&j);
    buf_byte(&json, '\n');
    answer_json(m, status, &json);
}

/* Queries ----------------------------------------------------------------------------------- */

/* The value behind `key`=, percent-encoded as it stands; absent if it is not there. */
static struct str query_get(struct str query, struct str key)
{
    while (query.p) {
        struct str pair = str_take_until(&query, '&');
        struct str name = str_take_until(&pair, '=');
        if (str_eq(name, key))
            return pair.p ? pair : STR("");
    }
    return STR_NONE;
}

static bool query_is_on(struct str query, struct str key)
{
    struct str value = query_get(query, key);
    return value.p && !str_eq(value, STR("0"));
}

static void unescape(struct str s, struct buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        int high = i + 2 < s.n ? ascii_hex(s.p[i + 1]) : -1;
        int low = high < 0 ? -1 : ascii_hex(s.p[i + 2]);
        if (s.p[i] == '%' && low >= 0) {
            buf_byte(out, (char)(high << 4 | low));
            i += 2;
        } else {
            buf_byte(out, s.p[i]);
        }
    }
}

/* Commands ---------------------------------------------------------------------------------- */

static void do_report(const struct command *m)
{
    struct buf json = {.max = REPORT_MAX_BYTES};
    struct report_wish wish = {.urls = query_is_on(m->query, STR("urls")),
                               .hosts = query_is_on(m->query, STR("hosts")),
                               .sights = query_is_on(m->query, STR("sights"))};
    witness_report(m->c->witness, m->c->knobs, m->now_us, wish, &json);
    answer_json(m, 200, &json);
    buf_done(&json);
}

static void answer_clock(const struct command *m)
{
    char room[256], time_room[64];
    struct buf json = buf_on(room, sizeof room), time = buf_on(time_room, sizeof time_room);
    struct jsonw j = jsonw_to(&json);
    uint64_t wall_ms = sim_clock_wall_ms(m->c->clock, m->now_us);
    buf_time_iso(&time, wall_ms);
    jsonw_object(&j);
    jsonw_u64_field(&j, "wall_ms", wall_ms);
    jsonw_text_field(&j, "time", buf_str(&time));
    jsonw_key(&j, "speed");
    jsonw_real(&j, m->c->clock->speed);
    jsonw_end(&j);
    buf_byte(&json, '\n');
    answer_json(m, 200, &json);
}

static void do_set_clock(const struct command *m)
{
    struct str by_s = query_get(m->query, STR("advance")), to = query_get(m->query, STR("to"));
    struct str by_ms = query_get(m->query, STR("advance_ms"));
    char room[64];
    struct buf text = buf_on(room, sizeof room);
    uint64_t n = 0;
    unescape(to, &text);
    if (by_s.p && str_to_u64(by_s, &n) == RC_OK && n < MOST_SECONDS)
        sim_clock_advance(m->c->clock, m->now_us, n * 1000);
    else if (by_ms.p && str_to_u64(by_ms, &n) == RC_OK && n < MOST_SECONDS)
        sim_clock_advance(m->c->clock, m->now_us, n);
    else if (to.p && buf_rc(&text) == RC_OK && moment_read(buf_str(&text), &n) == RC_OK &&
             n >= SIM_CLOCK_FIRST_MS && n <= SIM_CLOCK_LAST_MS)
        sim_clock_set(m->c->clock, m->now_us, n);
    else {
        answer_error(m, 400,
                     "expected ?advance=SECONDS, ?advance_ms=MS or ?to=2026-11-16T10:00:00Z, from "
                     "2025 to 9999");
        return;
    }
    answer_clock(m);
}

static void do_clock(const struct command *m)
{
    if (str_eq(m->q->method, STR("POST")))
        do_set_clock(m);
    else
        answer_clock(m);
}

static void do_reset(const struct command *m)
{
    if (!str_eq(m->q->method, STR("POST"))) {
        answer_error(m, 405, "reset is a POST");
        return;
    }
    witness_reset(m->c->witness);
    names_reset(m->c->names);
    answer_text(m, 200, STR_NONE, STR("{\"reset\":true}\n"));
}

static void place_field(struct jsonw *j, const struct world *w, const char *key, struct place p)
{
    struct buf url = {.max = URL_BYTES};
    place_url(w, p, &url);
    jsonw_text_field(j, key, buf_str(&url));
    buf_done(&url);
}

static void page_fields(struct jsonw *j, const struct world *w, struct place p)
{
    static const char *const roles[] = {"normal",   "duplicate", "near-duplicate",
                                        "redirect", "forbidden", "nofollow"};
    static const char *const charsets[] = {"utf-8", "windows-1252", "shift_jis", "koi8-r",
                                           "utf-16le"};
    struct page page = page_of(w, p.host, p.page);
    jsonw_u64_field(j, "page", p.page);
    jsonw_text_field(j, "role", str_c(roles[page.role]));
    jsonw_text_field(j, "charset", str_c(charsets[page.charset]));
    jsonw_u64_field(j, "about_bytes", page.bytes);
    jsonw_bool_field(j, "changes", page.changes);
    jsonw_key(j, "changes_a_day");
    jsonw_real(j, page.change_per_ms * 86400000);
    if (page.role == PAGE_REDIRECT) {
        jsonw_u64_field(j, "status", page.status);
        place_field(j, w, "target", page.target);
    }
    if (page.role == PAGE_DUPLICATE || page.role == PAGE_NEAR_DUPLICATE)
        place_field(j, w, "same_as",
                    (struct place){.host = p.host, .kind = PLACE_PAGE, .page = page.same_as});
}

static void version_fields(struct jsonw *j, const struct command *m, struct place p)
{
    uint64_t wall_ms = sim_clock_wall_ms(m->c->clock, m->now_us);
    struct version v = place_version(m->c->world, p, wall_ms);
    struct content_facts facts = content_facts(m->c->content, p, v);
    jsonw_text_field(j, "type", str_c(facts.type));
    jsonw_key(j, "version");
    jsonw_object(j);
    jsonw_u64_field(j, "structure", v.structure);
    jsonw_u64_field(j, "text", v.text);
    jsonw_u64_field(j, "image", v.image);
    jsonw_u64_field(j, "changed_ms", v.changed_ms);
    jsonw_end(j);
    jsonw_u64_field(j, "now_ms", wall_ms);
}

static void do_page(const struct command *m)
{
    static const char *const kinds[] = {"none",          "page",    "image", "style",
                                        "style-image",   "script",  "icon",  "robots",
                                        "sitemap-index", "sitemap", "feed"};
    struct buf url = {.max = URL_BYTES}, json = {.max = PAGE_MAX_BYTES};
    unescape(query_get(m->query, STR("url")), &url);
    struct place p = place_of_url(m->c->world, buf_str(&url));
    if (p.kind == PLACE_NONE) {
        answer_error(m, 404, "that is no place of this web");
    } else {
        struct jsonw j = jsonw_to(&json);
        jsonw_object(&j);
        jsonw_text_field(&j, "url", buf_str(&url));
        jsonw_u64_field(&j, "host", p.host);
        jsonw_text_field(&j, "kind", str_c(kinds[p.kind]));
        if (p.kind == PLACE_PAGE)
            page_fields(&j, m->c->world, p);
        version_fields(&j, m, p);
        jsonw_end(&j);
        buf_byte(&json, '\n');
        answer_json(m, 200, &json);
    }
    buf_done(&url);
    buf_done(&json);
}

/* Who may ----------------------------------------------------------------------------------- */

/* Takes as long whatever is wrong with it. */
static bool is_token(struct str given, struct str token)
{
    unsigned differs = given.n != token.n;
    for (size_t i = 0; i < token.n; i++)
        differs |= (unsigned char)(token.p[i] ^ (i < given.n ? given.p[i] : 0));
    return differs == 0;
}

static bool is_loopback_name(struct str host)
{
    return str_eq(host, STR("127.0.0.1")) || str_eq(host, STR("[::1]")) ||
           str_eq_nocase(host, STR("localhost"));
}

static bool may_ask(const struct control *c, const struct request *q)
{
    struct str given = request_header(q, STR("Authorization"));
    struct str scheme = str_take_until(&given, ' ');
    return str_eq_nocase(scheme, STR("Bearer")) && is_token(given, str_c(c->token));
}

static const struct {
    const char *path;
    void (*run)(const struct command *m);
} commands[] = {
    {"/_sim/report", do_report},
    {"/_sim/clock", do_clock},
    {"/_sim/reset", do_reset},
    {"/_sim/page", do_page},
};

void control_answer(const struct control *c, const struct request *q, uint64_t now_us,
                    struct reply *r)
{
    struct str query = q->target, path = str_take_until(&query, '?');
    struct command m = {.c = c, .q = q, .query = query, .now_us = now_us, .r = r};
    r->keep_alive = q->keep_alive && !q->is_http10;
    if (!is_loopback_name(q->host)) {
        answer_error(&m, 421, "ask for 127.0.0.1 or localhost");
        return;
    }
    if (!may_ask(c, q)) {
        answer_error(&m, 401, "the token of run.json is needed: Authorization: Bearer TOKEN");
        return;
    }
    if (!str_eq(q->method, STR("GET")) && !str_eq(q->method, STR("POST"))) {
        answer_error(&m, 405, "only GET and POST");
        return;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (str_eq(path, str_c(commands[i].path))) {
            commands[i].run(&m);
            return;
        }
    }
    answer_error(&m, 404, "expected /_sim/report, /_sim/clock, /_sim/reset or /_sim/page");
}
