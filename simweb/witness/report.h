/* SPDX-License-Identifier: Apache-2.0 */
/* report: the witness's account as JSON, and as text for a person.
 *
 *   {"requests": all of them, "open": not ended yet, "missed": not kept for want of memory,
 *    "urls": {"requests", "distinct", "fetched_again": URLs asked for more than once,
 *             "repeats": requests beyond the first of their URL, "forbidden": requests for what
 *             robots.txt forbids, "missed", "again_first": [up to ten URLs],
 *             "forbidden_first": […]},
 *    "robots": {"requests", "distinct", "fetched_again", "repeats"},          robots.txt, apart
 *    "politeness": {"hosts", "connections": on which anything was asked, "resumed": those of them
 *                   that resumed a TLS session, "most_open": at once to one host, "overlaps":
 *                   requests that started while another was open, "least_start_gap_ms",
 *                   "least_end_gap_ms": null without two requests to one host,
 *                   "during_backoff", "worst_early_ms", "under_delay":
 *                   sooner than its robots.txt's Crawl-delay allows, "forbidden",
 *                   "worst": [{"host", "requests", …the same…}, up to ten, worst first]},
 *    "addresses": {"addresses", …, "worst": [{"address", …}]},                the same by address
 *    "dns": {"queries", "questions": different ones, "a", "aaaa", "other", "rcodes": {"0": …},
 *            "missed", "most_asked": [{"name", "type", "rcode", "count"}, up to ten]},
 *    "faults": [{"id": "F35", "verdict": "good", "requests", "dropped", "why": […]}, all of them],
 *    "url_counts": {"http://…": 1, …}, "hosts": […], "dns_names": […], "sights": [{"fault", …}]}
 *
 * The last line only by wish. Gaps are in ms with three decimals. A report is as long as what it
 * lists: about 2 KB and 200 bytes a fault without wishes, and for each URL its length and 6 bytes,
 * for each host 250, for each sight 300. Past the maximum of `out` the failure is in buf_rc and
 * what is there is no JSON: the caller says so instead of sending it. */
#ifndef WITNESS_REPORT_H
#define WITNESS_REPORT_H

#include "witness/judge.h"

struct report_wish {
    bool urls;   /* "url_counts": {"http://…": 1, …}, all of them; only with keep_urls */
    bool hosts;  /* "hosts" and "dns_names": every one, not only the worst ten */
    bool sights; /* every request to a fault */
};

void witness_report(const struct witness *w, const struct fault_knobs *knobs, uint64_t now_us,
                    struct report_wish wish, struct buf *out);

/* The same for a person, from that JSON: one screen of what was asked, how politely, and which
 * faults were treated how. RC_INVALID if it is no such report. */
MUST_CHECK enum rc report_text(struct str json, struct buf *out);

#endif
