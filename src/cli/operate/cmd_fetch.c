/* SPDX-License-Identifier: Apache-2.0 */
/* fetch: fetches one page now, as a crawl would, and prints each decision. */
#include "cli/commands.h"
#include "cli/crawl_client.h"
#include "cli/operate/fetch_net.h"
#include "cli/operate/fetch_page.h"

#include "host/pace.h"
#include "ledger/seed.h"
#include "net/head.h"
#include "robots/robots.h"
#include "url/idn.h"
#include "url/normalise.h"

#include <stdio.h>

enum { OUT_MAX_BYTES = 256 << 20, CRAWL_DELAY_MOST_MS = 30 * 1000 };

struct settings {
    struct fetch_net_settings net;
    unsigned scope;
    uint64_t delay_ms;
    bool ignore_robots;
    bool json;
};

struct fetching {
    const struct settings *s;
    struct fetch_net net;
    struct arena *arena;
    struct url_idn *idn;
    struct url url;
    struct robots *rules;
    json_t *report, *steps;
    bool is_named; /* its addresses are among the steps */
    struct buf text;
    char room[URL_ROOM_BYTES], robots_room[2][URL_ROOM_BYTES];
};

static void step(struct fetching *f, const char *format, ...) PRINTF_LIKE(2, 3);
static void step(struct fetching *f, const char *format, ...)
{
    va_list args;
    buf_clear(&f->text);
    va_start(args, format);
    buf_vprintf(&f->text, format, args);
    va_end(args);
    (void)json_array_append_new(f->steps, json_str(buf_str(&f->text)));
}

static int ours(enum rc rc)
{
    return cli_fail(EXIT_OTHER, "%s", rc_text(rc));
}

/* Asking --------------------------------------------------------------------------------------- */

static void say_addresses(struct fetching *f, struct str host, const struct fetched *got)
{
    struct buf list = {.max = 1000};
    for (uint32_t i = 0; i < got->address_count; i++) {
        buf_add(&list, i ? STR(", ") : STR(""));
        address_print(&got->addresses[i], &list);
    }
    f->is_named = true;
    step(f, STR_FMT " is at " STR_FMT, STR_ARG(host), STR_ARG(buf_str(&list)));
    buf_done(&list);
}

/* Adds the result of a request as a step; true: there is an answer. */
static bool say_how(struct fetching *f, const struct url *u, const struct fetched *got)
{
    static const char *const names[] = {"found", "there is no such name", "its name servers fail",
                                        "no name server answers"};
    struct str host = url_host(u), href = url_href(u);
    if (got->address_count && !f->is_named)
        say_addresses(f, host, got);
    if (got->dns != DNS_FOUND) {
        step(f, STR_FMT ": %s", STR_ARG(host), names[got->dns]);
    } else if (!got->address_count) {
        step(f, STR_FMT ": none of its %u addresses is public; --allow-private lets it be asked",
             STR_ARG(host), got->found);
    } else if (!got->answer.head.n) {
        step(f, STR_FMT ": no answer: %s%s%s", STR_ARG(href),
             http_outcome_name(got->answer.outcome), got->answer.why ? ", " : "",
             got->answer.why ? got->answer.why : "");
    } else {
        step(f, STR_FMT ": %s", STR_ARG(href), fetch_code_text(got->answer.status));
        return true;
    }
    return false;
}

/* Asks once more, over HTTP/2 and after the delay, where the server refuses HTTP/1.1. If that
 * fails, the result is that of HTTP/1.1. */
static enum rc get(struct fetching *f, const struct url *u, struct fetched *got)
{
    enum rc rc = fetch_net_get(&f->net, u, got);
    if (rc || !got->was_asked || got->answer.offer != HTTP_OFFER_POSSIBLE ||
        !host_http_is_refusal(&got->answer))
        return rc;
    (void)say_how(f, u, got);
    step(f, "the server refuses HTTP/1.1: asked again over HTTP/2, after %llu ms",
         (unsigned long long)f->s->delay_ms);
    fetch_net_pause(f->s->delay_ms);
    f->net.offers_h2 = true;
    struct fetched second;
    rc = fetch_net_get(&f->net, u, &second);
    if (rc == RC_OK && second.answer.head.n)
        *got = second;
    else if (rc == RC_OK)
        (void)say_how(f, u, &second);
    return rc;
}

/* robots.txt ----------------------------------------------------------------------------------- */

/* Fetches it, over at most five redirects; *ret_status is 0 without an answer. */
static enum rc ask_robots(struct fetching *f, struct fetched *got, int *ret_status)
{
    struct url_parser parser = {.idn = f->idn};
    struct buf scratch = {.max = 64 << 10};
    struct url u, next;
    enum rc rc = url_parse(&parser, STR("/robots.txt"), &f->url,
                           (struct url_room){f->robots_room[0], URL_ROOM_BYTES}, &u);
    for (unsigned redirects = 0; rc == RC_OK; redirects++) {
        rc = get(f, &u, got);
        if (rc)
            break;
        *ret_status = say_how(f, &u, got) ? got->answer.status : 0;
        struct str to = robots_status(*ret_status) == ROBOTS_REDIRECT
                            ? head_get(got->answer.head, STR("Location"), &scratch)
                            : STR_NONE;
        char *room = f->robots_room[(redirects + 1) % 2];
        if (!to.p || redirects == ROBOTS_REDIRECTS_MAX ||
            url_parse(&parser, to, &u, (struct url_room){room, URL_ROOM_BYTES}, &next) ||
            !url_is_http(&next) || port_is_bad(url_port(&next)))
            break;
        u = next;
        fetch_net_pause(f->s->delay_ms);
    }
    buf_done(&scratch);
    return rc;
}

static void report_robots(struct fetching *f, const struct robots_verdict *v, uint32_t delay_ms)
{
    json_t *to = json_object();
    (void)json_object_set_new(f->report, "robots", to);
    (void)json_object_set_new(to, "allowed", json_boolean(v->allowed));
    (void)json_object_set_new(to, "line", json_integer(v->line));
    (void)json_object_set_new(to, "rule", json_str(v->rule));
    (void)json_object_set_new(to, "crawl_delay_ms", json_integer(delay_ms));
}

/* EXIT_DONE: the page may be asked for, after *ret_wait_ms. */
static int obey_robots(struct fetching *f, uint64_t *ret_wait_ms)
{
    struct fetched got = {0};
    int status = 0;
    uint32_t delay_ms = 0;
    *ret_wait_ms = 0;
    if (f->s->ignore_robots) {
        step(f, "robots.txt is not asked for: --ignore-robots, only for sites of your own");
        return EXIT_DONE;
    }
    enum rc rc = ask_robots(f, &got, &status);
    enum robots_status_meaning meaning = robots_status(status);
    if (rc == RC_OK && meaning == ROBOTS_USE_BODY)
        rc = robots_parse(got.text, request_robots_token(f->s->net.user_agent), &f->rules);
    if (rc)
        return ours(rc);
    if (meaning == ROBOTS_RETRY) {
        step(f, "robots.txt cannot be fetched, so nothing may be asked for now");
        return status ? EXIT_OTHER : EXIT_NO_SEED;
    }
    const struct robots *rules = f->rules ? f->rules : robots_allow_all();
    struct robots_verdict v = robots_check(rules, url_path_query(&f->url));
    (void)robots_delay_ms(rules, &delay_ms);
    report_robots(f, &v, delay_ms);
    if (!f->rules)
        step(f, "there is no robots.txt: everything is allowed");
    else if (v.line)
        step(f, "robots.txt %s it: line %u, \"" STR_FMT "\"", v.allowed ? "allows" : "forbids",
             v.line, STR_ARG(v.rule));
    else
        step(f, "robots.txt allows it: no rule is about it");
    uint64_t asked_ms = delay_ms < CRAWL_DELAY_MOST_MS ? delay_ms : CRAWL_DELAY_MOST_MS;
    *ret_wait_ms = asked_ms > f->s->delay_ms ? asked_ms : f->s->delay_ms;
    return v.allowed ? EXIT_DONE : EXIT_OTHER;
}

/* The page ------------------------------------------------------------------------------------- */

static enum rc open_scope(struct fetching *f, struct scope **ret, struct buf *why)
{
    struct scope_settings s = {0};
    enum rc rc = options_default(scope_options, &s, f->arena);
    s.scope = f->s->scope;
    rc = rc ? rc : scope_open(&s, ret, why);
    return rc ? rc : scope_add_seed(*ret, &f->url);
}

static int read_page(struct fetching *f, const struct fetched *got)
{
    struct buf why = {.max = 1024};
    struct fetch_page p = {.url = &f->url,
                           .fetched = got,
                           .agent = request_robots_token(f->s->net.user_agent),
                           .rules = f->rules,
                           .idn = f->idn,
                           .arena = f->arena};
    enum rc rc = open_scope(f, &p.scope, &why);
    rc = rc ? rc : fetch_page_report(&p, f->report);
    scope_close(p.scope);
    buf_done(&why);
    return rc ? ours(rc) : EXIT_DONE;
}

static int get_page(struct fetching *f)
{
    struct fetched got;
    uint64_t wait_ms = 0;
    int code = obey_robots(f, &wait_ms);
    if (code != EXIT_DONE)
        return code;
    if (wait_ms)
        step(f, "waited %llu ms between two requests to the host", (unsigned long long)wait_ms);
    fetch_net_pause(wait_ms);
    enum rc rc = get(f, &f->url, &got);
    if (rc)
        return ours(rc);
    bool is_answered = say_how(f, &f->url, &got);
    (void)json_object_set_new(f->report, "request", json_str(got.request));
    code = read_page(f, &got);
    return code == EXIT_DONE && !is_answered ? EXIT_NO_SEED : code;
}

/* The command ---------------------------------------------------------------------------------- */

static int understand(struct fetching *f, const char *word)
{
    char shown[512];
    struct buf name = buf_on(shown, sizeof shown);
    const char *why = "";
    enum rc rc =
        seed_read(str_c(word), f->idn, (struct url_room){f->room, sizeof f->room}, &f->url, &why);
    seed_print(str_c(word), &name);
    if (rc == RC_INVALID)
        return cli_fail(EXIT_USAGE, STR_FMT ": %s", STR_ARG(buf_str(&name)), why);
    if (rc)
        return ours(rc);
    url_normalise(&f->url, URL_RULES_DEFAULT);
    (void)json_object_set_new(f->report, "url", json_str(url_href(&f->url)));
    step(f, "the URL is " STR_FMT, STR_ARG(url_href(&f->url)));
    return EXIT_DONE;
}

/* A library's error about a setting begins with its key, which is a flag of this command. */
static int say_refused(enum rc rc, struct str why)
{
    bool is_usage = rc == RC_INVALID || rc == RC_UNSUPPORTED;
    bool is_flag = option_find(cmd_fetch.options, str_first(why, str_find(why, ':'))) != NULL;
    return cli_fail(is_usage ? EXIT_USAGE : EXIT_OTHER, "%s" STR_FMT, is_flag ? "--" : "",
                    STR_ARG(why.n ? why : str_c(rc_text(rc))));
}

static int fetch_with(struct fetching *f, const char *word)
{
    struct buf why = {.max = 4096};
    enum rc rc = url_idn_open(&f->idn);
    int code = rc ? ours(rc) : understand(f, word);
    if (code == EXIT_DONE) {
        rc = fetch_net_open(&f->net, &f->s->net, f->arena, &why);
        if (rc)
            code = say_refused(rc, buf_str(&why));
        else
            code = get_page(f);
        fetch_net_close(&f->net);
    }
    buf_done(&why);
    return code;
}

static int run(struct invocation *in)
{
    struct buf out = {.max = OUT_MAX_BYTES};
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "fetch: expected one URL, got %d", in->word_count);
    struct fetching *f = arena_zero(in->arena, sizeof *f);
    if (!f)
        return ours(RC_NOMEM);
    f->s = in->settings;
    f->arena = in->arena;
    f->report = json_object();
    f->steps = json_array();
    (void)json_object_set_new(f->report, "steps", f->steps);
    buf_init(&f->text, 256 << 10);
    int code = fetch_with(f, in->words[0]);
    if (f->s->json)
        json_print_line(f->report);
    else
        fetch_screen(f->report, &out);
    cli_print(&out);
    json_decref(f->report);
    robots_free(f->rules);
    url_idn_close(f->idn);
    buf_done(&f->text);
    buf_done(&out);
    return code;
}

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct settings, field, __VA_ARGS__)
static const struct option options[] = {
    ROW(BOOL, json, "json", "no", "print JSON", .letter = 'j'),
    ROW(TEXT, net.user_agent, "user-agent", "orbweaver",
        "the crawler's name, in requests and robots.txt"),
    ROW(TEXT, net.contact, "contact", NULL, "where a site's operator can write to",
        .arg = "URL|MAIL"),
    ROW(DURATION, delay_ms, "delay", "1s", "least time between two requests to a host",
        .letter = 'w'),
    ROW(CHOICE, scope, "scope", "host", "what a crawl from this URL would take",
        .choices = "host|domain|prefix|page|any"),
    ROW(BOOL, ignore_robots, "ignore-robots", "no",
        "do not obey robots.txt (only on your own sites)"),
    ROW(LIST, net.allow_private, "allow-private", NULL, "fetch from private addresses, all or some",
        .arg = "CIDR", .bare = "all"),
    ROW(TEXT, net.resolver, "resolver", NULL, "a DNS server to ask instead of the system's",
        .arg = "ADDR:PORT"),
    ROW(CHOICE, net.http, "http", "auto",
        "auto: HTTP/2 only where HTTP/1.1 is refused; 2: offer it everywhere",
        .choices = "auto|1.1|2", .former = "http2", .no = "auto", .yes = "2"),
    ROW(BOOL, net.insecure, "insecure", "no", "accept certificates that do not verify"),
    ROW(TEXT, net.ca_file, "ca-file", NULL,
        "certificates of trusted authorities, instead of the system's", .arg = "FILE"),
    ROW(SIZE, net.body_bytes, "body-size", "20M", "most bytes of a body; the rest is cut off",
        .min = 1, .max = 64 << 20),
    {0},
};
#undef ROW

const struct command cmd_fetch = {
    .name = "fetch",
    .args = "URL",
    .summary = "one page now: what is decided, headers, links, robots, scope",
    .details =
        "Asks for robots.txt and, if that allows it, for the page, politely and without a crawl's\n"
        "directory. Prints each decision, request and answer, timing, what the page is, and its\n"
        "links: + would be followed by a crawl from this URL, - would not, and why. A redirect is\n"
        "shown and not followed. Exit code 4: no answer; 1: robots.txt forbids it.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
