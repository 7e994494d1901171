/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a URL in words. */
#include "control/url_facts.h"

#include "host/pace.h"

#include "base/log.h"

static void print_span(struct buf *out, uint64_t ms)
{
    unsigned long long s = ms / 1000;
    if (s >= 172800)
        buf_printf(out, "%llu days", s / 86400);
    else if (s >= 7200)
        buf_printf(out, "%llu hours", s / 3600);
    else if (s >= 120)
        buf_printf(out, "%llu minutes", s / 60);
    else
        buf_printf(out, "%llu.%llu s", s, (unsigned long long)(ms % 1000 / 100));
}

static const char unread[] = "not known: the directory cannot be written, so its queues were "
                             "not read";

const char *url_words_state(const struct url_facts *f)
{
    if (f->is_out)
        return "out";
    if (f->is_queued)
        return "queued";
    if (f->has_history)
        return f->history.code > 0                                                       ? "fetched"
               : f->history.code <= FETCH_TOO_DEEP || f->history.code == FETCH_NO_ROBOTS ? "refused"
                                                                                         : "failed";
    if (f->is_far)
        return "queued";
    return f->is_known ? "known" : "unknown";
}

void url_words_scope(const struct url_facts *f, struct buf *out)
{
    if (!f->has_scope)
        buf_add(out, STR("not known: the settings of the crawl are not here"));
    else if (f->verdict == SCOPE_IN)
        buf_add(out, STR("it belongs to the crawl"));
    else
        buf_printf(out, "it does not belong to the crawl: %s", scope_verdict_text(f->verdict));
    static const char *const settings[SCOPE_VERDICTS_] = {
        [SCOPE_TOO_LONG] = "scope.url-size",          [SCOPE_TOO_DEEP] = "--depth",
        [SCOPE_TRAP] = "scope.path-segments",         [SCOPE_REDIRECTS] = "scope.redirects",
        [SCOPE_EXCLUDED] = "--include and --exclude", [SCOPE_OUTSIDE] = "--scope and the seeds",
        [SCOPE_NOT_WANTED] = "--pages-only",
    };
    if (f->has_scope && settings[f->verdict])
        buf_printf(out, " (%s)", settings[f->verdict]);
}

void url_words_robots(const struct url_facts *f, struct buf *out)
{
    const struct robots_facts *r = &f->robots;
    if (f->is_partial) {
        buf_add(out, str_c(unread));
        return;
    }
    if (!r->is_there) {
        buf_add(out, STR("robots.txt of its origin has not been asked for"));
        return;
    }
    if (!r->has_rules) {
        buf_add(out,
                STR("robots.txt cannot be fetched, so nothing of that origin may be asked for"));
        return;
    }
    buf_add(out, r->allowed ? STR("robots.txt allows it") : STR("robots.txt forbids it"));
    if (r->is_empty)
        buf_add(out, STR(": there is none, or it has no rule for this crawler"));
    else if (r->line)
        buf_printf(out, ": line %u, \"" STR_FMT "\"", r->line, STR_ARG(r->rule));
    else
        buf_add(out, STR(": no rule is about it"));
    buf_add(out, STR("; asked for "));
    print_span(out, r->age_ms);
    buf_add(out, STR(" ago"));
    if (r->is_failing)
        buf_add(out, STR(", and could not be fetched again: the old rules hold"));
    if (r->has_delay) {
        buf_add(out, STR("; Crawl-delay "));
        print_span(out, r->delay_ms);
        buf_add(out, STR(", kept up to pace.delay-most"));
    }
}

/* "may be asked again in 2 minutes (back-off after 503 Service Unavailable)" */
static void host_waits(const struct url_facts *f, struct buf *out)
{
    buf_add(out, STR("may be asked again in "));
    print_span(out, f->wait_ms);
    if (f->record.wait == HOST_WAIT_UNKNOWN)
        return;
    buf_add(out, STR(" ("));
    host_wait_print(f->record.wait, f->record.wait_code, out);
    buf_byte(out, ')');
}

static void host_moment(const struct url_facts *f, bool is_running, struct buf *out)
{
    if (f->record.dead_code)
        buf_printf(out, "given up: %s", fetch_code_text(f->record.dead_code));
    else if (f->host_state == HOST_OUT)
        buf_add(out, STR("being asked now"));
    else if (f->host_state == HOST_READY)
        buf_add(out, is_running ? STR("may be asked now") : STR("may be asked when it goes on"));
    else if (f->host_state == HOST_IDLE)
        buf_add(out, STR("nothing of it waits"));
    else if (f->wait_ms == 0)
        buf_add(out, STR("its moment has come"));
    else
        host_waits(f, out);
}

static const char *http_words(enum host_http http)
{
    static const char *const words[HOST_HTTP_STATES_] = {
        [HOST_HTTP_1_1] = "",
        [HOST_HTTP_TRIAL] = "; it refused HTTP/1.1: HTTP/2 is tried next",
        [HOST_HTTP_2] = "; HTTP/2: it refuses HTTP/1.1",
        [HOST_HTTP_1_1_ONLY] = "; it refuses HTTP/1.1, and HTTP/2 did not work either",
    };
    return words[http];
}

void url_words_host(const struct url_facts *f, bool is_running, struct buf *out)
{
    if (f->is_partial) {
        buf_add(out, str_c(unread));
        return;
    }
    if (!f->has_host) {
        buf_add(out, STR("nothing of this host is known"));
        return;
    }
    host_moment(f, is_running, out);
    buf_printf(out, "; %llu queued, %llu fetched (%llu bytes)", (unsigned long long)f->queued,
               (unsigned long long)f->record.pages, (unsigned long long)f->record.bytes);
    if (f->record.failures)
        buf_printf(out, "; %u failure%s in a row", f->record.failures,
                   f->record.failures == 1 ? "" : "s");
    if (f->record.tries)
        buf_printf(out, "; the first of its queue was tried %u time%s", f->record.tries,
                   f->record.tries == 1 ? "" : "s");
    buf_add(out, str_c(http_words(f->record.http)));
}

const char *url_words_robots_state(const struct origin_facts *o)
{
    if (!o->robots_asked)
        return "unasked";
    if (!o->robots_has_rules)
        return "failing";
    if (o->robots_is_empty)
        return "allows everything";
    return o->robots_failing ? "old rules" : "rules";
}

void url_words_origin(const struct origin_facts *o, struct buf *out)
{
    buf_printf(out, "%s, port %u: robots.txt %s", o->is_https ? "https" : "http",
               o->port       ? (unsigned)o->port
               : o->is_https ? 443u
                             : 80u,
               url_words_robots_state(o));
    if (o->dead_code)
        buf_printf(out, "; given up: %s", fetch_code_text(o->dead_code));
    if (o->failures)
        buf_printf(out, "; %u failure%s in a row", o->failures, o->failures == 1 ? "" : "s");
    if (o->tries)
        buf_printf(out, "; its URL on trial was tried %u time%s", o->tries,
                   o->tries == 1 ? "" : "s");
    if (o->wait_ms) {
        buf_add(out, STR("; left alone for "));
        print_span(out, o->wait_ms);
    }
}

const char *url_words_change(unsigned what)
{
    bool structure = what & HISTORY_STRUCTURE, text = what & HISTORY_TEXT;
    return structure && text ? "structure and text"
           : structure       ? "structure"
           : text            ? "text"
           : what            ? "markup"
                             : "";
}

const char *url_words_cut(unsigned cut)
{
    static const char *const words[HISTORY_CUTS_] = {
        [HISTORY_WHOLE] = "",
        [HISTORY_CUT_LENGTH] = "longer than is taken (fetch.body-size)",
        [HISTORY_CUT_TIME] = "it came too slowly",
        [HISTORY_CUT_DISCONNECT] = "the server broke it off",
    };
    return words[cut];
}

void url_words_last(const struct url_facts *f, struct buf *out)
{
    const struct history_entry *p = &f->history;
    buf_time_iso(out, (uint64_t)p->date_ms);
    buf_printf(out, ": %s", fetch_code_text(p->code));
    if (p->code > 0)
        buf_printf(out, ", %llu bytes", (unsigned long long)p->bytes);
    if (p->cut)
        buf_printf(out, ", truncated: %s", url_words_cut(p->cut));
    if (p->mime.n)
        buf_printf(out, ", " STR_FMT, STR_ARG(p->mime));
    if (f->via_url.p)
        buf_printf(out, "; found on " STR_FMT, STR_ARG(f->via_url));
    else if (p->seed_path.n == 0)
        buf_add(out, STR("; a seed"));
    if (p->seed_path.n)
        buf_printf(out, " (" STR_FMT ")", STR_ARG(p->seed_path));
    if (p->fetches > 1)
        buf_printf(out, "; asked for %u times, changed %u times", p->fetches, p->changes);
    if (p->what_changed)
        buf_printf(out, ", last its %s", url_words_change(p->what_changed));
}

/* Why ------------------------------------------------------------------------------------------ */

/* "it waits in the third of three lists of its host: 5 are before it there; its value is -3" */
static void why_listed(const struct url_facts *f, struct buf *out)
{
    buf_printf(out, "it waits in %s of its host: ", order_queue_text(f->list));
    if (f->before)
        buf_printf(out, "%llu are before it there", (unsigned long long)f->before);
    else
        buf_add(out, STR("it is the next there"));
    if (f->has_worth && f->list != ORDER_REVISITS)
        buf_printf(out,
                   "; its value is %d, as about %u links are expected on it and %u%s page%s of "
                   "the crawl link%s to it",
                   f->worth.value, f->worth.forward, f->worth.back,
                   f->worth.back == UINT8_MAX ? " or more" : "", f->worth.back == 1 ? "" : "s",
                   f->worth.back == 1 ? "s" : "");
}

static void why_queued(const struct url_facts *f, bool is_running, struct buf *out)
{
    if (f->order != ORDER_BREADTH && !f->is_far)
        why_listed(f, out);
    else if (f->is_far)
        buf_printf(out, "it waits in its host's queue, behind at least %d others", URL_FACTS_WALK);
    else if (f->before == 0)
        buf_add(out, STR("it is the next of its host's queue"));
    else
        buf_printf(out, "it waits in its host's queue: %llu are before it",
                   (unsigned long long)f->before);
    if (f->via_url.p)
        buf_printf(out, "; found on " STR_FMT, STR_ARG(f->via_url));
    if (f->record.dead_code)
        buf_add(out, STR("; its host was given up, so it will end without being asked for"));
    else if (f->robots.has_rules && !f->robots.allowed)
        buf_add(out, STR("; robots.txt forbids it, so it will not be asked for"));
    else if (!is_running)
        buf_add(out, STR("; the crawl does not run"));
    else if (f->wait_ms)
        buf_add(out, STR("; the host may be asked again in ")), print_span(out, f->wait_ms);
}

static void why_history(const struct url_facts *f, struct buf *out)
{
    int code = f->history.code;
    buf_add(out, code > 0 ? STR("it was fetched on ") : STR("it was given up on "));
    buf_time_iso(out, (uint64_t)f->history.date_ms);
    if (code < 0)
        buf_printf(out, " with code %d", code);
    buf_printf(out, ": %s", fetch_code_text(code));
    if (code == FETCH_ROBOTS && f->robots.line)
        buf_printf(out, " (line %u, \"" STR_FMT "\")", f->robots.line, STR_ARG(f->robots.rule));
}

static void why_unknown(const struct url_facts *f, struct buf *out)
{
    if (f->has_scope && f->verdict != SCOPE_IN) {
        url_words_scope(f, out);
        return;
    }
    if (str_eq(url_path_query(&f->url), STR("/robots.txt"))) {
        buf_add(out, STR("a robots.txt is asked for before anything else of its origin, and is no "
                         "page of the crawl"));
        return;
    }
    buf_add(out, STR("it did not join the crawl: no page that was read links to it, or those that "
                     "do are --depth links from a seed, or a limit of its host was reached "
                     "(orbweaver export links DIR --to URL lists the pages that link to it)"));
    if (f->robots.has_rules && !f->robots.allowed)
        buf_add(out, STR("; robots.txt would forbid it"));
    else if (f->record.dead_code)
        buf_add(out, STR("; its host was given up"));
}

void url_words_why(const struct url_facts *f, bool is_running, struct buf *out)
{
    if (f->is_out)
        buf_add(out, is_running ? STR("it is being asked for now")
                                : STR("it was being asked for when the crawl ended"));
    else if (f->is_queued || (f->is_far && !f->has_history))
        why_queued(f, is_running, out);
    else if (f->has_history)
        why_history(f, out);
    else if (f->is_known && f->is_partial)
        buf_add(out, STR("a page brought it into the crawl, and the history has no answer to it; "
                         "whether it waits is not known, because the directory cannot be "
                         "written"));
    else if (f->is_known)
        buf_add(out, STR("it is known and done; what became of it is not in the history (yet): see "
                         "crawl.log"));
    else
        why_unknown(f, out);
}
