/* SPDX-License-Identifier: Apache-2.0 */
/* fault: one way a server or its content is bad, F01 to F93, and what a crawler should do about it.
 *
 *   http://zoo.test/                   links to every enabled fault
 *   http://f46.test/                   a healthy index page: links to the fault's cases
 *   http://nx.f46.test/page            a case on a host of its own, where the fault is the host's
 *   http://f06.test/reset              a case on a path, where the fault is an answer's
 *   http://www.heron7.test/f06/reset   the same, sprinkled over an ordinary host; its home page
 *                                      links there
 *
 * A fault is one table: its hosts, its cases, a function that answers, and what is expected of the
 * crawler, judged by witness/judge.h from what was seen. Each group of faults is one file that ends
 * in its table; faults/catalog.c lists them.
 *
 * Bodies carry tell-tales: links that only a crawler that read the page right (or wrong) would
 * follow. A path under /told/ answers with a small healthy page and no links; a fault needs no code
 * for it. Any path that the fault does not answer is 404. */
#ifndef FAULTS_FAULT_H
#define FAULTS_FAULT_H

#include "faults/mood.h"
#include "wire/reply.h"
#include "wire/request.h"
#include "world/world.h"

/* What expectations and answers may depend on, from the command line. */
struct fault_knobs {
    uint64_t retry_after_s; /* F35's 120 */
    uint64_t drip_ms;       /* F07's 10 s between bytes; F08 a tenth of it */
    uint64_t patience_ms;   /* a client that has not given up by then is judged to hang */
    uint64_t endless_bytes; /* what an endless body sends at most, and no crawler should take */
    double scale;           /* 1 = the sizes of the table (200 MB, a million links) */
};

/* A host of the fault: nx.f46.test. The site's own name, f46.test, is always good and needs no row,
 * unless its mood is not. */
struct fault_host {
    const char *label; /* "nx"; "" = the site's own name; NULL ends the table */
    struct mood mood;
    bool https;   /* its URLs are https:// */
    bool is_dead; /* sprinkled on an ordinary host: nothing of that host can or may be fetched */
    bool no_sprinkle; /* makes no sense, or no all-or-nothing, on an ordinary host */
};

/* A link on the fault's index page. */
struct fault_case {
    const char *label; /* on which host */
    const char *path;  /* with query */
    const char *says;  /* the link's text: what happens there */
};

enum expect_kind {
    EXPECT_FETCHED,     /* asked for at least once: the oracle's "must" */
    EXPECT_NEVER,       /* not once: the oracle's "known", with `why` */
    EXPECT_AT_MOST,     /* at most n times; all requests that match count together */
    EXPECT_AT_LEAST,    /* at least n times */
    EXPECT_BYTES,       /* the client left, or we ended, before n bytes of one answer were taken;
                           n = 0: --endless of the knobs */
    EXPECT_LEAVES,      /* the client ends each such connection itself, within --patience */
    EXPECT_NO_REUSE,    /* no further request on the connection of such an answer */
    EXPECT_GAP,         /* after such an answer at least n ms pass before the host's next request;
                           n = 0: the back-off that this answer asked for (reply.backoff_ms), so an
                           answer that asked for none wants nothing */
    EXPECT_NOT_AT,      /* no request came to address n (127.0.0.1, the trap) */
    EXPECT_NO_FACT,     /* no request carried one of the sight_facts in n (faults/fact.h) */
    EXPECT_AT_ONCE,     /* at most n such requests are open at the same time on one address */
    EXPECT_NEVER_AFTER, /* not once after /robots.txt of the same host was answered n times, but for
                           what was on its way by then (SCENE_UNDER_WAY_MS) */
};

struct expect {
    enum expect_kind kind;
    const char *label; /* NULL = all hosts of the fault */
    const char *path;  /* exact with query, or a prefix if it ends in '*' */
    uint64_t n;
    const char *why; /* what a crawler that fails this did wrong, for a person */
    bool https;      /* its URL is https:// though its host's are not; for the oracle */
};

struct fault;

/* One request to a fault's site. */
struct fault_query {
    const struct fault *fault;
    const struct world *world;
    const struct fault_knobs *knobs;
    const struct request *request;
    struct str host;      /* the name asked, lower case, without port */
    struct str label;     /* "nx" of nx.f46.test; "" for the site's own name and when sprinkled */
    struct str path;      /* below the mount; starts with '/', no query */
    struct str query;     /* behind '?', absent without */
    struct str mount;     /* "" on the fault's own hosts, "/f46" when sprinkled */
    uint32_t nth;         /* how often this very URL was asked for before: 0, 1, … */
    uint32_t nth_of_host; /* and anything of this host */
    uint32_t nth_on_conn; /* and anything on this connection */
    uint64_t wall_ms;     /* the simulated web's clock */
    bool true_time;       /* it shows the machine's time, so a client can tell how far a date is */
};

struct fault {
    const char *id;    /* "F46" */
    const char *group; /* "dns" */
    const char *does;  /* what the server does; a line */
    const char *wants; /* what a good crawler does, and where the table leaves a choice, ours */
    const struct fault_host *hosts; /* may be NULL: only the site's own name */
    const struct fault_case *cases;
    const struct expect *expects;
    /* Answers, true; or leaves it to the defaults (the index page at "/", /told/…, 404 for
     * robots.txt and all else), false. May be NULL. */
    bool (*answer)(const struct fault_query *q, struct reply *r);
    /* A path fault may be mounted on any host; a host fault (robots, DNS, TLS) is the host's. */
    bool is_path;
    /* The path whose fetching shows that a crawler came for it; NULL: the index page. A sitemap,
     * where a crawler that reads no sitemaps has not met the fault and is not judged. */
    const char *shows;
};

/* All of them by number; *ret_count of them. */
const struct fault *const *faults_all(uint32_t *ret_count);

/* By id in any case ("f35", "F35"), or NULL. */
const struct fault *fault_find(struct str id);

/* Checks --fault and --sprinkle of the settings; puts what is wrong into `why`. */
MUST_CHECK enum rc faults_check(const struct world_settings *s, struct buf *why);

/* Whether the settings enable the fault's own hosts. */
bool fault_enabled(const struct world *w, const struct fault *f);

/* Whose host that name is: sets the label ("" for the site's own). NULL: no fault's. The zoo is no
 * fault. `name` in lower case, without port. */
const struct fault *fault_of_host(const struct world *w, struct str name, struct str *ret_label);
bool is_zoo(const struct world *w, struct str name);

/* The row of a label, or NULL for a good host. A label that is in no row (a wildcard's, F47) is
 * good unless the fault has a row "*". */
const struct fault_host *fault_host(const struct fault *f, struct str label);

/* What is sprinkled over an ordinary host: at most one fault; NULL for most. *ret_host is the row
 * whose mood and deadness the host takes (NULL for a path fault), chosen by chance. */
const struct fault *fault_sprinkled(const struct world *w, uint32_t host,
                                    const struct fault_host **ret_host);

/* Where they live: a fault's site at 127.0.100.NN, its j-th host at 127.0.(100+j).NN, so that no
 * two faults share an address; the zoo at 127.0.99.1. By mood: an address where nobody listens, one
 * that answers no SYN, one that all hosts of F48 share, and the trap. */
enum fault_addresses {
    ADDRESS_OF_ZOO = 0x7f006301,
    ADDRESS_REFUSING = 0x7f005a01,
    ADDRESS_SILENT = 0x7f005a02,
    ADDRESS_OF_MANY = 0x7f005a03,
    ADDRESS_TRAP = 0x7f000001,
};
uint32_t fault_address(const struct fault *f, struct str label);

/* The address a sprinkled or own host has by its mood; `usual` where the mood is good. */
uint32_t mood_address(struct mood m, uint32_t usual);

/* The URL of a place of the same fault: its host by label, or the mount. The path has its '/'. */
void fault_url(const struct fault_query *q, const char *label, struct str path, struct buf *out);

/* The URL by world alone, for the oracle and the index of the fault's own hosts. */
void fault_place_url(const struct world *w, const struct fault *f, struct str label,
                     struct str path, struct buf *out);

/* The same over https, on which every host answers, whatever its row says. */
void fault_https_url(const struct world *w, const struct fault *f, struct str label,
                     struct str path, struct buf *out);

/* The whole life of a request to a fault's own host or below its mount: the fault's own answer, or
 * the defaults. Always answers. A sprinkled host fault is offered every request of its host through
 * f->answer alone (label = its row's, mount = ""); what it leaves is the ordinary host's. */
void fault_answer(const struct fault_query *q, struct reply *r);

/* The zoo's index page. */
void zoo_answer(const struct world *w, const struct request *request, struct reply *r);

#endif
