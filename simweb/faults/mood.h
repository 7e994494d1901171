/* SPDX-License-Identifier: Apache-2.0 */
/* mood: how a whole host misbehaves below HTTP: its name, its address, its TLS, its HTTP/2. */
#ifndef FAULTS_MOOD_H
#define FAULTS_MOOD_H

enum dns_mood {
    DNS_GOOD,
    DNS_NXDOMAIN,
    DNS_SERVFAIL,
    DNS_SILENT,     /* the query is read and never answered */
    DNS_SLOW,       /* answered right, after --drip */
    DNS_REBIND,     /* TTL 0: the right address the first time, then 127.0.0.1 */
    DNS_PRIVATE_10, /* 10.0.0.1 */
    DNS_PRIVATE_172,
    DNS_PRIVATE_192,
    DNS_LINK_LOCAL,   /* 169.254.169.254 */
    DNS_LOOPBACK,     /* 127.0.0.1, where the trap listens and nothing of the web is */
    DNS_ZERO,         /* 0.0.0.0 */
    DNS_MAPPED,       /* AAAA ::ffff:10.0.0.1 only */
    DNS_NAT64,        /* AAAA 64:ff9b::a00:1 only */
    DNS_UNIQUE_LOCAL, /* AAAA fd00::1 only */
    DNS_CNAME,        /* right, over a chain of three CNAMEs */
    DNS_CNAME_LOOP,
    DNS_MANY, /* 1000 A records, the right one first; truncated over UDP */
    DNS_TTL_ZERO,
    DNS_TTL_HUGE,        /* 2^31 - 1 and beyond */
    DNS_V6_TOO,          /* A and AAAA ::1; only where the machine has ::1 */
    DNS_DEAD_FIRST,      /* two A records: the first refuses, the second is right */
    DNS_MAPPED_LOOPBACK, /* AAAA ::ffff:127.0.0.1 only: the trap in IPv6 clothes */
    DNS_TRAP_SECOND,     /* two A records: the first refuses, the second is 127.0.0.1 */
    DNS_LIES,            /* answers with another question's name, or another id: must be ignored */
    DNS_MOODS_
};

enum address_mood {
    ADDRESS_GOOD,
    ADDRESS_REFUSES,   /* nobody listens: RST on SYN */
    ADDRESS_BLACKHOLE, /* SYN never answered */
    ADDRESS_SHARED,    /* one address for all such hosts (F48) */
    ADDRESS_MOODS_
};

enum tls_mood {
    TLS_GOOD,
    TLS_EXPIRED,
    TLS_WRONG_HOST,
    TLS_SELF_SIGNED,
    TLS_UNKNOWN_CA,
    TLS_STALL,           /* the handshake is never answered */
    TLS_ALERTS,          /* a storm of warning alerts, no handshake */
    TLS_OLD,             /* TLS 1.0 only */
    TLS_NO_CLOSE_NOTIFY, /* ends by FIN alone */
    TLS_NEEDS_SNI, /* without SNI: unrecognized_name alert; with it, the host's own certificate */
    TLS_MOODS_
};

enum h2_mood {
    H2_NONE, /* ALPN offers http/1.1 alone on this host */
    H2_GOOD,
    H2_GOAWAY,
    H2_RST_STREAM,
    H2_SETTINGS_FLOOD,
    H2_CONTINUATION_FLOOD,
    H2_HPACK_BOMB,
    H2_GOAWAY_EARLY, /* GOAWAY instead of an answer: the stream was not processed */
    H2_MOODS_
};

struct mood {
    enum dns_mood dns;
    enum address_mood address;
    enum tls_mood tls;
    enum h2_mood h2;
};

#endif
