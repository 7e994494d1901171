/* SPDX-License-Identifier: Apache-2.0 */
/* wiring: which parts there are, with which settings, and what is connected to what.
 *
 * Read from YAML that a person wrote (docs/flow.md describes it):
 *
 *     name: grep
 *     shards: 2
 *     components:
 *       lines:
 *       match: {contains: cat}
 *       write: {file: cats.txt}
 *     connections:
 *       - lines -> match: {queue: 1000, route: hash}
 *       - match -> write: {queue: 1000}
 *
 * A wiring that wiring_read() gives out has passed every check and can be run (flow.h). It does
 * not change and may be run many times, also at once. */
#ifndef FLOW_WIRING_H
#define FLOW_WIRING_H

#include "flow/catalog.h"
#include "flow/part.h"
#include "flow/pool_options.h"
#include "flow/problems.h"

#include "net/link.h"

#include <limits.h>

enum {
    WIRING_MAX_BYTES = 256 << 10,
    WIRING_MAX_SHARDS = 256,
    WIRING_MAX_PARTS = 200, /* components; the same number of providers */
    WIRING_MAX_CONNECTIONS = 1000,
    WIRING_MAX_QUEUE = 1 << 20,
    WIRING_MAX_PLACES = 32,
    POOL_MAX_CUTS = 8, /* connections between a manager and its pool, each way */
    WIRING_ALL_SHARDS = -1,
};
#define WIRING_NOWHERE UINT_MAX

/* A process of its own that a wiring can be cut over (docs/remote.md). */
struct wiring_place {
    struct str name, address;  /* NUL behind each; a pool has no address */
    struct pool_options *pool; /* NULL: one process */
    unsigned line, column;
};

/* A component or a provider as the wiring names it. */
struct wiring_part {
    struct str name; /* a component's own, a provider's role; NUL behind it */
    const struct part *part;
    void *settings;   /* part->settings_bytes, filled; NULL without options */
    int shard;        /* the one it lives on, or WIRING_ALL_SHARDS */
    uint32_t credits; /* sources: how much may be under way from one instance */
    unsigned *needs;  /* for each of part->needs: the provider's index in the list, or
                         WIRING_NOWHERE: it is elsewhere or absent, and the part spares it */
    unsigned place;   /* a component's: where it stands; 0 in a wiring without places */
    unsigned line, column;
};

enum wiring_route { ROUTE_UNSAID, ROUTE_SAME, ROUTE_HASH };

struct wiring_connection {
    unsigned from, outlet; /* component and index in its part's table */
    unsigned to, inlet;
    size_t queue_length; /* 0 = a direct call */
    enum wiring_route route;
    bool spills;
    /* To a pool: the component and inlet for messages that a member will not answer; WIRING_NOWHERE. */
    unsigned lost, lost_inlet;
    const struct message_type *type; /* if it leads from a place to another; else NULL */
    unsigned line, column;
};

struct wiring {
    struct str name;
    unsigned shards;
    struct wiring_part *providers;
    unsigned provider_count;
    struct wiring_part *components;
    unsigned component_count;
    struct wiring_connection *connections;
    unsigned connection_count;
    struct wiring_place *places;
    unsigned place_count; /* 0: it cannot be cut */
    struct arena *arena;
    struct library *libraries; /* shared objects it uses */
};

/* Reads and checks `text`; `file` is named in messages, and paths of shared objects are relative
 * to its folder. RC_INVALID comes with at least one line in `problems`, everything that could be
 * found in one go. On RC_OK *ret_wiring is the caller's (wiring_close), the catalogue borrowed. */
MUST_CHECK enum rc wiring_read(struct str text, const char *file, const struct catalog *catalog,
                               struct wiring **ret_wiring, struct problems *problems);

/* The same from a file. A file that cannot be read is a problem too. */
MUST_CHECK enum rc wiring_load(const char *file, const struct catalog *catalog,
                               struct wiring **ret_wiring, struct problems *problems);
void wiring_close(struct wiring *w);

/* The component or provider that the wiring names so; a component that has the name of its part can
 * also be named by the part's former name (part.h). NULL: none; then `near` has tried every name.
 */
struct wiring_part *wiring_find(const struct wiring *w, struct str name, struct nearest *near);

/* Sets an option of a part before the wiring runs: "http.idle-timeout=5s", the part by its name or
 * role in the wiring. RC_NOT_FOUND (no such part or key), RC_INVALID; `why`. */
MUST_CHECK enum rc wiring_set(struct wiring *w, struct str assignment, struct buf *why);

/* How the processes of a wiring know each other. */
struct pool_login {
    struct str name, secret;     /* of a member: its key */
    struct link_address manager; /* where a member dials; port 0: as the wiring says */
    /* Of a manager: the key of a member by its name, which may be asked on any thread; false: there is none. */
    struct link_keys keys;
    /* Of a manager: whether what the member packed is joined to the archive unseen. `ctx` is that of `keys`.
     * Any thread; NULL: no member is trusted. */
    bool (*trusts)(void *ctx, struct str name);
};
struct place_login {
    struct str secret; /* what all places know (net/link.h) */
    struct pool_login pool;
};

/* Leaves what stands at `place`, ready to be run: parts that stand elsewhere go, connections to and
 * from them become remote ones (remote.h, pool_internal.h). Without a pool shards become one. What
 * `login` points to stays. Once, after wiring_set(). RC_NOT_FOUND, RC_INVALID: `why`. */
MUST_CHECK enum rc wiring_cut(struct wiring *w, struct str place, const struct place_login *login,
                              struct buf *why);

/* Whether a place of the wiring is a pool; *ret_at: which. */
bool wiring_has_pool(const struct wiring *w, unsigned *ret_at);

/* The graph for a person, and for graphviz. */
void wiring_print(const struct wiring *w, struct buf *out);
void wiring_print_dot(const struct wiring *w, struct buf *out);

/* For wiring_cut(): parts, places and connections only, the same at every place. */
void wiring_print_graph(const struct wiring *w, struct buf *out);

unsigned part_port_count(const struct part_port *ports);
bool part_spares(const struct part *part, const char *role);

/* For wiring_read(): what is wrong with the graph as a whole. */
MUST_CHECK enum rc wiring_check(struct wiring *w, const struct catalog *catalog,
                                struct problems *problems);
/* And with its places, once everything else is in order. */
MUST_CHECK enum rc wiring_check_places(struct wiring *w, const struct catalog *catalog,
                                       struct problems *problems);

#endif
