/* SPDX-License-Identifier: Apache-2.0 */
/* link: a reference as a page writes it, and the URL that the crawl makes of it. */
#ifndef SCOPE_LINK_H
#define SCOPE_LINK_H

#include "host/bring.h"

/* A reference as read found it. */
struct link_reference {
    struct str raw;
    struct str context; /* "a/@href", for the archive; may be absent */
    struct str anchor;  /* its text, where focus asks for it */
    char hop;           /* enum hop_kind */
    bool is_unwanted;   /* by focus: the archive lists it, and the crawl does not follow it */
    uint16_t worth;     /* by focus, with --order topic: its score (order/pvalue.h) */
};

/* The URL of a reference. Its texts are in the arena of the page or the list that it is from. */
struct found_link {
    struct str href; /* normalised */
    struct str host, path;
    struct str seed_path;
    struct str context;
    uint64_t fingerprint, host_hash;
    uint64_t via; /* fingerprint of the page it is from; 0 = none */
    uint16_t port;
    bool is_https;
    bool is_wanted;   /* in scope and within limits: it goes to the frontier */
    bool is_seed;     /* or a seed redirects to it */
    char hop;         /* enum hop_kind */
    uint16_t worth;   /* the reference's; of several to one URL the first's */
    uint16_t forward; /* of a URL that is requeued: links that it had, and 1; 0 = not known */
};

/* The links of one page or one list. */
struct found_links {
    struct found_link *list;
    size_t count;
    bool are_of_page;                   /* and not of a list */
    bool are_revisits;                  /* they were asked for before */
    uint32_t left_out[BRING_VERDICTS_]; /* over what the host of the page may bring */
};

#endif
