/* SPDX-License-Identifier: Apache-2.0 */
/* try robots: which line of a robots.txt decides on a URL. */
#include "cli/commands.h"

#include "robots/robots.h"
#include "url/idn.h"
#include "url/url.h"

#include <unistd.h>

enum { OUT_MAX_BYTES = 4 << 20 };

struct settings {
    struct str agent;
    bool all;
};

struct try_robots {
    struct robots *rules;
    struct url_parser parser;
    struct url_idn *idn;
    struct url base; /* for a path alone */
    struct buf out;
    int code;
    char base_room[64], room[URL_ROOM_BYTES];
};

static int try_one(void *ctx, struct str line)
{
    struct try_robots *t = ctx;
    struct url u;
    struct str text = str_trim(line);
    if (text.n == 0)
        return 0;
    if (url_parse(&t->parser, text, &t->base, (struct url_room){t->room, sizeof t->room}, &u)) {
        t->code =
            cli_fail(EXIT_OTHER, STR_FMT ": %s", STR_ARG(text), url_reason_text(t->parser.reason));
        return 0;
    }
    struct robots_verdict v = robots_check(t->rules, url_path_query(&u));
    buf_add(&t->out, v.allowed ? STR("allow\t") : STR("deny\t"));
    buf_u64(&t->out, v.line);
    buf_byte(&t->out, '\t');
    buf_add(&t->out, v.line ? v.rule : STR("-"));
    buf_byte(&t->out, '\t');
    buf_add(&t->out, text);
    buf_byte(&t->out, '\n');
    cli_print(&t->out);
    return 0;
}

static void print_all(struct try_robots *t)
{
    uint32_t ms;
    struct str url;
    buf_printf(&t->out, "group\t%s\n", robots_is_named(t->rules) ? "named" : "*");
    if (robots_delay_ms(t->rules, &ms))
        buf_printf(&t->out, "crawl-delay\t%u.%03u\n", ms / 1000, ms % 1000);
    cli_print(&t->out);
    for (size_t i = 0; robots_sitemap(t->rules, i, &url); i++) {
        buf_add(&t->out, STR("sitemap\t"));
        buf_add(&t->out, url);
        buf_byte(&t->out, '\n');
        cli_print(&t->out);
    }
}

static enum rc try_open(struct try_robots *t, struct str body, struct str agent)
{
    enum rc rc = robots_parse(body, agent, &t->rules);
    if (rc == RC_OK)
        rc = url_idn_open(&t->idn);
    t->parser.idn = t->idn;
    if (rc == RC_OK)
        rc = url_parse(&t->parser, STR("http://localhost/"), NULL,
                       (struct url_room){t->base_room, sizeof t->base_room}, &t->base);
    return rc;
}

static int try_urls(struct try_robots *t, struct invocation *in)
{
    const struct settings *s = in->settings;
    if (s->all)
        print_all(t);
    for (int i = 1; i < in->word_count; i++)
        (void)try_one(t, str_c(in->words[i]));
    if (in->word_count == 1 && !(s->all && isatty(STDIN_FILENO))) {
        int code = cli_each_line(try_one, t);
        if (code)
            return code;
    }
    return t->code;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    if (in->word_count == 0)
        return cli_fail(EXIT_USAGE, "try robots needs the FILE of a robots.txt");
    struct try_robots *t = arena_zero(in->arena, sizeof *t);
    if (!t)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    buf_init(&t->out, OUT_MAX_BYTES);
    struct buf body = {0};
    /* One byte more than is read tells the library that the file goes on. */
    if (cli_read_start(in->words[0], ROBOTS_BODY_MAX + 1, &body)) {
        buf_done(&body);
        return EXIT_OTHER;
    }
    enum rc rc = try_open(t, buf_str(&body), s->agent);
    int code = rc ? cli_fail(EXIT_OTHER, "%s: %s", in->words[0], rc_text(rc)) : try_urls(t, in);
    buf_done(&body);
    buf_done(&t->out);
    url_idn_close(t->idn);
    robots_free(t->rules);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, agent, "agent", "orbweaver", "the crawler's name in the file",
                    .arg = "NAME"),
    OPTION_BOOL_ROW(struct settings, all, "all", "no",
                    "print the group, the crawl delay and the sitemaps first"),
    {0},
};

const struct command cmd_try_robots = {
    .name = "try robots",
    .args = "FILE [URL...]",
    .summary = "which line of a robots.txt decides on a URL",
    .details =
        "Reads FILE as robots.txt (\"-\": standard input) and prints a line for each URL,\n"
        "separated by tabs: allow or deny, the number of the line that decided, its rule as\n"
        "it is compared (0 and - if no rule did), the URL. A path alone will do for a URL; so\n"
        "a host needs its http://. Of FILE no more than 500 KiB count (RFC 9309, 2.5).\n"
        "URLs come from standard input if none are given.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
