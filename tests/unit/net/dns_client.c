/* SPDX-License-Identifier: Apache-2.0 */
/* dns_client: asks for the names on standard input, all at once, and prints one JSON line for each
 * as it is answered; then the counts. For tests.
 *
 *     dns_client [--resolver ADDR:PORT] [--dns-timeout 300ms] ... < names
 *     {"name":"www.a.test","outcome":"found","keep_ms":300000,"addresses":["127.1.0.0"],"ms":3}
 *
 * An empty line waits until all before it are answered; "!NAME" forgets a name. */
#include "base/arena.h"
#include "base/jsonw.h"
#include "net/dns.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_NAMES = 10000, LINE_BYTES = 1024 };

struct asker {
    struct dns_query query;
    uint64_t begin_ms;
    struct str name;
};

struct client {
    struct loop loop;
    struct dns *dns;
    struct arena *arena;
    size_t open;
};

/* One client a process; `done` is given the query alone. */
static struct client client;

static const char *outcome_name(enum dns_outcome outcome)
{
    static const char *const names[] = {"found", "no-name", "failed", "timeout"};
    return names[outcome];
}

static void print_line(struct buf *line)
{
    buf_byte(line, '\n');
    (void)fwrite(line->p, 1, line->n, stdout);
    (void)fflush(stdout);
    buf_done(line);
}

static void say(struct asker *a, const char *outcome, const struct dns_result *r)
{
    struct buf line = {.max = 1 << 16};
    struct jsonw j = jsonw_to(&line);
    jsonw_object(&j);
    jsonw_text_field(&j, "name", a->name);
    jsonw_text_field(&j, "outcome", str_c(outcome));
    if (r) {
        uint64_t now_ms = client.loop.now_ms;
        if (r->until_ms != LOOP_NEVER)
            jsonw_u64_field(&j, "keep_ms", r->until_ms > now_ms ? r->until_ms - now_ms : 0);
        jsonw_key(&j, "addresses");
        jsonw_array(&j);
        for (uint32_t i = 0; i < r->count; i++) {
            char room[ADDRESS_TEXT_BYTES];
            struct buf text = buf_on(room, sizeof room);
            address_print(&r->addresses[i], &text);
            jsonw_text(&j, buf_str(&text));
        }
        jsonw_end(&j);
        jsonw_u64_field(&j, "ms", clock_now_ms(client.loop.clock) - a->begin_ms);
    }
    jsonw_end(&j);
    print_line(&line);
}

static void answered(struct dns_query *q, const struct dns_result *r)
{
    struct asker *a = EVENT_OF(q, struct asker, query);
    client.open--;
    say(a, outcome_name(r->outcome), r);
}

static void run_until(size_t open)
{
    while (client.open > open) {
        if (!loop_run(&client.loop) && client.open > open)
            loop_wait(&client.loop);
    }
}

static void ask(struct str name)
{
    struct asker *a = arena_zero(client.arena, sizeof *a);
    if (!a)
        abort();
    a->name = arena_dup(client.arena, name);
    a->query.done = answered;
    a->begin_ms = clock_now_ms(client.loop.clock);
    client.open++;
    enum rc rc = dns_ask(client.dns, a->name, &a->query);
    if (rc) {
        client.open--;
        say(a, rc_text(rc), NULL);
    }
}

static void read_names(void)
{
    char line[LINE_BYTES];
    for (int i = 0; i < MAX_NAMES && fgets(line, sizeof line, stdin); i++) {
        struct str name = str_trim(str_c(line));
        if (name.n == 0)
            run_until(0);
        else if (name.p[0] == '!')
            dns_forget(client.dns, str_from(name, 1));
        else
            ask(name);
    }
    run_until(0);
}

static void print_counts(void)
{
    struct dns_counts c = dns_counts(client.dns);
    struct buf line = {.max = 1 << 16};
    struct jsonw j = jsonw_to(&line);
    jsonw_object(&j);
    jsonw_u64_field(&j, "asked", c.asked);
    jsonw_u64_field(&j, "from_cache", c.from_cache);
    jsonw_u64_field(&j, "joined", c.joined);
    jsonw_u64_field(&j, "found", c.found);
    jsonw_u64_field(&j, "no_name", c.no_name);
    jsonw_u64_field(&j, "failed", c.failed);
    jsonw_u64_field(&j, "timeout", c.timeout);
    jsonw_u64_field(&j, "names", c.names);
    jsonw_u64_field(&j, "open", c.open);
    jsonw_end(&j);
    print_line(&line);
}

/* "--key value" or "--flag"; a test's program, so no more than that. */
static enum rc settings_read(int argc, char **argv, struct dns_settings *s, struct buf *why)
{
    for (int i = 1; i < argc; i++) {
        struct str flag = str_c(argv[i]);
        const struct option *o =
            str_starts(flag, STR("--")) ? option_find(dns_options, str_from(flag, 2)) : NULL;
        if (!o || (o->type != OPTION_BOOL && i + 1 == argc)) {
            buf_printf(why, "unknown or without value: " STR_FMT, STR_ARG(flag));
            return RC_INVALID;
        }
        struct str value = o->type == OPTION_BOOL ? STR("yes") : str_c(argv[++i]);
        enum rc rc = option_set(o, s, client.arena, value, why);
        if (rc)
            return rc;
    }
    return RC_OK;
}

int main(int argc, char **argv)
{
    struct dns_settings s = {0};
    struct buf why = {.max = 1000};
    client.arena = arena_open(1 << 16, 64 << 20);
    if (!client.arena || options_default(dns_options, &s, client.arena) ||
        loop_init(&client.loop, clock_real()))
        return 3;
    enum rc rc = settings_read(argc, argv, &s, &why);
    if (!rc)
        rc = dns_open(&client.loop, &s, &client.dns, &why);
    if (rc) {
        (void)fprintf(stderr, "%s: " STR_FMT "\n", rc_text(rc), STR_ARG(buf_str(&why)));
    } else {
        read_names();
        print_counts();
    }
    dns_close(client.dns);
    loop_done(&client.loop);
    arena_close(client.arena);
    buf_done(&why);
    return rc ? 2 : 0;
}
