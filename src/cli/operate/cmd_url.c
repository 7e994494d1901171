/* SPDX-License-Identifier: Apache-2.0 */
/* url: everything a crawl knows of a URL, and why it was or was not fetched. */
#include "cli/commands.h"
#include "cli/crawl_client.h"
#include "cli/crawl_dirs.h"
#include "cli/operate/url_links.h"
#include "cli/stopped_crawl.h"
#include "control/url_captures.h"
#include "control/url_elsewhere.h"
#include "control/url_facts.h"

#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>

enum { OUT_MAX_BYTES = 4 << 20 };

struct settings {
    bool json;
};

/* Asks the running crawl. */
static int ask(struct crawl_client *c, const char *url, json_t **ret)
{
    struct jsonw *j = crawl_client_begin(c, "url");
    jsonw_text_field(j, "url", str_c(url));
    jsonw_bool_field(j, "all", true);
    return crawl_client_ask(c, ret);
}

/* Reads the files of a crawl that does not run. */
static enum rc look(struct stopped_crawl *d, struct arena *arena, const char *url, struct buf *out,
                    struct buf *why)
{
    struct url_facts *f = arena_zero(arena, sizeof *f);
    if (!f)
        return RC_NOMEM;
    f->arena = arena;
    enum rc rc = url_facts_name(f, d->idn, str_c(url), d->rules, 1, why);
    if (rc)
        return rc;
    f->is_partial = !d->ledger;
    rc = d->ledger ? ledger_bring(d->ledger, 0, f->host_hash) : RC_OK;
    if (rc)
        return rc;
    if (d->ledger)
        url_facts_frontier(f, ledger_frontier(d->ledger, 0), clock_now_ms(clock_real()),
                           (int64_t)clock_wall_ms(clock_real()));
    else
        f->is_known = stopped_crawl_names(d, f->fingerprint);
    url_facts_history(f, d->history);
    if (d->scope)
        url_facts_scope(f, d->scope);
    url_facts_json(f, false, out);
    return buf_rc(out);
}

static int look_into(const char *dir, const char *url, struct arena *arena, json_t **ret)
{
    struct stopped_crawl d;
    struct buf out = {.max = OUT_MAX_BYTES}, why = {.max = 8192};
    json_error_t error;
    enum rc rc = stopped_crawl_open(&d, dir, arena, &why);
    if (rc == RC_OK) {
        rc = look(&d, arena, url, &out, &why);
        stopped_crawl_close(&d);
    }
    if (rc == RC_OK)
        *ret = json_loadb(out.p, out.n, 0, &error);
    int code = cli_code_of(rc);
    if (rc)
        cli_fail((enum exit_code)code, STR_FMT,
                 STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&out);
    buf_done(&why);
    return rc ? code : *ret ? EXIT_DONE : EXIT_OTHER;
}

/* For people ----------------------------------------------------------------------------------- */

static void line(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, "%-9s%s\n", name, text);
}

static void print(const json_t *a, struct buf *out)
{
    const json_t *host = json_object_get(a, "host"), *last = json_object_get(a, "last");
    const json_t *captures = json_object_get(a, "captures"), *one;
    size_t i;
    line(out, "url", json_text(a, "url"));
    if (*json_text(a, "agent"))
        buf_printf(out, "%-9s%s owns its host, and says:\n", "agent", json_text(a, "agent"));
    buf_printf(out, "%-9s%s: %s\n", "state", json_text(a, "state"), json_text(a, "why"));
    line(out, "scope", json_text(json_object_get(a, "scope"), "text"));
    line(out, "robots", json_text(json_object_get(a, "robots"), "text"));
    buf_printf(out, "%-9s%s: %s (bucket %llu", "host", json_text(host, "name"),
               json_text(host, "text"), (unsigned long long)json_u64(host, "bucket"));
    if (json_is_true(
            json_object_get(a, "running"))) /* the next start may have another number of shards */
        buf_printf(out, ", shard %llu", (unsigned long long)json_u64(host, "shard"));
    buf_add(out, STR(")\n"));
    json_array_foreach(json_object_get(host, "origins"), i, one)
        line(out, "origin", json_text(one, "text"));
    if (json_is_object(last))
        line(out, "last", json_text(last, "text"));
    json_array_foreach(captures, i, one)
        buf_printf(out, "%-9sarchive/%s, byte %llu, %llu bytes long, of %s\n", "archive",
                   json_text(one, "file"), (unsigned long long)json_u64(one, "offset"),
                   (unsigned long long)json_u64(one, "length"), json_text(one, "date"));
}

/* Captures that other agents of a cluster have. */
static void print_elsewhere(const json_t *a, struct buf *out)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(a, "elsewhere"), i, one)
    {
        const json_t *lost = json_object_get(one, "lost");
        buf_printf(out, "%-9s", "archive");
        if (json_is_true(lost))
            buf_printf(out, "lost with the disk of agent %s", json_text(one, "agent"));
        else
            buf_printf(out, "with agent %s%s", json_text(one, "agent"),
                       json_is_null(lost) ? ", which has not said whether it still has it" : "");
        buf_printf(out, " (incarnation %llu)\n", (unsigned long long)json_u64(one, "inc"));
    }
}

/* Asks a running crawl, reads the files of another. */
static int find(const struct invocation *in, const char *dir, json_t **ret)
{
    struct crawl_client c;
    int code = crawl_client_open(&c, dir, true);
    if (code == EXIT_DONE)
        code = ask(&c, in->words[1], ret);
    else if (code == EXIT_USAGE)
        code = look_into(dir, in->words[1], in->arena, ret);
    crawl_client_close(&c);
    if (code != EXIT_DONE)
        return code;
    if (!json_is_true(json_object_get(*ret, "running")))
        url_elsewhere_add_stopped(dir, *ret);
    if (!json_object_get(*ret, "captures")) { /* an answer of another agent has them */
        url_captures_add(dir, *ret);
        url_reason_add(dir, *ret);
    }
    return EXIT_DONE;
}

/* How much an answer tells. That of a running crawl tells most: it is of all agents. */
static int worth(const json_t *answer)
{
    const char *state = json_text(answer, "state");
    return json_is_true(json_object_get(answer, "running")) ? 4
           : strcmp(state, "unknown") == 0                  ? 0
           : strcmp(state, "known") == 0                    ? 1
           : strcmp(state, "queued") == 0                   ? 2
                                                            : 3;
}

/* DIR; or in the folder of `cluster up` the directory of the agent that knows most. */
static int find_best(const struct invocation *in, json_t **ret)
{
    struct invocation first = *in;
    struct crawl_dirs_want want = {.here = true}; /* a running agent asks the others itself */
    struct crawl_dirs dirs;
    first.word_count = 1;
    int code = crawl_dirs_open(&first, &want, &dirs);
    if (code != EXIT_DONE)
        return code;
    for (size_t i = 0; i < dirs.count && code == EXIT_DONE; i++) {
        json_t *answer = NULL;
        code = find(in, dirs.paths[i], &answer);
        bool is_better = code == EXIT_DONE && (!*ret || worth(answer) > worth(*ret));
        json_decref(is_better ? *ret : answer);
        *ret = is_better ? answer : *ret;
        if (*ret && worth(*ret) == 4)
            break;
    }
    if (code == EXIT_DONE)
        code = url_links_add(in, crawl_dirs_set(&dirs), *ret);
    crawl_dirs_close(&dirs);
    return code;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct buf out = {.max = OUT_MAX_BYTES};
    json_t *answer = NULL;
    if (in->word_count != 2)
        return cli_fail(EXIT_USAGE, "url: expected the directory of a crawl and a URL");
    int code = find_best(in, &answer);
    if (code == EXIT_DONE && s->json) {
        json_print_line(answer);
    } else if (code == EXIT_DONE) {
        print(answer, &out);
        print_elsewhere(answer, &out);
        url_links_print(answer, &out);
        cli_print(&out);
    }
    json_decref(answer);
    buf_done(&out);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "print JSON", .letter = 'j'),
    {0},
};

const struct command cmd_url = {
    .name = "url",
    .args = "DIR URL",
    .summary = "what the crawl knows of a URL, and why it was (not) fetched",
    .details =
        "Says whether the URL waits, is being asked for, was fetched, refused or never met, and\n"
        "why: what scope and robots.txt say of it, how its host is doing, what the last answer "
        "was\n"
        "and where the archive has it. A crawl that runs is asked, the files of one that does not\n"
        "are read, as far as that goes without writing where DIR cannot be written. In a cluster\n"
        "the agent that owns the host is asked; DIR may be the folder of `cluster up`.\n"
        "With --link-index it also says how many pages link to the URL, and names a few: those "
        "that\n"
        "the agent of DIR has fetched, or all agents of that folder.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
