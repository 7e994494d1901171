/* SPDX-License-Identifier: Apache-2.0 */
/* counter_table: every number that a crawl shows, with its name, its meaning and where it is
 * counted.
 *
 *     this table ─┬─ roles/counters.c       the running crawl: `status`, also the sum over
 *                 │                         a cluster, --json, the progress line and its log
 *                 └─ report/report_print.c  the files of a crawl, over all runs: `report`
 *
 * The order is that of the JSON, and the names are part of it: programs read them. A number of both
 * counts the same thing, in one run or in all of them.
 *
 * A row of CRAWL_COUNTERS: its id, its name, what counts it, the field there, and what it means.
 * What counts it:
 *   - CRAWL: this run; it rises
 *   - NOW: this run; it rises and falls
 *   - REASONS: this run, one number for each reason
 *   - SHARDS: all shards together; it rises and falls
 *   - LEDGER: all runs together
 *
 * A row of the report: its name, its field of struct report, when a person sees it (JSON always has
 * it), and what it means; SIZED: then the name and the field of its bytes. */
#ifndef OUTPUTS_COUNTER_TABLE_H
#define OUTPUTS_COUNTER_TABLE_H

/* clang-format off */
/* What both count. */
#define COUNTED_UNCHANGED "captured before, asked for again and unchanged"
#define COUNTED_CHANGED "captured before, asked for again and changed"
#define COUNTED_CHANGED_STRUCTURE "of the changed: in their elements"
#define COUNTED_CHANGED_TEXT "of the changed: in their words"
#define COUNTED_CHANGED_MARKUP "of the changed: in neither"

#define CRAWL_COUNTERS(X)                                                                          \
    X(FETCHED, "fetched", CRAWL, fetched, "answers with a status; robots.txt is not counted")      \
    X(PAGES, "pages", CRAWL, pages, "answers that are HTML with status 200")                       \
    X(FAILED, "failed", CRAWL, failed, "URLs that ended without an answer")                        \
    X(REFUSED, "refused", CRAWL, refused, "URLs never asked: robots.txt, quotas, addresses")       \
    X(REFUSED_BY_ROBOTS, "refused_by_robots", CRAWL, robots, "of the refused: by robots.txt")      \
    X(RETRIED, "retried", CRAWL, retried, "tries that will be repeated")                           \
    X(BYTES, "bytes", CRAWL, bytes, "bytes received")                                              \
    X(LINKS, "links", CRAWL, links, "links found on pages")                                        \
    X(ADMITTED, "admitted", CRAWL, admitted, "URLs that are new")                                  \
    X(KNOWN_LINKS, "known_links", CRAWL, known, "links to URLs that were known")                   \
    X(OVER_BUDGET, "over_budget", CRAWL, over_budget, "links left out by budgets and limits")      \
    X(OVER_LIMIT, "over_limit", REASONS, over_limit, "of them: by what a host may bring or hold")  \
    X(REJECTED, "rejected", REASONS, rejected, "links outside of the scope")                       \
    X(REVISITS, "revisits", CRAWL, revisits, "captures that repeat a payload")                     \
    X(TRUNCATED, "truncated", CRAWL, truncated, "answers that were cut short")                     \
    X(CHANGED, "changed", CRAWL, changed, COUNTED_CHANGED)                                         \
    X(UNCHANGED, "unchanged", CRAWL, unchanged, COUNTED_UNCHANGED)                                 \
    X(CHANGED_STRUCTURE, "changed_structure", CRAWL, changed_structure, COUNTED_CHANGED_STRUCTURE) \
    X(CHANGED_TEXT, "changed_text", CRAWL, changed_text, COUNTED_CHANGED_TEXT)                     \
    X(CHANGED_MARKUP, "changed_markup", CRAWL, changed_markup, COUNTED_CHANGED_MARKUP)             \
    X(UNKEPT, "unkept", CRAWL, unkept, "answers that were not archived: focus, types")             \
    X(RELEVANT, "relevant", CRAWL, relevant, "pages that fit the topic")                           \
    X(IRRELEVANT, "irrelevant", CRAWL, irrelevant, "pages that do not fit the topic")              \
    X(OFF_TOPIC, "off_topic", CRAWL, off_topic, "links not followed because of the topic")         \
    X(OPEN, "open", NOW, open, "requests that are open")                                           \
    X(HOSTS, "hosts", SHARDS, hosts, "hosts in memory")                                            \
    X(HOSTS_WAITING, "hosts_waiting", SHARDS, waiting, "hosts that wait for their moment")         \
    X(HOSTS_READY, "hosts_ready", SHARDS, ready, "hosts that may be asked")                        \
    X(KNOWN, "known", SHARDS, known, "URLs that are known")                                        \
    X(QUEUED, "queued", SHARDS, queued, "URLs that wait")                                          \
    X(OUT, "out", SHARDS, out, "hosts that are being asked")                                       \
    X(FRONTIER_BYTES, "frontier_bytes", SHARDS, memory_bytes, "memory of the frontier")            \
    X(BUCKETS_SWAPPED, "buckets_swapped", SHARDS, swapped, "buckets of hosts on disk")             \
    X(LINKS_UNSORTED, "links_unsorted", SHARDS, unsorted, "links to them not looked at yet")       \
    X(ARCHIVE_BYTES, "archive_bytes", LEDGER, archive_bytes, "bytes of archive files")             \
    X(JOURNAL_BYTES, "journal_bytes", LEDGER, journal_bytes, "bytes of the journal")               \
    X(TOTAL_PAGES, "total_pages", LEDGER, pages, "pages, over all runs")                           \
    X(TOTAL_BYTES, "total_bytes", LEDGER, bytes, "bytes received, over all runs")

#define REPORT_ANSWER_COUNTERS(X, SIZED)                                                           \
    SIZED("answers", answers, ALWAYS, "answers", "bytes", bytes)                                   \
    X("robots", prerequisites, ALWAYS, "of them robots.txt")                                       \
    X("failures", failures, ALWAYS, "URLs without an answer")                                      \
    SIZED("duplicates", duplicates, ALWAYS, "duplicates of what was had before",                   \
      "duplicateBytes", duplicate_bytes)                                                           \
    X("notModified", not_modified, ALWAYS, "not modified since")                                   \
    X("unchanged", unchanged, AFTER_RECRAWLS, COUNTED_UNCHANGED)                                   \
    X("changed", changed, AFTER_RECRAWLS, COUNTED_CHANGED)                                         \
    X("changedStructure", changed_structure, AFTER_RECRAWLS, COUNTED_CHANGED_STRUCTURE)            \
    X("changedText", changed_text, AFTER_RECRAWLS, COUNTED_CHANGED_TEXT)                           \
    X("changedMarkup", changed_markup, AFTER_RECRAWLS, COUNTED_CHANGED_MARKUP)                     \
    X("lostCaptures", lost, IF_ANY,                                                                \
      "captures are lost: with an agent's disk, or an archive file")                               \
    X("awayCaptures", away, IF_ANY, "captures are with agents that were not looked at")

#define REPORT_ARCHIVE_COUNTERS(X)                                                                 \
    X("archiveFiles", archives.files, ALWAYS, "files")                                             \
    X("archiveRecords", archives.records, ALWAYS, "records, each read and whole")                  \
    X("damagedPlaces", archives.damaged, IF_ANY, "places where no whole record stands")            \
    X("lostFiles", archives.lost_files, IF_ANY, "files are missing, or have another length")
/* clang-format on */

#endif
