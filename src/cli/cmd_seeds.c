/* SPDX-License-Identifier: Apache-2.0 */
/* seeds add, seeds list: more places to begin at, and what became of those there are. */
#include "cli/commands.h"
#include "cli/control_client.h"
#include "cli/control_request.h"
#include "cli/stopped_crawl.h"

#include "crawl/seed.h"
#include "fetch/pace.h"
#include "outputs/crawl_dir.h"
#include "report/log_reasons.h"
#include "store/history.h"
#include "url/normalise.h"

#include <stdio.h>

enum { BATCH_BYTES = CONTROL_LINE_BYTES / 2 };

struct settings {
    bool json, only;
};

/* Adding --------------------------------------------------------------------------------------- */

struct adding {
    struct control_client client;
    struct url_idn *idn;
    size_t waiting; /* URLs in the request that is being made */
    uint64_t added, known, refused;
    uint64_t said; /* to all agents, by the operator's login */
    bool as_json;
};

static void say_refused(const json_t *answer, struct adding *a)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(answer, "refused"), i, one)
    {
        cli_fail(EXIT_USAGE, "%s: %s", json_text(one, "url"), json_text(one, "why"));
        a->refused++;
    }
}

/* Sends what was gathered; the crawl answers when it is safe. */
static int send_batch(struct adding *a)
{
    json_t *answer = NULL;
    if (!a->waiting)
        return EXIT_DONE;
    uint64_t sent = a->waiting;
    a->waiting = 0;
    jsonw_end(&a->client.j);
    int code = control_ask(&a->client, &answer);
    if (code == EXIT_DONE) {
        a->said += sent;
        a->added += json_u64(answer, "added");
        a->known += json_u64(answer, "known");
        say_refused(answer, a);
    }
    json_decref(answer);
    return code;
}

static int add_long(void *ctx)
{
    struct adding *a = ctx;
    a->refused++;
    cli_fail(EXIT_USAGE, "(a long line): longer than 1 MiB");
    return EXIT_DONE;
}

/* Here as well as in the crawl: to all agents of a cluster it is said without an answer, and a
 * password is not to be said at all. */
static bool is_refused(struct adding *a, struct str text)
{
    static char room[URL_ROOM_BYTES];
    char name[512];
    struct buf shown = buf_on(name, sizeof name);
    const char *why = "";
    struct url u;
    if (seed_read(text, a->idn, (struct url_room){room, sizeof room}, &u, &why) != RC_INVALID)
        return false;
    seed_print(text, &shown);
    cli_fail(EXIT_USAGE, STR_FMT ": %s", STR_ARG(buf_str(&shown)), why);
    a->refused++;
    return true;
}

static int add_one(void *ctx, struct str line)
{
    struct adding *a = ctx;
    struct str url = seed_line(line);
    int code = EXIT_DONE;
    if (!url.n)
        return EXIT_DONE;
    if (is_refused(a, url))
        return EXIT_DONE;
    if (!a->waiting) {
        control_begin(&a->client, "seeds");
        jsonw_key(&a->client.j, "urls");
        jsonw_array(&a->client.j);
    }
    jsonw_text(&a->client.j, url);
    if (++a->waiting == CONTROL_URLS || a->client.request.n > BATCH_BYTES)
        code = send_batch(a);
    return code;
}

static void say_added(const struct adding *a)
{
    if (a->client.fd < 0 && !a->as_json)
        (void)printf("%llu said to all agents\n", (unsigned long long)a->said);
    else if (a->as_json)
        (void)printf("{\"added\":%llu,\"known\":%llu,\"refused\":%llu}\n",
                     (unsigned long long)a->added, (unsigned long long)a->known,
                     (unsigned long long)a->refused);
    else
        (void)printf("%llu added, %llu known from earlier runs, %llu refused\n",
                     (unsigned long long)a->added, (unsigned long long)a->known,
                     (unsigned long long)a->refused);
}

static int run_add(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct adding a = {.as_json = s->json};
    if (in->word_count < 2)
        return cli_fail(EXIT_USAGE, "seeds add: expected the directory of a crawl, and URLs or -");
    int code = control_client_open_all(&a.client, in->words[0], s->only, "seeds add");
    if (code == EXIT_DONE && url_idn_open(&a.idn))
        code = cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    for (int i = 1; i < in->word_count && code == EXIT_DONE; i++)
        code = strcmp(in->words[i], "-") == 0 ? cli_each_line_but(add_one, add_long, &a)
                                              : add_one(&a, str_c(in->words[i]));
    if (code == EXIT_DONE)
        code = send_batch(&a);
    if (code == EXIT_DONE)
        say_added(&a);
    url_idn_close(a.idn);
    control_client_close(&a.client);
    return code == EXIT_DONE && a.refused ? EXIT_USAGE : code;
}

/* Listing -------------------------------------------------------------------------------------- */

struct seed {
    struct str url, from;
};

struct listing {
    struct control_client *client; /* NULL: the crawl does not run */
    struct history *history;
    struct url_idn *idn;
    struct arena *arena; /* of a batch */
    struct seed batch[CONTROL_URLS];
    size_t count;
    struct log_reasons reasons;
    struct buf out;
    bool as_json;
};

static void print_seed(struct listing *l, const struct seed *s, bool has_code, int code)
{
    struct str reason = has_code ? log_reasons_of(&l->reasons, s->url, code) : STR_NONE;
    if (l->as_json) {
        struct jsonw j = jsonw_to(&l->out);
        jsonw_object(&j);
        jsonw_text_field(&j, "url", s->url);
        jsonw_key(&j, "code");
        if (has_code)
            jsonw_i64(&j, code);
        else
            jsonw_null(&j);
        if (has_code && code < 0)
            jsonw_text_field(&j, "reason", reason.n ? reason : str_c(fetch_code_text(code)));
        if (s->from.p)
            jsonw_text_field(&j, "redirected_from", s->from);
        jsonw_end(&j);
        buf_byte(&l->out, '\n');
        return;
    }
    if (has_code)
        buf_printf(&l->out, "%d\t", code);
    else
        buf_add(&l->out, STR("-\t"));
    buf_add(&l->out, s->url);
    buf_printf(&l->out, "\t%s", has_code ? fetch_code_text(code) : "not asked for yet");
    if (reason.n)
        buf_printf(&l->out, ": " STR_FMT, STR_ARG(reason));
    if (s->from.p)
        buf_printf(&l->out, "; " STR_FMT " redirects there", STR_ARG(s->from));
    buf_byte(&l->out, '\n');
}

static void look_up(struct listing *l, const struct seed *s)
{
    static char room[URL_ROOM_BYTES];
    struct url_parser parser = {.idn = l->idn};
    struct past past;
    struct url u;
    bool has = false;
    /* It was written in the form that the crawl compares. */
    if (l->history &&
        url_parse(&parser, s->url, NULL, (struct url_room){room, sizeof room}, &u) == RC_OK) {
        has =
            history_get(l->history, url_fingerprint(&u), l->arena, &past) == RC_OK && past.fetches;
    }
    print_seed(l, s, has, has ? past.code : 0);
}

static int ask_batch(struct listing *l)
{
    json_t *answer = NULL;
    control_begin(l->client, "known");
    jsonw_key(&l->client->j, "urls");
    jsonw_array(&l->client->j);
    for (size_t i = 0; i < l->count; i++)
        jsonw_text(&l->client->j, l->batch[i].url);
    jsonw_end(&l->client->j);
    int code = control_ask(l->client, &answer);
    const json_t *codes = json_object_get(answer, "codes");
    for (size_t i = 0; i < l->count && code == EXIT_DONE; i++) {
        const json_t *one = json_array_get(codes, i);
        print_seed(l, &l->batch[i], json_is_integer(one), (int)json_integer_value(one));
    }
    json_decref(answer);
    return code;
}

static int list_batch(struct listing *l)
{
    int code = EXIT_DONE;
    if (l->client && l->count)
        code = ask_batch(l);
    for (size_t i = 0; !l->client && i < l->count; i++)
        look_up(l, &l->batch[i]);
    l->count = 0;
    arena_clear(l->arena);
    cli_print(&l->out);
    return code;
}

static int list_one(void *ctx, struct str url, struct str from)
{
    struct listing *l = ctx;
    struct seed *s = &l->batch[l->count];
    s->url = arena_dup(l->arena, url);
    s->from = from.p ? arena_dup(l->arena, from) : STR_NONE;
    if (!s->url.p)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    return ++l->count == CONTROL_URLS ? list_batch(l) : EXIT_DONE;
}

static int list(struct listing *l, const char *dir)
{
    int code = stopped_crawl_seeds(dir, list_one, l);
    return code == EXIT_DONE ? list_batch(l) : code;
}

/* Without a history there is nothing to tell of a seed but that it is one. */
static int open_history(struct listing *l, const char *dir, struct arena *arena)
{
    struct buf why = {.max = 4096};
    struct str path = arena_printf(arena, "%s/state/history", dir);
    enum rc rc = path.p ? url_idn_open(&l->idn) : RC_NOMEM;
    rc = rc ? rc : history_open_read(path.p, &l->history, &why);
    rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    int code = cli_code_of(rc);
    if (rc)
        cli_fail((enum exit_code)code, STR_FMT,
                 STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&why);
    return code;
}

static int want_reason(void *ctx, struct str url, struct str from)
{
    struct listing *l = ctx;
    (void)from;
    return log_reasons_want(&l->reasons, url) ? cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM))
                                              : EXIT_DONE;
}

/* Of every seed, in one pass over crawl.log. */
static int read_reasons(struct listing *l, const char *dir)
{
    struct disk *d = NULL;
    struct buf why = {.max = 4096};
    enum rc rc = log_reasons_init(&l->reasons);
    int code =
        rc ? cli_fail(EXIT_OTHER, "%s", rc_text(rc)) : stopped_crawl_seeds(dir, want_reason, l);
    if (code == EXIT_DONE) {
        rc = crawl_dir_open(dir, &d, &why);
        rc = rc ? rc : log_reasons_read(&l->reasons, d);
    }
    disk_close(d);
    buf_done(&why);
    return code != EXIT_DONE || !rc ? code : cli_fail(EXIT_OTHER, "%s: %s", dir, rc_text(rc));
}

static int run_list(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct control_client c;
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "seeds list: expected one directory of a crawl");
    struct listing *l = arena_zero(in->arena, sizeof *l);
    if (!l || !(l->arena = arena_open(64 << 10, 64 << 20)))
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    l->as_json = s->json;
    buf_init(&l->out, 32 << 20);
    int code = control_client_open(&c, in->words[0], true);
    if (code == EXIT_DONE)
        l->client = &c;
    else if (code == EXIT_USAGE)
        code = open_history(l, in->words[0], in->arena);
    code = code == EXIT_DONE ? read_reasons(l, in->words[0]) : code;
    code = code == EXIT_DONE ? list(l, in->words[0]) : code;
    log_reasons_done(&l->reasons);
    control_client_close(&c);
    history_close(l->history);
    url_idn_close(l->idn);
    arena_close(l->arena);
    buf_done(&l->out);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "print JSON", .letter = 'j'),
    {0},
};
static const struct option add_options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "print JSON", .letter = 'j'),
    OPTION_BOOL_ROW(struct settings, only, "only", "no", "in a cluster: by this agent alone"),
    {0},
};

const struct command cmd_seeds_add = {
    .name = "seeds add",
    .args = "DIR URL...|-",
    .summary = "more seeds for the running crawl",
    .details =
        "Each URL joins the crawl as if it had been there from the start: it is queued and draws\n"
        "the scope. \"-\" reads them from standard input, one a line. When this ends with exit "
        "code\n"
        "0 all are safe; those that are no URLs are named and not taken (exit code 2). When no\n"
        "crawl runs in DIR, orbweaver crawl -o DIR URL... brings them. In a cluster all agents "
        "are\n"
        "told, by the operator's login (docs/cluster.md): the scope is drawn alike everywhere.",
    .options = add_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_add,
};

const struct command cmd_seeds_list = {
    .name = "seeds list",
    .args = "DIR",
    .summary = "the seeds of a crawl, each with its last status",
    .details =
        "A line a seed, separated by tabs: the last code (- if it was never asked for), the\n"
        "URL, and the code in words; for a seed that failed or was refused, also the reason that\n"
        "crawl.log has. Where a seed redirects to is a seed, too.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run_list,
};
