/* SPDX-License-Identifier: Apache-2.0 */
#include "faults/robots_body.h"

#include "faults/tell.h"

enum {
    FILLER_BYTES = 64, /* of a comment line, with its LF */
    CUT_AFTER = 12,    /* bytes of the straddling line in front of the limit: "Disallow: /s" */
    LONG_LINE_BYTES = 20000,
    LONG_COMMENT_BYTES = 100 * 1024,
    LEAST_RULES = 1000,
    MOST_RULES = 300 * 1000, /* whatever --fault-scale says */
    BODY_MAX_BYTES = 8 * 1024 * 1024,
};
#define USUAL_RULES 100000.0

/* Files that are a literal ------------------------------------------------------------------- */

struct robots_file {
    const char *label;
    const char *type; /* NULL: text/plain */
    struct str body;
};

static const struct robots_file files[] = {
    {"html", "text/html; charset=utf-8",
     STR("<!DOCTYPE html>\n<html><head><title>Welcome</title></head>\n<body>\n<h1>Welcome</h1>\n"
         "<p>User-agent: *</p>\n<p>Disallow: /</p>\n"
         "<p>What you asked for is not here, and this server cannot say so.</p>\n"
         "</body></html>\n")},
    /* A white pixel. */
    {"image", "image/png",
     STR("\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\001"
         "\000\000\000\001\010\000\000\000\000\072\176\233\125\000\000\000\012\111\104\101"
         "\124\170\234\143\370\017\000\001\001\001\000\261\070\366\024\000\000\000\000\111"
         "\105\116\104\256\102\140\202")},
    {"bom", NULL, STR("\357\273\277User-agent: *\nDisallow: /private/\n")},
    /* The two usual rules behind a byte order mark. */
    {"utf16", NULL,
     STR("\377\376"
         "\125\000\163\000\145\000\162\000\055\000\141\000\147\000\145\000\156\000\164\000"
         "\072\000\040\000\052\000\012\000\104\000\151\000\163\000\141\000\154\000\154\000"
         "\157\000\167\000\072\000\040\000\057\000\160\000\162\000\151\000\166\000\141\000"
         "\164\000\145\000\057\000\012\000")},
    {"cr", NULL, STR("User-agent: *\rDisallow: /private/\rAllow: /page\r")},
    {"crlf", NULL, STR("User-agent: *\r\nDisallow: /private/\r\nAllow: /page\r\n")},
    {"nul", NULL, STR("User-agent: *\nDis\0allow: /page\nDisallow: /private/\n")},
    {"latin1", NULL, STR("# caf\351\nUser-agent: *\nDisallow: /caf\351/\nDisallow: /private/\n")},
    {"stars", NULL,
     STR("User-agent: *\nDisallow: /*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n"
         "Disallow: /*****private*****/x\n")},
    {"dollar", NULL, STR("User-agent: *\nDisallow: /mid$dle\nDisallow: /*.cgi$\n")},
    {"typo", NULL, STR("User-agent: *\nDissallow: /typo/\nDisallow: /private/\n")},
    {"nocolon", NULL, STR("User-agent: *\nDisallow /nocolon/\nDisallow: /private/\n")},
    {"merged", NULL,
     STR("User-agent: *\nDisallow: /one/\n\nUser-agent: somebody-else\nDisallow: /page\n\n"
         "User-agent: *\nDisallow: /two/\n")},
    {"empty", NULL, STR("User-agent: *\nDisallow:\n")},
    {"longest", NULL,
     STR("user-AGENT:*   # everybody\n  disallow :  /private/  \nALLOW: /private/open\n")},
    {"fifth", NULL, STR("User-agent: *\nCrawl-delay: 0.2\n")},
    {"hour", NULL, STR("User-agent: *\nCrawl-delay: 3600\n")},
    {"decades", NULL, STR("User-agent: *\nCrawl-delay: 1000000000\n")},
    {"negative", NULL, STR("User-agent: *\nCrawl-delay: -1\n")},
    {"word", NULL, STR("User-agent: *\nCrawl-delay: leisurely\n")},
};

static bool file_answer(const struct fault_query *q, struct reply *r)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct robots_file *f = &files[i];
        if (!query_label_is(q, f->label))
            continue;
        tell_answer(q, r, 200, f->type ? f->type : "text/plain", STR(""), f->body);
        return true;
    }
    return false;
}

/* Files that are long -------------------------------------------------------------------------
 *
 * 0                                     500 KiB - 12                            total
 * | /early/ is forbidden | comments ... | a rule that the limit cuts, /late/ | comments ... |
 *
 * A crawler that stops at exactly 500 KiB and takes the cut line for a whole one forbids all that
 * begins with /s. */

static const char early_rules[] = "User-agent: *\nDisallow: /early/\n";
static const char late_rules[] = "Disallow: /straddles/the/limit\nDisallow: /late/\n";

/* Comment lines, `bytes` of them in all. */
static void comments(struct reply *r, uint64_t bytes)
{
    char line[FILLER_BYTES];
    memset(line, '-', sizeof line);
    line[0] = '#';
    line[sizeof line - 1] = '\n';
    if (bytes >= sizeof line)
        reply_repeat(r, str_make(line, sizeof line), bytes / sizeof line);
    size_t rest = bytes % sizeof line;
    if (rest) {
        line[rest - 1] = '\n';
        reply_send(r, str_make(line, rest));
    }
}

/* `bytes` is 0 for a file without end. */
static void long_file(const struct fault_query *q, struct reply *r, uint64_t bytes)
{
    const size_t early = sizeof early_rules - 1;
    const size_t late = sizeof late_rules - 1;
    const size_t until = ROBOTS_READ_BYTES - CUT_AFTER;
    char room[128];
    struct buf more = buf_on(room, sizeof room);
    tell_date(q, &more);
    if (bytes)
        buf_printf(&more, "Content-Length: %llu\r\n", (unsigned long long)bytes);
    r->status = 200;
    r->keep_alive = bytes != 0;
    reply_sendf(r, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n%s" STR_FMT "\r\n",
                bytes ? "" : "Connection: close\r\n", STR_ARG(buf_str(&more)));
    if (query_is_head(q))
        return;
    reply_send(r, str_make(early_rules, early));
    comments(r, until - early);
    reply_send(r, str_make(late_rules, late));
    if (bytes)
        comments(r, bytes - until - late);
    else
        reply_repeat(r, STR("# and so on, and so on, and so on, and so on, and so on, and so o\n"),
                     0);
}

static bool long_answer(const struct fault_query *q, struct reply *r)
{
    if (query_label_is(q, "k600")) {
        long_file(q, r, ROBOTS_600K_BYTES);
    } else if (query_label_is(q, "m50")) {
        uint64_t bytes = (uint64_t)((double)ROBOTS_50M_BYTES * q->knobs->scale);
        long_file(q, r, bytes > ROBOTS_600K_BYTES ? bytes : ROBOTS_600K_BYTES);
    } else if (query_label_is(q, "endless")) {
        long_file(q, r, 0);
    } else {
        return false;
    }
    return true;
}

/* Files that are computed ---------------------------------------------------------------------- */

static void long_line(const struct fault_query *q, struct buf *out)
{
    (void)q;
    buf_add(out, STR("User-agent: *\nDisallow: /"));
    buf_fill(out, 'x', LONG_LINE_BYTES);
    buf_add(out, STR("\n#"));
    buf_fill(out, '-', LONG_COMMENT_BYTES);
    buf_add(out, STR("\nDisallow: /private/\n"));
}

static void many_rules(const struct fault_query *q, struct buf *out)
{
    double wanted = USUAL_RULES * q->knobs->scale;
    uint64_t count = wanted < LEAST_RULES  ? LEAST_RULES
                     : wanted > MOST_RULES ? MOST_RULES
                                           : (uint64_t)wanted;
    buf_add(out, STR("User-agent: *\nDisallow: /private/\n"));
    for (uint64_t i = 0; i < count && buf_rc(out) == RC_OK; i++)
        buf_printf(out, "Disallow: /d/%06llu/\n", (unsigned long long)i);
}

/* By how often it was asked for: a crawler that comes again later finds other rules. */
static void closing(const struct fault_query *q, struct buf *out)
{
    buf_add(out, STR("User-agent: *\nDisallow: /closed/\n"));
    if (q->nth > 0)
        buf_add(out, STR("Disallow: /queued/\n"));
}

static void opening(const struct fault_query *q, struct buf *out)
{
    buf_add(out, STR("User-agent: *\nDisallow: /closed/\n"));
    if (q->nth == 0)
        buf_add(out, STR("Disallow: /later/\n"));
}

static const struct {
    const char *label;
    void (*write)(const struct fault_query *q, struct buf *out);
} computed[] = {
    {"longline", long_line},
    {"rules", many_rules},
    {"closing", closing},
    {"opening", opening},
};

static bool computed_answer(const struct fault_query *q, struct reply *r)
{
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++) {
        if (!query_label_is(q, computed[i].label))
            continue;
        struct buf body = {.max = BODY_MAX_BYTES};
        computed[i].write(q, &body);
        tell_body(q, r, "text/plain", STR(""), &body);
        return true;
    }
    return false;
}

bool robots_body_answer(const struct fault_query *q, struct reply *r)
{
    return file_answer(q, r) || long_answer(q, r) || computed_answer(q, r);
}
