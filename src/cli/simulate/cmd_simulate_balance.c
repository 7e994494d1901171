/* SPDX-License-Identifier: Apache-2.0 */
/* simulate balance: how evenly the ring and rendezvous share the hosts (D4). */
#include "cli/commands.h"
#include "cli/simulate/balance_chart.h"

#include "base/jsonw.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OUT_MAX = 1 << 20, LABEL_WIDTH = 24 };

struct simulate_balance {
    struct str agents;
    struct str points;
    struct str svg;
    bool json;
};

struct figure {
    const char *title;
    double (*value)(const struct balance *b);
};

static double value_mean(const struct balance *b)
{
    return 100 * b->mean;
}

static double value_deviation(const struct balance *b)
{
    return 100 * b->deviation;
}

static double value_largest(const struct balance *b)
{
    return 100 * b->largest;
}

static const struct figure figures[] = {
    {"mean deviation, %", value_mean},
    {"standard deviation, %", value_deviation},
    {"largest deviation, %", value_largest},
};

static void print_row(struct buf *out, const struct balance_study *s, const struct figure *f,
                      const char *label, const struct balance *first, size_t stride)
{
    buf_printf(out, "%-*s", LABEL_WIDTH, label);
    for (uint32_t i = 0; i < s->agent_counts; i++)
        buf_printf(out, "%7.2f", f->value(&first[i * stride]));
}

static void print_ring_row(struct buf *out, const struct balance_study *s, const struct figure *f,
                           uint32_t row, uint32_t p)
{
    char label[64];
    (void)snprintf(label, sizeof label, "ring %u points x %u", s->points[row], s->probes[p]);
    print_row(out, s, f, label, &s->ring[row][0][p], STUDY_PROBES);
    double paper = p == 0 ? study_paper_percent(s->points[row]) : 0;
    if (paper > 0)
        buf_printf(out, "   paper: below %g", paper);
    if (p == 1 && s->points[row] == ASSIGN_POINTS)
        buf_add(out, STR("   <- default"));
    buf_byte(out, '\n');
}

static void print_figure(struct buf *out, const struct balance_study *s, const struct figure *f)
{
    buf_printf(out, "\n%s\n%-*s", f->title, LABEL_WIDTH, "agents");
    for (uint32_t i = 0; i < s->agent_counts; i++)
        buf_printf(out, "%7u", s->agents[i]);
    buf_byte(out, '\n');
    for (uint32_t p = 0; p < STUDY_PROBES; p++)
        for (uint32_t row = 0; row < s->point_counts; row++)
            print_ring_row(out, s, f, row, p);
    print_row(out, s, f, "seen: default ring", s->seen_ring, 1);
    buf_byte(out, '\n');
    print_row(out, s, f, "seen: rendezvous", s->seen_rendezvous, 1);
    buf_byte(out, '\n');
}

/* The largest deviation of the default among the columns that D4 speaks of; below 0: none. */
static double worst_of_default(const struct balance_study *s)
{
    uint32_t row = study_default_row(s);
    double worst = -1;
    for (uint32_t i = 0; row < s->point_counts && i < s->agent_counts; i++)
        if (s->agents[i] >= 2 && s->agents[i] <= 100)
            worst = fmax(worst, 100 * s->ring[row][i][1].largest);
    return worst;
}

static void print_text(struct buf *out, const struct balance_study *s)
{
    buf_printf(out,
               "How far agents' shares of the hosts lie from equal; agents have equal capacity.\n"
               "ring K points x P: K points an agent, P positions a host (1: as in the paper);\n"
               "computed from the arcs. seen: with %d random hosts, of which chance alone makes a\n"
               "standard deviation of sqrt((agents - 1) / hosts).\n",
               STUDY_HOSTS);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        print_figure(out, s, &figures[i]);
    double worst = worst_of_default(s);
    if (worst >= 0)
        buf_printf(out,
                   "\nDefault: %d points, %d positions. Largest deviation from 2 to 100 agents: "
                   "%.2f %% (limit 4.5 %%).\n",
                   ASSIGN_POINTS, ASSIGN_PROBES, worst);
}

static void json_figures(struct jsonw *j, const struct balance *b)
{
    jsonw_key(j, "mean");
    jsonw_real(j, b->mean);
    jsonw_key(j, "standard_deviation");
    jsonw_real(j, b->deviation);
    jsonw_key(j, "largest");
    jsonw_real(j, b->largest);
    jsonw_end(j);
    buf_byte(j->out, '\n');
}

static void json_seen(struct buf *out, const char *kind, uint32_t agents, const struct balance *b)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "kind", str_c(kind));
    jsonw_u64_field(&j, "agents", agents);
    jsonw_u64_field(&j, "hosts", STUDY_HOSTS);
    json_figures(&j, b);
}

static void json_ring(struct buf *out, const struct balance_study *s, uint32_t column, uint32_t row,
                      uint32_t p)
{
    struct jsonw j = jsonw_to(out);
    double paper = p == 0 ? study_paper_percent(s->points[row]) : 0;
    jsonw_object(&j);
    jsonw_text_field(&j, "kind", STR("ring"));
    jsonw_u64_field(&j, "agents", s->agents[column]);
    jsonw_u64_field(&j, "points", s->points[row]);
    jsonw_u64_field(&j, "probes", s->probes[p]);
    jsonw_bool_field(&j, "default", p == 1 && s->points[row] == ASSIGN_POINTS);
    jsonw_key(&j, "paper");
    jsonw_real(&j, paper > 0 ? paper / 100 : NAN);
    json_figures(&j, &s->ring[row][column][p]);
}

/* One object a line: rings computed, then what was seen. */
static void print_json(struct buf *out, const struct balance_study *s)
{
    for (uint32_t column = 0; column < s->agent_counts; column++) {
        for (uint32_t p = 0; p < STUDY_PROBES; p++)
            for (uint32_t row = 0; row < s->point_counts; row++)
                json_ring(out, s, column, row, p);
        json_seen(out, "ring", s->agents[column], &s->seen_ring[column]);
        json_seen(out, "rendezvous", s->agents[column], &s->seen_rendezvous[column]);
    }
}

static int write_chart(const struct balance_study *s, struct str path)
{
    struct buf svg = {.max = OUT_MAX};
    balance_chart(s, &svg);
    enum rc rc = buf_rc(&svg);
    FILE *f = rc == RC_OK ? fopen(path.p, "wb") : NULL;
    bool written = f && fwrite(svg.p, 1, svg.n, f) == svg.n;
    if (f && fclose(f) != 0)
        written = false;
    buf_done(&svg);
    if (!written)
        return cli_fail(EXIT_OTHER, STR_FMT ": %s", STR_ARG(path),
                        rc ? rc_text(rc) : strerror(errno));
    return EXIT_DONE;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int read_lists(const struct simulate_balance *o, struct balance_study *s)
{
    if (study_read_list(o->agents, ASSIGN_MAX_AGENTS, s->agents, STUDY_MAX_COLUMNS,
                        &s->agent_counts))
        return cli_fail(EXIT_USAGE, "--agents: at most %d numbers from 1 to %d, as 2,10,100",
                        STUDY_MAX_COLUMNS, ASSIGN_MAX_AGENTS);
    if (study_read_list(o->points, STUDY_MAX_POINTS, s->points, STUDY_MAX_ROWS, &s->point_counts))
        return cli_fail(EXIT_USAGE, "--points: at most %d numbers from 1 to %d, as 100,200",
                        STUDY_MAX_ROWS, STUDY_MAX_POINTS);
    qsort(s->agents, s->agent_counts, sizeof *s->agents, compare_u32);
    qsort(s->points, s->point_counts, sizeof *s->points, compare_u32);
    return EXIT_DONE;
}

static int run(struct invocation *in)
{
    const struct simulate_balance *o = in->settings;
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "simulate balance takes no arguments, only options");
    struct balance_study *s = arena_zero(in->arena, sizeof *s);
    if (!s)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    int code = read_lists(o, s);
    if (code)
        return code;
    enum rc rc = study_measure(s);
    if (rc)
        return cli_fail(EXIT_OTHER, "simulate balance: %s", rc_text(rc));
    struct buf out = {.max = OUT_MAX};
    if (o->json)
        print_json(&out, s);
    else
        print_text(&out, s);
    cli_print(&out);
    buf_done(&out);
    return o->svg.n ? write_chart(s, o->svg) : EXIT_DONE;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct simulate_balance, agents, "agents", "2,3,5,10,20,50,100,200,500,1000",
                    "numbers of agents", .arg = "LIST"),
    OPTION_TEXT_ROW(struct simulate_balance, points, "points", "100,200,500,1000,2000,3072",
                    "points of an agent on the ring", .arg = "LIST"),
    OPTION_TEXT_ROW(struct simulate_balance, svg, "svg", NULL, "also draw it into FILE",
                    .arg = "FILE"),
    OPTION_BOOL_ROW(struct simulate_balance, json, "json", "no", "print JSON lines", .letter = 'j'),
    {0},
};

const struct command cmd_simulate_balance = {
    .name = "simulate balance",
    .args = "",
    .summary = "how evenly hosts are shared among agents",
    .details = "Builds rings of made-up agents of equal capacity and prints how far their shares "
               "of the hosts lie from equal: the mean, standard and largest deviation, for the "
               "plain ring, for ours, and for rendezvous, beside the figures of the paper.",
    .options = options,
    .settings_bytes = sizeof(struct simulate_balance),
    .run = run,
};
