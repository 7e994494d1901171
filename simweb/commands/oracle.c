/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/command.h"

#include <stdio.h>

enum { FLUSH_BYTES = 1 << 16 };

static int print_row(void *ctx, const struct oracle_row *row)
{
    static const char *const classes[] = {"must", "known", "may"};
    struct buf *out = ctx;
    buf_add(out, str_c(classes[row->class]));
    buf_byte(out, '\t');
    buf_add(out, row->url);
    if (row->why) {
        buf_byte(out, '\t');
        buf_add(out, str_c(row->why));
    }
    buf_byte(out, '\n');
    return out->n < FLUSH_BYTES ? 0 : simweb_print(out);
}

static bool is_depth(double depth)
{
    return depth == -1 || (depth >= 0 && depth <= UINT32_MAX && depth == (double)(uint32_t)depth);
}

static int oracle(struct settings *s, struct invocation *in)
{
    if (in->word_count)
        return simweb_fail(EXIT_USAGE, "oracle: \"%s\" has no meaning here", in->words[0]);
    if (!s->oracle.seed_url.n)
        return simweb_fail(EXIT_USAGE, "oracle: --seed-url is needed: where the crawl begins");
    if (!is_depth(s->oracle_depth))
        return simweb_fail(EXIT_USAGE, "oracle: --depth %g: expected a whole number, or -1 for any",
                           s->oracle_depth);
    struct world *w = simweb_world(s);
    if (!w)
        return EXIT_USAGE;
    struct buf out = {.max = (size_t)FLUSH_BYTES * 4};
    struct buf why = {.max = 4096};
    s->oracle.depth = s->oracle_depth < 0 ? UINT64_MAX : (uint64_t)s->oracle_depth;
    enum rc rc = oracle_walk(w, &s->oracle, print_row, &out, &why);
    int code = EXIT_DONE;
    if (rc)
        code = simweb_fail(rc == RC_INVALID ? EXIT_USAGE : EXIT_OTHER, "oracle: " STR_FMT,
                           STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    else
        code = simweb_print(&out);
    buf_done(&why);
    buf_done(&out);
    world_close(w);
    return code;
}

static const struct option oracle_options[] = {
    OPTION_TEXT_ROW(struct settings, oracle.seed_url, "seed-url", NULL, "where the crawl begins",
                    .arg = "URL", .required = true),
    OPTION_CHOICE_ROW(struct settings, oracle.scope, "scope", "host", "what belongs to the crawl",
                      .choices = "host|domain|any"),
    OPTION_REAL_ROW(struct settings, oracle_depth, "depth", "-1",
                    "most links from the seed; -1 is no limit"),
    OPTION_BOOL_ROW(struct settings, oracle.pages_only, "pages-only", "no",
                    "a crawl without images, styles and scripts"),
    OPTION_BOOL_ROW(struct settings, oracle.no_sitemaps, "no-sitemaps", "no",
                    "a crawl that reads no sitemaps and feeds"),
    OPTION_BOOL_ROW(struct settings, oracle.follow_nofollow, "follow-nofollow", "no",
                    "a crawl that follows where a page says nofollow"),
    OPTION_BOOL_ROW(struct settings, oracle.ignore_robots, "ignore-robots", "no",
                    "a crawl that ignores robots.txt"),
    {0},
};

const struct command command_oracle = {
    .name = "oracle",
    .args = "",
    .summary = "print what a correct crawl must fetch, and what it must not, and why",
    .details = "One line a URL, fields between tabs: must URL | known URL WHY | may URL WHY.\n"
               "The web is the one that runs from DIR, or the one the options describe.",
    .takes_web = true,
    .more = oracle_options,
    .run = oracle,
};
