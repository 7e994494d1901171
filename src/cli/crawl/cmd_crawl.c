/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"
#include "cli/config_write.h"
#include "cli/crawl/crawl_limits.h"
#include "cli/crawl/crawl_progress.h"
#include "cli/crawl/crawl_seeds.h"
#include "cli/crawl/crawl_trouble.h"
#include "cli/crawl/saved_settings.h"
#include "cli/place.h"
#include "cli/settings.h"
#include "cli/wirings.h"
#include "control/control_server.h"
#include "control/crawl_status.h"

#include "base/clock.h"
#include "base/fd.h"
#include "catalog/catalog.h"
#include "flow/flow.h"
#include "outputs/crawl_dir.h"
#include "report/index_sort.h"
#include "report/report.h"
#include "roles/cluster.h"
#include "sink/outbox.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

enum { TEXT_MAX = 1 << 20 };

/* One crawl, as the command holds it. */
struct crawl {
    struct settings *settings;
    enum settings_source *sources;
    struct wiring *wiring;
    struct flow *flow;
    struct crawl_progress *watch;
    struct log *log;
    struct ledger_service *ledger;
    struct cluster_service *cluster; /* NULL: the wiring has none */
    struct control_server *control;  /* NULL: there is no control socket */
    struct crawl_limits limits;
    struct saved_settings saved;
    bool resumes;   /* an earlier run had seeds */
    bool is_over;   /* an earlier run reached a limit that still holds */
    size_t refused; /* seeds of the command line that are no URLs */
};

static void say_problems(const struct problems *problems)
{
    struct buf text = {.max = TEXT_MAX};
    problems_print(problems, &text);
    (void)fwrite(buf_str(&text).p, 1, text.n, stderr);
    buf_done(&text);
}

/* Whether the directory has that file, and it is not empty. */
static bool has_file(const struct settings *s, const char *name)
{
    struct buf path = {.max = TEXT_MAX};
    buf_printf(&path, STR_FMT "/%s", STR_ARG(s->output), name);
    buf_byte(&path, '\0');
    struct stat st;
    bool has_some = buf_rc(&path) == RC_OK && stat(path.p, &st) == 0 && st.st_size > 0;
    buf_done(&path);
    return has_some;
}

/* An earlier run left seeds, but its settings are missing: with other settings the crawl would
 * give up what is queued. */
static bool has_lost_settings(const struct crawl *c)
{
    const struct settings *s = c->settings;
    return c->resumes && !has_file(s, CONFIG_OF_CRAWL) && !s->config.n && !s->seeds.count &&
           !s->input.count;
}

static int read_wiring(struct crawl *c)
{
    const struct settings *s = c->settings;
    struct catalog catalog = {catalog_built_in.parts, settings_table, s, catalog_built_in.types};
    struct problems problems;
    struct str text = wiring_built_in(s->wiring);
    problems_init(&problems, s->wiring.p);
    enum rc rc = text.p ? wiring_read(text, s->wiring.p, &catalog, &c->wiring, &problems)
                        : wiring_load(s->wiring.p, &catalog, &c->wiring, &problems);
    if (rc == RC_INVALID)
        say_problems(&problems);
    problems_done(&problems);
    if (rc)
        return rc == RC_INVALID ? EXIT_USAGE : cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    struct buf why = {.max = 4096};
    for (size_t i = 0; i < s->set.count && rc == RC_OK; i++)
        rc = wiring_set(c->wiring, s->set.items[i], &why);
    int code = rc ? cli_fail(EXIT_USAGE, "--set: " STR_FMT, STR_ARG(buf_str(&why))) : EXIT_DONE;
    if (rc == RC_OK && s->place.n)
        rc = place_cut(c->wiring,
                       &(struct place_choice){.place = s->place,
                                              .secret_file = s->place_secret,
                                              .member = s->member,
                                              .member_secret = s->member_secret,
                                              .manager = s->manager,
                                              .dir = s->output},
                       &why);
    if (rc && code == EXIT_DONE)
        code = cli_fail(EXIT_USAGE, STR_FMT, STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&why);
    return code;
}

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* The last words of a run that fetched nothing. */
static void say_nothing_done(const struct crawl *c, struct str reached, struct buf *out)
{
    if (reached.n)
        buf_printf(out,
                   "nothing was fetched: the limit " STR_FMT
                   " is already reached; give a greater one, or 0 for no limit",
                   STR_ARG(reached));
    else
        buf_printf(out,
                   "nothing is left to do in " STR_FMT " (--recrawl asks again for known pages)",
                   STR_ARG(c->settings->output));
}

static void say_what_was_done(const struct crawl *c, struct str reached, bool is_interrupted,
                              struct buf *out)
{
    crawl_status_print(c->ledger, 0, run_clock_elapsed_ms(&c->ledger->run), out);
    if (is_interrupted)
        buf_printf(out, "\nstopped; the same command goes on: -o " STR_FMT,
                   STR_ARG(c->settings->output));
    else if (reached.n)
        buf_printf(out,
                   "\nthe limit " STR_FMT " is reached; orbweaver crawl -o " STR_FMT
                   " goes on without it",
                   STR_ARG(reached), STR_ARG(c->settings->output));
}

/* With a reached limit, seeds that were refused do not count. */
static bool did_nothing(const struct crawl *c, bool is_interrupted)
{
    const struct crawl_counts *n = &c->ledger->counts;
    return !is_interrupted && !get(&n->fetched) &&
           (c->is_over || (!get(&n->failed) && !get(&n->refused)));
}

/* The last words. */
static void say_end(const struct crawl *c, bool is_interrupted)
{
    struct buf out = {.max = TEXT_MAX}, reached = {.max = TEXT_MAX};
    crawl_limits_print(&c->limits, &reached);
    if (c->settings->json)
        crawl_status_json(c->ledger, &out);
    else if (did_nothing(c, is_interrupted))
        say_nothing_done(c, buf_str(&reached), &out);
    else
        say_what_was_done(c, buf_str(&reached), is_interrupted, &out);
    buf_done(&reached);
    if (!c->settings->quiet)
        (void)fprintf(stderr, STR_FMT "\n", STR_ARG(buf_str(&out)));
    buf_done(&out);
}

/* One of several agents, which may own no host. */
static bool is_in_cluster(const struct crawl *c)
{
    return c->cluster && cluster_is_shared(c->cluster);
}

static bool has_lost_cluster(const struct crawl *c)
{
    return is_in_cluster(c) && atomic_load(&c->cluster->has_failed);
}

/* The crawl had no seed. */
static bool found_nothing(const struct crawl *c)
{
    return !c->resumes && !get(&c->ledger->counts.admitted) && !crawl_progress_signal(c->watch) &&
           !is_in_cluster(c);
}

static int end_code(const struct crawl *c)
{
    const struct crawl_counts *n = &c->ledger->counts;
    int number = crawl_progress_signal(c->watch);
    if (number)
        return 128 + number;
    bool was_tried =
        (get(&n->failed) > 0 || get(&n->refused) > get(&n->robots)) && !is_in_cluster(c);
    bool is_first = ledger_totals(c->ledger->ledger).pages == 0;
    return was_tried && is_first && get(&n->fetched) == 0 ? EXIT_NO_SEED : EXIT_DONE;
}

/* A crawl runs also without it, for example on a file system without sockets. */
static void open_control(struct crawl *c)
{
    struct control_setup setup = {
        .dir = c->settings->output.p,
        .flow = c->flow,
        .wiring = c->wiring,
        .ledger = c->ledger,
        .scope = flow_provider(c->flow, STR("scope")),
        .cluster = c->cluster,
        .members = flow_provider(c->flow, STR("members")),
        .settings = settings_table,
        .save = {saved_settings_change, &c->saved},
        .log = c->log,
    };
    struct buf why = {.max = 4096};
    c->saved.log = c->log;
    enum rc rc = setup.scope ? control_server_open(&setup, &c->control, &why) : RC_UNSUPPORTED;
    if (rc)
        log_warn(c->log, "control.absent", LOG_STR("why", buf_str(&why)), LOG_RC(rc));
    buf_done(&why);
}

/* Writes the sorted index and the reports. `export cdxj` and `report` can write them at any
 * time, so a failure here is only logged. */
static void write_summaries(const struct crawl *c)
{
    struct buf why = {.max = TEXT_MAX};
    struct report *r = NULL;
    struct disk *d = NULL;
    uint64_t lines;
    enum rc rc = crawl_dir_open(c->settings->output.p, &d, &why);
    if (rc == RC_OK)
        rc = index_sort(d, &lines);
    if (rc == RC_OK)
        rc = report_open(d, false, &r);
    if (rc == RC_OK)
        rc = report_write_files(d, r);
    if (rc)
        log_warn(c->log, "crawl.no_reports", LOG_RC(rc));
    report_close(r);
    disk_close(d);
    buf_done(&why);
}

/* The archive machine ------------------------------------------------------------------------- */

static bool is_told_twice(void *ctx)
{
    const struct crawl *c = ctx;
    return crawl_progress_signals(c->watch) > 1;
}

/* True: nothing is left to send, or the crawl has no sink. */
static bool wait_for_sink(struct crawl *c)
{
    struct sink_outbox *o = c->ledger->outbox;
    if (!o || sink_outbox_finish(o, c->settings->sink_wait_ms, is_told_twice, c))
        return true;
    const struct sink_numbers *n = sink_outbox_numbers(o);
    char room[500];
    struct buf why = buf_on(room, sizeof room);
    sink_outbox_trouble(o, &why);
    log_warn(c->log, "sink.unsent", LOG_U64("files", get(&n->left_files)),
             LOG_U64("bytes", get(&n->left_bytes)), LOG_STR("why", buf_str(&why)),
             LOG_C("note", "they are kept; the same command, or sink send, goes on"));
    return false;
}

/* Before the first request: the directory durably has everything that a later run needs. */
static enum rc begin_with_limits(struct crawl *c, struct buf *why)
{
    c->limits.flow = c->flow;
    c->limits.ledger = c->ledger;
    c->limits.budget = flow_provider(c->flow, STR("budget"));
    enum rc rc = crawl_limits_lift_summed(&c->limits, why);
    c->is_over = crawl_limits_are_reached(&c->limits);
    if (c->resumes)
        crawl_limits_warn_of_depth(&c->limits);
    rc = rc ? rc : saved_settings_write(c->settings, c->sources);
    return rc ? rc : crawl_limits_forget(&c->limits);
}

static void say_trouble(const struct crawl *c, struct str why)
{
    struct buf text = {.max = TEXT_MAX};
    crawl_trouble_print(c->settings, c->wiring, why, &text);
    cli_fail(EXIT_OTHER, STR_FMT, STR_ARG(buf_rc(&text) ? why : buf_str(&text)));
    buf_done(&text);
}

static int run_crawl(struct crawl *c)
{
    struct buf why = {.max = TEXT_MAX};
    c->limits = (struct crawl_limits){
        .settings = c->settings, .sources = c->sources, .wiring = c->wiring, .log = c->log};
    enum rc rc = crawl_limits_lift_written(&c->limits, &why);
    if (rc == RC_OK)
        rc = flow_open(c->wiring, (struct flow_setup){.log = c->log}, &c->flow, &why);
    if (rc == RC_OK)
        c->ledger = flow_provider(c->flow, STR("ledger"));
    if (rc == RC_OK)
        c->cluster = flow_provider(c->flow, STR("cluster"));
    if (rc == RC_OK && !c->ledger) {
        buf_add(&why, STR("the wiring has no provider \"ledger\""));
        rc = RC_INVALID;
    }
    if (rc == RC_OK)
        rc = begin_with_limits(c, &why);
    if (rc == RC_OK)
        rc = crawl_progress_begin(c->watch, c->flow, c->ledger);
    if (rc == RC_OK)
        open_control(c);
    if (rc == RC_OK)
        rc = flow_start(c->flow);
    if (rc == RC_OK)
        rc = flow_wait(c->flow, &why);
    if (rc == RC_OK || has_lost_cluster(c)) { /* the directory is whole all the same */
        enum rc finished = ledger_finish(c->ledger->ledger);
        rc = rc ? rc : finished;
    }
    bool is_sent = rc || wait_for_sink(c);
    control_server_close(c->control);
    if (rc == RC_OK)
        rc = crawl_limits_end(&c->limits);
    crawl_progress_end(c->watch);
    if (rc == RC_OK && !crawl_progress_signal(c->watch))
        write_summaries(c);
    if (rc && !why.n)
        buf_add(&why, str_c(rc_text(rc)));
    if (rc == RC_NOMEM)
        buf_add(&why, STR("; everything that was finished is safe: raise the limit of memory "
                          "(ulimit -v, MemoryMax), or lower --frontier-memory, and start again"));
    if (rc)
        say_trouble(c, buf_str(&why));
    buf_done(&why);
    if (rc)
        return has_lost_cluster(c) ? EXIT_CLUSTER : cli_code_of(rc);
    if (found_nothing(c))
        return cli_fail(EXIT_USAGE,
                        "no seed is left: every seed was refused, or the seed files have none");
    say_end(c, crawl_progress_signal(c->watch) != 0);
    int code = end_code(c);
    return code == EXIT_DONE && !is_sent ? EXIT_OTHER : code;
}

static int crawl_with(struct crawl *c)
{
    const struct settings *s = c->settings;
    struct crawl_progress_settings w = {
        .json = s->json, .quiet = s->quiet, .dir = s->output.p, .grace_ms = s->grace_ms};
    c->watch = crawl_progress_open(&w);
    enum log_level least = s->verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN;
    if (c->watch)
        c->log = log_open(least, s->json, clock_real(), crawl_progress_sink(c->watch));
    if (!c->log)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    if (s->ignore_robots)
        log_warn(c->log, "robots.ignored",
                 LOG_C("note", "robots.txt is not obeyed: only for sites of your own"));
    return run_crawl(c);
}

/* Lets malloc retain freed memory. Buffers of pages come and go all the time, and memory that goes
 * back to the kernel costs page faults when it is needed again. */
static void retain_memory(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 64 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 512 << 20);
}

/* The key of a member stands in its configuration. */
static bool shows_secret(const struct settings *s)
{
    struct stat st;
    bool does = s->member_secret.n && s->config.n && stat(s->config.p, &st) == 0 &&
                (st.st_mode & (S_IRWXG | S_IRWXO));
    if (does)
        cli_fail(EXIT_USAGE, "%s has a member's secret, and other users may read it: chmod 600 %s",
                 s->config.p, s->config.p);
    return does;
}

/* Refuses settings that do not go together. */
static bool has_bad_settings(const struct settings *s)
{
    bool has_password = str_find(s->cluster, '@') < s->cluster.n;
    if (s->sink_remove && s->depth < 100)
        cli_fail(EXIT_USAGE, "--sink-remove: not together with --depth, for which pages are read "
                             "back from the archive");
    else if (s->cluster.n && s->place.n)
        cli_fail(EXIT_USAGE, "--place: not yet together with --cluster");
    else if (has_password)
        cli_fail(EXIT_USAGE, "--cluster: no user name or password in the URL, because the crawl's "
                             "directory keeps it; they are in NAME.login (--cluster-credentials)");
    return has_password || (s->cluster.n && s->place.n) || (s->sink_remove && s->depth < 100);
}

static int crawl_from_seeds(struct crawl *c)
{
    c->resumes = has_file(c->settings, CRAWL_SEEDS_FILE); /* an earlier run had seeds */
    if (has_lost_settings(c))
        return cli_fail(EXIT_DISK,
                        STR_FMT "/" CONFIG_OF_CRAWL
                                ": it is missing, so the settings of this crawl "
                                "are not known. Put it back, or give all options and seeds again",
                        STR_ARG(c->settings->output));
    if (c->resumes || c->settings->seeds.count || c->settings->input.count)
        return crawl_with(c);
    return cli_fail(EXIT_USAGE, c->refused ? "every seed was refused, for the reasons above"
                                           : "no seeds: name URLs, or a file of them with -i");
}

/* A place without the ledger. */
static int do_its_part(struct crawl *c, int words)
{
    const struct settings *s = c->settings;
    enum log_level least = s->verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN;
    if (words) /* seeds of a file that all places share are no mistake */
        return cli_fail(EXIT_USAGE, "--place: seeds belong to the place with the ledger");
    c->log = log_open(least, s->json, clock_real(), log_to_stderr());
    return place_run(c->wiring, c->log);
}

static enum rc prepare_to_save(struct invocation *in, struct crawl *c)
{
    struct buf why = {.max = 1000};
    c->saved.settings = c->settings;
    c->saved.sources = c->sources;
    enum rc rc = saved_settings_prepare(c->settings, c->sources, in->arena);
    if (rc == RC_OK)
        rc = saved_settings_check(c->settings, c->sources, &why);
    if (rc == RC_INVALID)
        cli_fail(EXIT_USAGE, STR_FMT, STR_ARG(buf_str(&why)));
    buf_done(&why);
    return rc;
}

static int crawl_run(struct invocation *in)
{
    retain_memory();
    fd_raise_limit(); /* each idle connection is a descriptor */
    struct crawl c = {.saved = {.lock = PTHREAD_MUTEX_INITIALIZER, .arena = in->arena}};
    enum rc rc = settings_gather(in, &c.settings, &c.sources);
    if (rc == RC_OK)
        rc = crawl_seeds_gather(in, c.settings, c.sources, &c.refused);
    if (rc == RC_OK)
        rc = prepare_to_save(in, &c);
    if (rc)
        return rc == RC_INVALID ? EXIT_USAGE : cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    if (has_bad_settings(c.settings) || shows_secret(c.settings))
        return EXIT_USAGE;
    int code = read_wiring(&c);
    if (code == EXIT_DONE)
        code = c.settings->place.n && !place_has_ledger(c.wiring) ? do_its_part(&c, in->word_count)
                                                                  : crawl_from_seeds(&c);
    flow_close(c.flow);
    wiring_close(c.wiring);
    log_close(c.log);
    crawl_progress_close(c.watch);
    return code;
}

const struct command cmd_crawl = {
    .name = "crawl",
    .args = "[URL...]",
    .summary = "crawl from the given URLs; the same -o again resumes",
    .details =
        "Fetches the URLs and what they lead to, as far as --scope and the limits allow,\n"
        "politely: one request at a time to a host, a delay between two, robots.txt first.\n"
        "Everything goes to the directory of -o: WARC files, an index, a log, and what is\n"
        "needed to go on after an interruption of any kind. ^C stops when open\n"
        "requests have ended; a second ^C stops at once.\n"
        "A wiring with places may run in a process for each, with --place.\n"
        "The flag of a list (-i, --include, --exclude, --types, --keywords, --set, ...) may\n"
        "be given several times and adds to the list; an empty value empties it. Of any\n"
        "other flag that is given twice the last counts.",
    .options = settings_table,
    .settings_bytes = sizeof(struct settings),
    .run = crawl_run,
};
