/* SPDX-License-Identifier: Apache-2.0 */
/* step: runs one part without a flow, and sees everything that it does.
 *
 *   step_world ─► providers ─► step_open(&part_gate) ─► step_give ─► out[OUTLET][i]
 *                                                    ─► step_produce   ended, ready, failed, logged
 *                                                    ─► step_advance   (timers)
 *
 * The calls of flow/part.h are implemented here a second time, in step.c: a message that the part
 * emits waits in `out`, part_fail() is remembered, time is a simulated clock, timers are those of a
 * real loop. So a test needs neither a wiring nor threads, and looks at a step between two
 * messages. What a real flow checks is checked here too: only a source makes messages that descend
 * from no other, a message that must reach the last step is not ended before it, and at the end
 * every message has ended (step_close asserts it).
 *
 * Providers that are plain values are the real ones (scope, budget, pace, addresses, guard), with a
 * ledger on a disk in memory. The cluster, DNS and HTTP are fakes that answer as the test says and
 * count what they were asked. Settings are one text of KEY=VALUE, parted by spaces: every part
 * takes the keys that it has, as from a command line.
 *
 *     struct step s;
 *     step_world(&s, "delay=2s", 0);
 *     step_open(&s, &part_gate);
 *     step_give(&s, 0, &step_visit(&s, "http://a.test/", "")->head);
 *     assert_int_equal(s.out_count[0], 1);
 *     step_close(&s); */
#ifndef TESTS_LIB_STEP_H
#define TESTS_LIB_STEP_H

#include "base/clock.h"
#include "base/loop.h"
#include "disk/disk.h"
#include "flow/credit_account.h"
#include "flow/part.h"
#include "lib/test.h"
#include "roles/addresses.h"
#include "roles/cluster.h"
#include "roles/dns.h"
#include "roles/http.h"
#include "roles/ledger.h"
#include "roles/members.h"
#include "roles/pace.h"
#include "roles/scope.h"
#include "visit/links.h"
#include "visit/url_list.h"
#include "visit/visit.h"

enum {
    STEP_OUTLETS = 4,
    STEP_MESSAGES = 64, /* that may wait behind an outlet */
    STEP_PROVIDERS = 8,
    STEP_ROLES = 12,
    STEP_QUERIES = 8,
    STEP_CREDITS = 4, /* of a message that a test gives */
};

/* What the world has beside its providers. */
enum {
    STEP_HISTORY = 1,  /* a history, in a folder of its own below /tmp */
    STEP_DEPTHS = 2,   /* a depth index for each shard */
    STEP_COMPARES = 4, /* the crawl compares pages */
    STEP_TWO_SHARDS = 8,
    STEP_PRIORITY = 16, /* the order of the crawl */
};

struct step;

/* The part under test, or a provider. */
struct step_instance {
    struct instance self; /* first, so that the part's pointer leads here */
    const struct part *part;
    struct step *step;
    struct arena *arena; /* of the settings */
    bool is_open, is_stopping;
};

/* The cluster: it says what the test wrote here, and counts. Zeroed it is one machine's. */
struct step_cluster {
    struct cluster_service service;
    struct cluster_service *alone; /* answers `phase` unless has_phase */
    bool has_phase;
    enum cluster_phase phase;
    enum budget_verdict limit;
    enum cluster_claim claim;
    bool refuses;     /* may_ask */
    uint64_t foreign; /* the hash of a host of another agent; 0: there is none */
    enum rc forward;
    struct cluster_breaker breaker;
    int begun; /* begin less end */
    unsigned claimed, given_back, joined, requeued, forwarded;
};

struct step_dns {
    enum rc rc;    /* of dns_ask */
    bool is_known; /* `result` is given at once */
    struct dns_result result;
    struct dns_query *open[STEP_QUERIES];
    char names[STEP_QUERIES][64];
    unsigned count, asked, cancelled;
};

struct step_http {
    enum rc rc; /* of http_start */
    struct http_ask *open[STEP_QUERIES];
    unsigned count, started, cancelled;
    unsigned expected; /* calls of http_expect, and the last of them */
    uint64_t expected_ms;
    bool is_certain;
    char expected_host[64];
    const char *warm_host; /* http_is_warm; NULL: none is */
    uint16_t warm_port;
    bool is_full; /* http_has_room says no */
};

/* The members of a pool: it says what the test wrote here, and counts. step_provide(&s, "members", ...). */
struct step_members {
    struct members_service service;
    bool has_room;
    uint64_t route; /* of choose; 0: the member has no room */
    uint64_t quiet_ms;
    struct members_key asked; /* the last; its url and address are the visit's */
    unsigned orphaned, settled;
    void (*call)(void *ctx); /* of wake_with */
    void *ctx;
};

struct step {
    const char *settings;
    unsigned shards;
    struct clock_simulated clock;
    struct loop loop;
    struct log *log;
    struct buf logged;
    char logged_room[8000];
    struct step_instance part; /* under test */
    struct step_instance providers[STEP_PROVIDERS];
    unsigned provider_count;
    struct step_role {
        const char *name;
        void *interface;
    } roles[STEP_ROLES];
    unsigned role_count;

    /* What the part did. */
    struct message *out[STEP_OUTLETS][STEP_MESSAGES];
    size_t out_count[STEP_OUTLETS];
    unsigned given, ended;           /* messages */
    unsigned ready, drained, errors; /* calls */
    unsigned lost; /* messages that were ended before their last step, without a part_fail */
    enum rc failed;
    char why[400]; /* of part_fail */
    struct credit_account account;

    /* The providers of the world, the fakes, and what is behind the ledger. */
    struct scope_service *scope;
    struct budget *budget;
    struct pace_service *pace;
    struct addresses_service *addresses;
    struct step_cluster cluster;
    struct step_dns dns;
    struct step_http http;
    uint64_t session;  /* of part_session */
    bool has_no_lease; /* part_may_go_on says no of a copy */
    struct step_members members;
    struct disk *disk;
    struct ledger_service *ledger;
    struct depth_index *depth_index[2];
    uint64_t known_seed; /* the fingerprint that knows_seed knows; 0: none */
    char history[60];
};

/* Only clock, loop and log. */
void step_init(struct step *s, const char *settings);
/* And every provider that a step of the crawl may need. `with`: STEP_HISTORY ... */
void step_world(struct step *s, const char *settings, unsigned with);
/* A provider, made by the test, that stands before one of that role in the world. */
void step_provide(struct step *s, const char *role, void *interface);

/* Makes the world one with a pool, as s->members says; it has room, and the route 7. */
void step_with_members(struct step *s);

/* Opens and starts the part; RC_OK or what its open said, with `why`. */
enum rc step_open(struct step *s, const struct part *part);
/* Stops the part; the messages that it held have ended. */
void step_stop(struct step *s);
/* Stops and closes everything, and ends what waits in `out`. Fails the test if a message is
 * neither there nor ended. Takes a half-built one. */
void step_close(struct step *s);

void step_give(struct step *s, unsigned inlet, struct message *m);
enum produced step_produce(struct step *s);
/* Moves the clock by so much; timers run in their order, at their moments. */
void step_advance(struct step *s, uint64_t by_ms);

/* The visit or the links that wait behind an outlet. */
struct visit *step_visit_at(struct step *s, unsigned outlet, size_t i);
struct links *step_links_at(struct step *s, unsigned outlet, size_t i);
/* The last one, for the test to give to a part again or to end (message_end). */
struct message *step_take(struct step *s, unsigned outlet);
/* Whether an event of that name, or a line with that text, was logged. */
bool step_has_logged(const struct step *s, const char *text);

/* Visits --------------------------------------------------------------------------------------- */

/* Puts a URL into the frontier, as a link that was found. */
void step_admit(struct step *s, const char *url, const char *seed_path);
/* The visit of the next URL that is checked out, as schedule makes it; NULL: none is ready. */
struct visit *step_checkout(struct step *s);
/* Both; nothing else is checked out. */
struct visit *step_visit(struct step *s, const char *url, const char *seed_path);
/* The record of a host, made if need be. */
struct host_record *step_record(struct step *s, const char *host);
/* Rules for the origin of the visit. */
void step_set_rules(struct visit *v, const char *robots_txt, int64_t wall_ms);
/* Sets what fetch sets: an answer that came whole. `head` lines end with \r\n, without the status
 * line. Texts are copied into the visit's arena. */
struct http_answer *step_set_answer(struct step *s, struct visit *v, uint16_t status,
                                    const char *head, const char *body);

/* A page that is done: archived with one link, and in the history. step_make_durable: the history and
 * the archive have all that was recorded. */
void step_archive_page(struct step *s, const char *url, const char *link);
void step_make_durable(struct step *s);

/* A URL as the frontier takes it and as judge-links describes it; its texts are `url` and
 * `seed_path`, and so last as long as those. The URL is normalised already. */
struct candidate step_candidate(const char *url, const char *seed_path);
struct found_link step_link(const char *url, const char *seed_path);
/* Links from a page of `from` that are journalled and on their way to their shard. */
struct links *step_links(struct step *s, const char *from, const struct candidate *list,
                         size_t count);

/* Lists of URLs: seeds, requeue and rejudge emit them, judge-links and disposition take them. */
enum { STEP_LISTS = 1 }; /* the inlet of these two steps, and the outlet of the first */
struct step_item {
    const char *url, *seed_path;
};
struct message *step_list(enum url_list_origin origin, const struct step_item *items, size_t count);
/* The same behind judge-links: every URL is a link that is wanted. */
struct message *step_judged_list(enum url_list_origin origin, const struct step_item *items,
                                 size_t count);
/* Of such a list: link i draws the scope; and the page of a LIST_REJUDGED, with its history. */
void step_set_seed(struct message *m, size_t i);
void step_set_page(struct message *m, const char *url, const char *seed_path,
                   const struct history_entry *history);
size_t step_list_count(const struct message *m);
struct str step_list_url(const struct message *m, size_t i);
struct str step_list_seed_path(const struct message *m, size_t i);
size_t step_list_link_count(const struct message *m); /* judged */
const struct found_link *step_list_link(const struct message *m, size_t i);

/* The text of a file of the crawl's directory so far, in static memory until the next call. */
const char *step_file(struct step *s, const char *path);

/* Answers the oldest question to DNS with one IPv4 address, or with a failure. */
void step_dns_found(struct step *s, const char *address);
void step_dns_fails(struct step *s, enum dns_outcome outcome);
/* Ends the oldest transfer. */
void step_http_ends(struct step *s, const struct http_answer *a);
/* An answer that came whole, in static memory until the next call. */
const struct http_answer *step_answer(uint16_t status, const char *head, const char *body);

/* Memory --------------------------------------------------------------------------------------- */

/* Runs a scenario again and again, each time with the next allocation failing: in `open` of the
 * part, then in `run`. `prepare` (may be NULL) comes between, without a fault. Whatever fails, open
 * says RC_OK or RC_NOMEM, and behind it no message is lost silently: it was emitted or is held, or
 * part_fail told. Nothing is left in memory. */
struct step_sweep {
    const struct part *part;
    const char *settings;
    unsigned with;
    void (*prepare)(struct step *s);
    void (*run)(struct step *s);
};
void step_each_allocation_fails(const struct step_sweep *sweep);

#endif
