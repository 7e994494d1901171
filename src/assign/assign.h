/* SPDX-License-Identifier: Apache-2.0 */
/* assign: which agent is responsible for a host, a URL, an address or a domain.
 *
 *     struct assign_agent agents[] = {{STR("ant"), ASSIGN_WEIGHT_ONE}, {STR("bee"), 32}};
 *     const struct assign_kind *kind = assign_kind_find(STR("ring"));
 *     struct assign *a;
 *     rc = assign_open(kind, NULL, agents, 2, epoch, NULL, &a);
 *     struct assign_key key = {.host = STR("example.org")};
 *     rc = assign_owner(a, &key, &at);       a->agents[at].name is responsible
 *
 * An assignment is built from the list of living agents at one roster epoch and then asked. No
 * message is needed to find an owner: every agent that knows the list computes the same.
 *
 *   name          asks for  order of the list  agents join or leave
 *   ring          host      does not matter    only the newcomer gains, only the dead lose
 *   rendezvous    host      does not matter    the same
 *   address       ip        does not matter    the same; one /24 (IPv6: /48) goes to one agent
 *   modulo        url       is the numbering   nearly everything moves (kept for comparison)
 *   domain-table  domain    does not matter    what is assigned stays, until its client is gone
 *
 * ring, rendezvous, address and modulo never change after assign_open: any number of threads may
 * ask. domain-table remembers its answers: one thread at a time.
 *
 * Hashes, points and scores are integers and the same on every machine. */
#ifndef ASSIGN_ASSIGN_H
#define ASSIGN_ASSIGN_H

#include "base/str.h"

enum {
    ASSIGN_MAX_AGENTS = 4096,
    ASSIGN_MAX_NAME_BYTES = 255,
    /* Capacity is counted in steps: an ordinary agent has 64, half an agent 32; with 0 an agent
     * owns nothing (it is being emptied, or its disk is full). In a domain-table such an agent
     * keeps what it has and gets nothing new. */
    ASSIGN_WEIGHT_ONE = 64,
    ASSIGN_MAX_WEIGHT = 64 * 64,
    /* The ring: points of an agent of weight one, and probes per host; docs/assign.md derives them
     * from the balance that is required. They are part of the protocol: all agents of a crawl have
     * the same. */
    ASSIGN_POINTS = 3072,
    ASSIGN_PROBES = 3,
    ASSIGN_MAX_PROBES = 8,
    /* Points of all agents together, 15 bytes each and 32 more while building; past it assign_open
     * returns RC_LIMIT. The 3,072 of an ordinary agent take 46 KB, those of a hundred agents 4.6
     * MB. */
    ASSIGN_MAX_POINTS = 1 << 24,
};

struct assign_agent {
    struct str name; /* unique; 1 to ASSIGN_MAX_NAME_BYTES bytes */
    uint32_t weight; /* capacity, in steps; 0 to ASSIGN_MAX_WEIGHT */
    uint32_t zone;   /* its region, for the policy "geography"; 0: not given */
};

/* An IPv4 (4 bytes) or IPv6 (16 bytes) address in network order; bytes 0: absent. */
struct assign_ip {
    uint8_t at[16];
    uint8_t bytes;
};

/* The key to find the owner of. Only the field that the kind asks for is read. */
struct assign_key {
    struct str host;     /* lower case, without port, as the URL parser gives it */
    uint64_t host_hash;  /* hash64(host), read if host is absent: saves hashing twice */
    struct str url;      /* the whole URL */
    struct str domain;   /* the registrable domain */
    uint32_t zone;       /* the region of that domain, for "geography"; 0: not known */
    struct assign_ip ip; /* of the host; an IPv4 address mapped into IPv6 counts as IPv4 */
};

enum assign_by { ASSIGN_BY_HOST, ASSIGN_BY_URL, ASSIGN_BY_ADDRESS, ASSIGN_BY_DOMAIN };

struct domain_policy; /* assign/domain_table.h */

/* NULL or zeroes stand for the defaults. */
struct assign_options {
    uint32_t points; /* ring, address: ASSIGN_POINTS */
    uint32_t probes; /* ring, address: ASSIGN_PROBES; 1 makes the plain ring of the paper */
    /* domain-table: the policy (least-loaded), the domains it remembers (1,000,000), its seed */
    const struct domain_policy *policy;
    uint32_t max_domains;
    uint64_t seed;
};

/* Why a list was refused with RC_EXISTS: two agents have one name, or one of their points is the
 * same. The younger of the two must take another name. Names are borrowed from the list, in byte
 * order. */
struct assign_conflict {
    struct str first, second;
    uint64_t point; /* the common point; for equal names, the name's hash */
};

struct assign_kind;

/* Anyone may read it; only the calls below change it. */
struct assign {
    const struct assign_kind *kind;
    struct assign_agent *agents; /* a copy of the list, in its order */
    uint32_t agent_count;
    uint64_t epoch; /* as given to assign_open */
    void *state;    /* the kind's own */
};

/* The kinds in the order of the table above; ends with NULL. */
extern const struct assign_kind *const assign_kinds[];

/* The kind of that name, or NULL. */
const struct assign_kind *assign_kind_find(struct str name);
const char *assign_kind_name(const struct assign_kind *kind);
const char *assign_kind_help(const struct assign_kind *kind); /* one line */
enum assign_by assign_kind_by(const struct assign_kind *kind);

/* Builds an assignment. Nothing is borrowed from the list. RC_INVALID: no agent, none with a weight
 * above 0, a name or weight outside its bounds; RC_LIMIT: too many agents or points; RC_EXISTS: a
 * conflict, described in *ret_conflict (which may be NULL). On failure *ret_assign is untouched. */
MUST_CHECK enum rc assign_open(const struct assign_kind *kind, const struct assign_options *options,
                               const struct assign_agent *agents, uint32_t agent_count,
                               uint64_t epoch, struct assign_conflict *ret_conflict,
                               struct assign **ret_assign);
void assign_close(struct assign *a);

/* Changes the assignment to another list: domain-table keeps what it remembers, the other kinds are
 * opened anew with `options`. On failure (as assign_open) `a` answers as before. No other thread
 * may ask meanwhile; if one does, open a second assignment and exchange the pointers. */
MUST_CHECK enum rc assign_change(struct assign *a, const struct assign_options *options,
                                 const struct assign_agent *agents, uint32_t agent_count,
                                 uint64_t epoch, struct assign_conflict *ret_conflict);

/* *ret_agent is the index in a->agents of the responsible agent. RC_INVALID: the key lacks what the
 * kind asks for. RC_NOMEM: domain-table only. ring and rendezvous cannot fail. */
MUST_CHECK enum rc assign_owner(const struct assign *a, const struct assign_key *key,
                                uint32_t *ret_agent);

#endif
