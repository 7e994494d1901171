/* SPDX-License-Identifier: Apache-2.0 */
/* A place of a crawl that is not the one with the ledger (docs/remote.md): it has no directory, no
 * seeds and nothing to resume; it does its part until it is told that all is over. */
#include "cli/place.h"
#include "cli/settings.h"
#include "cli/wirings.h"
#include "components/catalog.h"
#include "flow/flow.h"

#include "base/log.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

/* Signal handlers get no argument: the one flow that is running, for ^C. */
static _Atomic(struct flow *) running;

static void on_signal(int number)
{
    (void)number;
    struct flow *f = atomic_load(&running);
    if (f)
        flow_drain(f);
}

static void catch_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL); /* the second ^C ends the program at once */
    sigaction(SIGTERM, &action, NULL);
}

static enum rc read_wiring(const struct settings *s, struct wiring **ret)
{
    struct catalog catalog = {components_catalog.parts, settings_table, s,
                              components_catalog.types};
    struct problems problems;
    struct str text = wiring_built_in(s->wiring);
    struct buf why = {.max = 1 << 20};
    problems_init(&problems, s->wiring.p);
    enum rc rc = text.p ? wiring_read(text, s->wiring.p, &catalog, ret, &problems)
                        : wiring_load(s->wiring.p, &catalog, ret, &problems);
    problems_print(&problems, &why);
    (void)fwrite(buf_str(&why).p, 1, why.n, stderr);
    buf_clear(&why);
    if (rc && rc != RC_INVALID)
        buf_add(&why, str_c(rc_text(rc)));
    for (size_t i = 0; i < s->set.count && rc == RC_OK; i++)
        rc = wiring_set(*ret, s->set.items[i], &why);
    if (rc == RC_OK)
        rc = place_cut(*ret, s->place, s->place_secret, &why);
    if (why.n)
        cli_fail(EXIT_USAGE, STR_FMT, STR_ARG(buf_str(&why)));
    problems_done(&problems);
    buf_done(&why);
    return rc;
}

static int run(const struct wiring *w, struct log *log)
{
    struct buf why = {.max = 1 << 16};
    struct flow *f = NULL;
    enum rc rc = flow_open(w, (struct flow_setup){.log = log}, &f, &why);
    if (rc == RC_OK && flow_provider(f, STR("ledger"))) {
        buf_add(&why, STR("the ledger is at this place; run it with: orbweaver crawl --place"));
        rc = RC_INVALID;
    }
    if (rc == RC_OK) {
        atomic_store(&running, f);
        catch_signals(on_signal);
        rc = flow_start(f);
        enum rc ended = flow_wait(f, &why);
        rc = rc ? rc : ended;
        catch_signals(SIG_DFL);
        atomic_store(&running, NULL);
    }
    flow_close(f); /* tells the places behind it */
    int code = rc ? cli_fail(rc == RC_INVALID ? EXIT_USAGE : EXIT_OTHER, STR_FMT,
                             STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))))
                  : EXIT_DONE;
    buf_done(&why);
    return code;
}

static int place_run(struct invocation *in)
{
    struct settings *s = NULL;
    enum settings_source *sources;
    enum rc rc = settings_gather(in, &s, &sources);
    if (rc)
        return rc == RC_INVALID ? EXIT_USAGE : cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "place: expected the name of one place");
    s->place = str_c(in->words[0]);
    struct wiring *w = NULL;
    enum log_level least = s->verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN;
    struct log *log = log_open(least, s->json, clock_real(), log_to_stderr());
    int code = read_wiring(s, &w) == RC_OK ? run(w, log) : EXIT_USAGE;
    wiring_close(w);
    log_close(log);
    return code;
}

const struct command cmd_place = {
    .name = "place",
    .args = "NAME",
    .summary = "run one place of a crawl whose wiring is cut over several",
    .details =
        "Runs what --wiring FILE puts at the place NAME, until the place with the ledger\n"
        "(orbweaver crawl --place) says that the crawl is over. Give it the options of that\n"
        "crawl, and the same --place-secret: a file that only you can read, with 32 random\n"
        "bytes or more. ^C stops after what is under way; a second ^C at once.",
    .options = settings_table,
    .settings_bytes = sizeof(struct settings),
    .run = place_run,
};
