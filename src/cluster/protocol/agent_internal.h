/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the agent share. No other file includes it.
 *
 * "We" and "our" in these files mean this agent. */
#ifndef CLUSTER_PROTOCOL_AGENT_INTERNAL_H
#define CLUSTER_PROTOCOL_AGENT_INTERNAL_H

#include "base/rng.h"
#include "cluster/protocol/agent.h"
#include "cluster/protocol/passes.h"
#include "cluster/wire/heartbeat.h"

enum {
    AGENT_MAX_CALLS = 256,
    AGENT_MAX_SUBJECT = 192,
    OUTBOX_USUAL_MOST = 1024, /* pages, and parcels; above it the outbox reads no further page */
    OUTBOX_WINDOW = 64,       /* appends open at a time */
    INBOX_MAX_UNCONFIRMED = 4096,
    TRANSFER_WINDOW = 256, /* messages read before all of them must be confirmed */
    LEASE_SENT = 32,
    AGENT_MAX_BOOTS = 16,
    BACKOFF_LEAST_MS = 5,
    RECEIPT_WORDS = 4, /* bits for batches that came out of order */
    DRY_POLLS = 10,    /* polls that find nothing although a message must be there */
    SMALL_STEPS = 64,  /* back in the roster's log, before the steps grow */
    /* before a message counts as lost, if the stream has copies that may differ */
    VERIFY_TRIES = 24,
};

/* Calls of the bus that have not ended. */
enum call_kind {
    CALL_NONE,
    CALL_LOG_NEXT,
    CALL_LOG_VERIFY,
    CALL_LOG_BACK,
    CALL_LOG_APPEND,
    CALL_PARCEL,
    CALL_INBOX_NEXT,
    CALL_INBOX_VERIFY,
    CALL_INBOX_END,
    CALL_SCAN,
    CALL_ADOPT_NEXT,
    CALL_ADOPT_END,
};
struct call {
    enum call_kind kind;
    uint64_t serial;
    void *what; /* of CALL_PARCEL: the parcel; NULL: it is gone */
};

/* One message of the roster's stream, as we have read it. */
struct log_message {
    uint64_t stamp_ms, hash;
    size_t at; /* in log.bytes: the writer's name, then the entry */
    uint32_t bytes;
    uint8_t writer_bytes;
    bool is_restore, counted;
};
struct log_reader {
    struct buf bytes;
    struct log_message *messages; /* [sequence - 1] */
    size_t count, cap;
    struct log_message
        *lost; /* we had read these, the servers lost them, and they are not back yet */
    size_t lost_count, lost_first;
    bool is_open; /* a call is open */
    /* after a new connection our last message must be found before we read on */
    bool is_unsure;
    uint64_t unsure_ms; /* since when is_unsure */
    unsigned tries;     /* answers that differ from our message, from copies that may differ */
    uint64_t back;      /* > 0: we compare backwards, and this message is next */
    unsigned steps;     /* back so far; they grow */
    uint64_t asked_ms;  /* when the open call began */
    /* since when the stream does not answer on this connection; 0: it answers */
    uint64_t silent_ms;
    uint64_t next_ms;
    bool is_wanted;     /* ask again as soon as the open call has ended */
    struct buf pending; /* the next entry, while we verify the one before it */
    uint64_t pending_stamp_ms;
    char pending_writer[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t append_ms; /* we append no restore before this */
    /* The log has more messages: an append of ours was acknowledged with number `wanted`; another
     * agent has read `heard` entries. 0: not known. */
    uint64_t wanted, heard;
};

struct lease {
    uint64_t n; /* of the next renewal */
    struct {
        uint64_t n, at_ms;
    } sent[LEASE_SENT];
    uint64_t join_ms;     /* when we first sent the join */
    bool is_held;         /* a renewal was read back */
    uint64_t sent_ms;     /* when the last renewal that was read back was sent */
    uint64_t confirmed;   /* n + 1 of that renewal */
    uint64_t needed;      /* `confirmed` must reach this before we fetch again */
    uint64_t next_ms;     /* when to send the next renewal */
    uint64_t calm_ms;     /* nothing has fenced us since */
    uint64_t last_now_ms; /* time of the last event or turn */
    bool is_aborted;
};

struct peer {
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc, boot;
    bool is_heard, has_acked_through; /* both since the last BUS_UP */
    struct heartbeat last;
    uint64_t heard_ms;
    uint64_t lease_number, lease_seen_ms;
    bool has_renewed; /* since we first read the roster to its end */
};
struct peers {
    uint64_t *heads;   /* heads of the names (names.h), so that a search touches nothing else */
    struct peer *list; /* sorted by name */
    size_t count, me;  /* index of our own row; `count`: we have none */
    size_t closed;     /* the row whose gates were closed at the last look; it is checked first */
    uint64_t most_finish_round; /* the highest round of finish.c that a peer has sent */
    uint64_t accuse_ms;         /* we accuse no peer before this */
    uint64_t accuse_look_ms;    /* no lease is too old before this; 0: not known */
    uint64_t anew_ms;           /* we reconnect for a missing loopback no earlier */
};

struct tally_row {
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc;
    uint64_t pages, bytes;               /* as last heard */
    uint64_t before_pages, before_bytes; /* of the disks that this agent has lost */
};
struct tally {
    struct tally_row *rows;
    size_t count, cap;
    uint64_t most_pages, most_bytes; /* the highest sum for all agents that a peer has sent */
};

/* The origin of the records in parcels: a page of the journal, or a transfer. It counts its
 * parcels. */
struct source {
    struct source *next;
    uint64_t position;
    uint32_t unacked, unconfirmed;
    bool is_page, is_former, has_outcome, is_outcome_sent, is_outcome_acked;
    bool is_fetched, is_told; /* untold.c */
    struct buf outcome;       /* records, encoded as a batch */
};

/* What we send to one receiver (links.c). */
struct link {
    struct link *next;
    char to[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t to_inc;
    uint64_t session, numbered; /* the last number given in this session */
    /* the receiver has all numbers up to `through`, and those whose bit is set in `above` */
    uint64_t through, above;
    uint64_t acked_through; /* the receiver's, as last heard */
    /* when the receiver last confirmed something; how long we wait before we send again */
    uint64_t moved_ms, wait_ms;
    size_t parcels;
    bool is_late;
};

enum parcel_is { PARCEL_RECORDS, PARCEL_OUT, PARCEL_HANDOVER_MARK };
struct parcel {
    struct parcel *next, *next_filling;
    enum parcel_is is;
    char to[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t to_inc;
    struct link *link;
    uint64_t number, sent_session; /* session in which it was last sent */
    unsigned missed;               /* how often the receiver read past it without having it */
    uint64_t passed_ms;            /* since when the receiver has read past it; 0: it has not */
    struct buf bytes;
    bool is_sealed, is_sent, is_acked, is_counted, has_generation;
    uint64_t sequence, generation;
    uint64_t retry_ms, backoff_ms;
    struct call *call;
    struct source **sources;
    size_t source_count, source_cap;
};
struct outbox {
    struct parcel *parcels, **tail;
    struct parcel *filling; /* all parcels that are not sealed, and some that are */
    uint64_t filling_ms;    /* since when `filling` is not empty */
    bool has_receipt_news;  /* receipts may have come since the parcels were last examined */
    bool has_unsent;        /* there are parcels that are not acknowledged */
    bool has_late;          /* a link is late */
    uint64_t look_ms;       /* of the next look at all pages */
    uint64_t sent;          /* batches that other agents' streams have acknowledged */
    struct link *links;
    size_t count, open;
    struct source *pages, **pages_tail;
    size_t page_count;
    uint64_t read_from; /* the outbox has read the journal up to here */
};

/* Pages that were fetched here and not yet told (untold.c). */
struct untold {
    uint64_t waiting; /* in the outbox, with an outcome that is not acknowledged */
    uint64_t read;    /* port_batch.pages of the last page that the outbox has read */
    bool is_read_known, is_paused;
};

struct unconfirmed {
    uint64_t sequence, position;
    size_t receipt;
    uint64_t session, number;
    bool has_foreign;
};
/* What has arrived in one session of a sender (receipts.c). */
struct receipt {
    char from[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t session, through;
    uint64_t above[RECEIPT_WORDS]; /* bit i stands for number through + 1 + i */
    uint64_t serial;
    bool is_said;
};
#define RECEIPTS_NONE SIZE_MAX
struct inbox {
    /* the generation may be announced when its position is durable */
    uint64_t generation, generation_position;
    uint64_t cursor, cursor_hash;
    uint64_t acked_through;
    bool is_doubted; /* the message at the cursor must be compared with cursor_hash */
    bool is_behind;  /* an end of ours got a number that we had already read */
    /* since when the stream is empty although an end of ours is not read (agent_is_dry) */
    uint64_t dry_ms;
    bool is_verified, is_open, is_verifying;
    uint64_t next_ms, verify_ms;
    bool is_wanted; /* ask again as soon as the open call has ended */
    /* the open call begins at this sequence; 0: its answer is not needed any more */
    uint64_t asked;
    struct unconfirmed *list; /* a ring buffer */
    size_t first, count;
    /* Serials of ends: wanted, appended, acknowledged, and read. */
    uint64_t end_wanted, end_sent, end_acked, end_read, end_sequence;
    bool is_end_open;
    uint64_t end_retry_ms;
    struct receipt *receipts;
    size_t receipt_count, receipt_cap, receipt_turn, receipt_again;
    uint64_t receipt_serial;
    unsigned verify_tries;
    /* > 0: a batch of a later epoch waits until renewal wait_epoch_n - 1 of ours is read back */
    uint64_t wait_epoch_n;
    struct record *mine, *foreign;
};

struct handover_mark {
    char holder[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc, epoch;
    uint64_t position; /* in the journal; the mark counts when it is durable */
    uint64_t durable_epoch;
};
/* An agent that was adopted after the last settled epoch: it still counts as a holder. */
struct former {
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc;
};
struct gates {
    struct former *formers;
    size_t former_count, former_cap;
    struct handover_mark *handover_marks;
    size_t count, cap;
    size_t looked; /* holders that have sent the mark we need, since the roster last changed */
    bool are_open; /* all gates, at this epoch */
};

enum handover_stage {
    HANDOVER_NONE,
    HANDOVER_DRAIN,
    HANDOVER_END,
    HANDOVER_FLUSH,
    HANDOVER_END_AGAIN,
    HANDOVER_SCAN,
    HANDOVER_WALK,
    HANDOVER_CONFIRM,
    HANDOVER_MARKS,
    HANDOVER_DONE,
};
struct handover {
    enum handover_stage stage;
    uint64_t epoch;
    uint64_t end, position, scan, scan_end, walk_at;
    uint64_t asked; /* the open call begins at this sequence */
    bool is_open;
    uint64_t retry_ms;
    uint64_t dry_ms; /* since when the stream is empty before the end of the scan */
    struct passes passes;
    struct source source, handover_marks;
};

struct adoptee {
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc;
    uint64_t cursor, noted; /* sequence that was read; sequence that was journalled */
    bool is_forwarded, is_end_sent, is_end_read, is_here;
    uint64_t nonce;
    uint64_t dry_ms; /* since when the stream is empty although our end is not read */
    struct passes passes;
    uint64_t handover_marks_epoch; /* the epoch for which the marks were sent */
    struct source source, handover_marks;
};
struct adoption {
    struct adoptee **list;
    size_t count, cap;
    struct adoptee *reading; /* the adoptee whose call is open; NULL: it was dropped meanwhile */
    bool is_open;
    unsigned in_window;
    uint64_t retry_ms, append_ms;
};

/* Publishes our own records again, after the servers lost our stream. */
struct republish {
    bool is_wanted;
    uint64_t walk_at;
    struct source source;
};

/* Which recrawl this agent works on (recrawls.c). */
struct recrawl {
    uint64_t number;   /* 0 is the first crawl */
    uint64_t before;   /* the recrawl that this agent worked on before */
    uint64_t id;       /* of port_recrawl, with which this recrawl began */
    uint64_t wall_ms;  /* a page done before this time, */
    uint64_t position; /* or journalled before this position, belongs to the recrawl `before` */
};

struct finish {
    uint64_t round, end, admitted;
    uint32_t quiet;
    bool is_said; /* this agent has said that it is idle in this round */
    bool is_finished;
    /* since when all living agents have said that the crawl is finished; 0: they have not */
    uint64_t everywhere_ms;
    uint64_t home_ms; /* since when all have said that they have heard that from all */
};

/* Another process with our name (namesake.c). */
struct namesake {
    bool is_heard;     /* in RETURN, a renewal of ours was read back */
    uint64_t heard_ms; /* when that was */
    /* while we are in the roster: the other process renews, and its renewals do not count */
    bool is_seen;
    unsigned renewals; /* of the other process that count, after ours was read back */
    uint64_t stamp_ms; /* of the first of those renewals */
    uint64_t before;   /* renewals up to this number are our own, from before we joined */
};

struct rhythm {
    bool is_quick; /* another agent waits for us, or we wait for another agent */
    struct heartbeat said;
    uint64_t said_ms;
    uint64_t news, news_said; /* entries of the roster that are not renewals: read, and announced */
    uint64_t wait_ms;         /* before the next look at our stream, if it was empty */
};

/* The processes of this incarnation, the oldest dropped first. */
struct boots {
    uint64_t list[AGENT_MAX_BOOTS];
    size_t count;
    uint64_t position; /* when it is durable, the newest boot may be announced */
};

/* What the operator wants of this agent and the roster does not say yet. */
struct wishes {
    bool leave, new_weight;
    uint32_t weight;
};

/* When this agent appends its own entries to the roster. */
struct own_entries {
    uint64_t next_ms;   /* the next join, settled, leave or gone comes no earlier */
    uint64_t settle_ms; /* when it says `settled`; 0: the epoch cannot be settled yet */
    uint64_t gone_end;  /* the end of its stream that it must read before it says `gone` */
};

struct calls {
    struct call list[AGENT_MAX_CALLS];
    size_t open;
    uint64_t serial;
};

/* Counters for the status. */
struct traffic {
    uint64_t heartbeats; /* the number of the last one */
    uint64_t next_heartbeat_ms;
    uint64_t appends, append_bytes, gets, says;
    uint64_t junk;       /* messages that were no batch, or whose sender was not the subject's */
    uint64_t sent_again; /* parcels that the receiver had not confirmed */
};

struct agent {
    char crawl[ROSTER_MAX_NAME_BYTES + 1], name[ROSTER_MAX_NAME_BYTES + 1];
    struct agent_settings settings;
    struct bus *bus;
    struct port *port;
    struct roster *roster;
    const struct roster_agent *me; /* our incarnation in the roster; NULL: it is not there */
    struct rng rng;
    enum agent_state state;
    enum rc failure;
    const char *why;
    bool is_connected, is_recalling;

    uint64_t now_ms, start_ms, due_ms;
    uint64_t inc, boot;
    uint64_t first_inc;    /* the incarnation with which this directory began; 0: none yet */
    uint64_t inc_position; /* journal position of `inc`: older batches are a former incarnation's */
    struct boots boots;
    uint64_t epoch; /* the last epoch that this agent has acted upon */
    struct wishes wishes;
    struct own_entries entries;
    bool is_log_read; /* the roster was read to its end, once */
    bool is_acted;    /* this agent has acted upon the whole roster, except for renewals */

    struct calls calls;
    struct traffic traffic;

    struct log_reader log;
    struct lease lease;
    struct peers peers;
    struct tally tally;
    struct outbox outbox;
    struct untold untold;
    struct inbox inbox;
    struct gates gates;
    struct handover handover;
    struct adoption adoption;
    struct republish republish;
    struct finish finish;
    struct recrawl recrawl;
    struct rhythm rhythm;
    struct namesake namesake;
};

/* ---- agent.c ---- */
/* Whether streams have several copies, which may differ. */
bool agent_has_copies(const struct agent *a);
/* Whether a message that must be in a stream was passed over. *since_ms: since when the stream is
 * empty (0: from now on). True when that has lasted long and the stream has copies that differ. */
bool agent_is_dry(const struct agent *a, uint64_t *since_ms);
void agent_fail(struct agent *a, enum rc rc, const char *why);
/* Our incarnation in the roster; NULL: we have not joined, or are dead and forgotten. */
const struct roster_agent *agent_me(const struct agent *a);
/* one of those that we have journalled */
bool agent_is_own_boot(const struct agent *a, uint64_t boot);
void agent_look_for_me(struct agent *a); /* call it after `inc` or the roster has changed */
/* the roster we have read has our incarnation and boot as living */
bool agent_is_living(const struct agent *a);
bool agent_is_in_ring(const struct agent *a, const char *name, uint64_t inc);
const struct roster_agent *agent_owner(const struct agent *a, uint64_t host_hash);
/* The agent that must get the record: the owner of its host, or the addressee of a RECORD_SHORTER
 * if that agent is in the ring. NULL: the ring is empty. */
const struct roster_agent *agent_receiver(const struct agent *a, const struct record *r);
bool agent_is_receiver(const struct agent *a, const struct record *r);
void agent_wake(struct agent *a, uint64_t at_ms); /* asks for a turn at that time */
void agent_roster_taken(struct agent *a, const struct roster_entry *e, struct str writer,
                        bool is_valid);
uint64_t agent_jitter(struct agent *a, uint64_t ms); /* a random time between ms and 2 * ms */
MUST_CHECK enum rc agent_note(struct agent *a, struct str fact);

/* ---- namesake.c: called for every entry of the roster ---- */
void namesake_taken(struct agent *a, const struct roster_entry *e, struct str writer,
                    bool is_valid);

/* ---- facts.c: writes facts as bytes, and reads them back ---- */
void fact_inc(struct buf *out, uint64_t inc);
void fact_boot(struct buf *out, uint64_t boot);
void fact_cursor(struct buf *out, const struct inbox *in);
void fact_handover_mark(struct buf *out, struct str holder, uint64_t inc, uint64_t epoch);
void fact_adopted(struct buf *out, const struct adoptee *d);
void fact_roster(struct buf *out, uint64_t stamp_ms, struct str writer, struct str entry);
void fact_cut(struct buf *out, uint64_t sequence);
void fact_recrawl(struct buf *out, const struct recrawl *t);
enum rc facts_recall(void *agent, uint64_t position, struct str fact);

/* ---- calls.c ---- */
MUST_CHECK enum rc agent_call_append(struct agent *a, enum call_kind kind, void *what,
                                     const char *subject, struct str payload, struct call **ret);
MUST_CHECK enum rc agent_call_get(struct agent *a, enum call_kind kind, const char *stream,
                                  uint64_t sequence, const char *subject);
enum call_kind agent_call_end(struct agent *a, uint64_t ticket, void **ret_what);
const char *agent_subject_stream(const struct agent *a, const char *owner, char *room);
const char *agent_subject_inbox(const struct agent *a, const char *to, uint64_t inc,
                                const char *src, char *room);
const char *agent_subject_out(const struct agent *a, char *room);
const char *agent_subject_all_of(const struct agent *a, const char *owner, uint64_t inc,
                                 char *room);
const char *agent_subject_roster(const struct agent *a, const char *writer, char *room);
const char *agent_subject_heartbeat(const struct agent *a, const char *name, char *room);
struct str agent_subject_last(struct str subject); /* the token behind the last dot */

/* ---- log.c ---- */
void roster_log_turn(struct agent *a);
void roster_log_done(struct agent *a, enum call_kind kind, const struct bus_event *e);
void roster_log_soon(struct agent *a);
/* another agent has read that many entries */
void roster_log_heard(struct agent *a, uint64_t length);
void roster_log_reconnected(struct agent *a);
/* Keeps and folds the next message: from the journal at the start, later from the stream. */
MUST_CHECK enum rc roster_log_take(struct agent *a, uint64_t stamp_ms, struct str writer,
                                   struct str entry);
/* The servers have lost the messages behind `sequence`: puts them aside and folds the rest anew. */
MUST_CHECK enum rc roster_log_cut(struct agent *a, uint64_t sequence);
bool roster_log_is_whole(const struct agent *a); /* no message is known to be lost */
/* How long the stream has not answered although a server is connected: the stream is missing, or
 * too few servers run. */
uint64_t roster_log_silent_ms(const struct agent *a, uint64_t now_ms);
/* False: it cannot be appended now. */
bool roster_log_append(struct agent *a, const struct roster_entry *e);
void roster_log_free(struct agent *a);

/* ---- lease.c ---- */
void lease_turn(struct agent *a);
void lease_fence(struct agent *a);
void lease_read_back(struct agent *a, uint64_t n);
void lease_joined(struct agent *a);
bool lease_is_good(const struct agent *a, uint64_t now_ms);
/* true: the clock has jumped, and we are fenced */
bool lease_look(struct agent *a, uint64_t now_ms);
uint64_t lease_age_ms(const struct agent *a, uint64_t now_ms);

/* ---- tally.c: does nothing if the port has no budgets ---- */
void tally_heard(struct agent *a, const char *name, const struct heartbeat *h,
                 const struct heartbeat_lists *l);
void tally_say(struct agent *a, struct heartbeat *h, struct heartbeat_lists *l);

/* ---- detector.c ---- */
void detector_turn(struct agent *a);
void detector_heard(struct agent *a, struct str name, struct str payload);
void detector_roster(struct agent *a);
/* only the lease or boot of that agent changed */
void detector_renewed(struct agent *a, struct str name);
void detector_reconnected(struct agent *a);
struct peer *detector_find(struct agent *a, const char *name, uint64_t inc);
/* Whether all living agents have said that they have read the roster up to that epoch. */
bool detector_all_at(struct agent *a, uint64_t epoch);
/* The same, and that all their gates are open at it. */
bool detector_all_open(struct agent *a, uint64_t epoch);
void detector_say(struct agent *a);
void detector_listen(struct agent *a); /* connects anew if there is no loopback */
/* We are connected and send heartbeats, but have not heard our own for the roster's `fence`. */
bool detector_has_no_loopback(const struct agent *a, uint64_t now_ms);

/* ---- rhythm.c ---- */
void rhythm_turn(struct agent *a);
uint64_t rhythm_soon_ms(const struct agent *a); /* between two heartbeats that carry news */
/* until the next look at the roster, if it had no news */
uint64_t rhythm_log_ms(const struct agent *a);
uint64_t rhythm_inbox_ms(struct agent *a); /* the same for our own stream */
void rhythm_inbox_soon(struct agent *a);
void rhythm_heard(struct agent *a, const struct heartbeat *before, const struct heartbeat *now);
bool rhythm_may_say(struct agent *a, const struct heartbeat *now);
void rhythm_said(struct agent *a, const struct heartbeat *h);
void rhythm_hurry(
    struct agent *a); /* asks for a sync of the journal if another agent waits for it */

/* ---- outbox.c ---- */
void outbox_turn(struct agent *a);
void outbox_put(struct agent *a, const struct record *r, struct source *s);
void outbox_handover_mark(struct agent *a, const char *to, uint64_t to_inc, struct str holder,
                          uint64_t holder_inc, struct source *s);
void outbox_done(struct agent *a, struct parcel *p, const struct bus_event *e);
void outbox_epoch(struct agent *a);
void outbox_reconnected(struct agent *a);
void outbox_reset(struct agent *a);
/* its parcels stay and lose this source */
void outbox_forget_source(struct agent *a, struct source *s);
uint64_t outbox_acked_through(const struct agent *a);
uint64_t outbox_released_through(const struct agent *a);
bool outbox_is_empty(struct agent *a);
bool outbox_has_room(const struct agent *a);

/* ---- untold.c ---- */
void untold_read(struct agent *a, struct source *s, const struct port_batch *b);
void untold_set(struct agent *a, struct source *s, bool is_told);
void untold_reset(struct agent *a); /* the outbox is empty and will be read again */
uint64_t untold_count(const struct agent *a);
bool untold_is_paused(const struct agent *a);
bool untold_presses(const struct agent *a); /* more than half of the bound is used */

/* ---- links.c ---- */
MUST_CHECK bool link_add(struct agent *a, struct parcel *p); /* false: no memory */
void link_remove(struct parcel *p);
void link_heard(struct agent *a, const struct peer *p, const struct heartbeat_lists *lists);
bool link_has(struct agent *a, const struct parcel *p); /* the receiver has confirmed the parcel */
/* The receiver has read its stream up to `acked_through` without confirming the parcel: sends it
 * again if that has lasted. */
void link_look(struct agent *a, struct parcel *p, uint64_t acked_through);
void link_renew(struct agent *a, const struct peer *p); /* the receiver runs in a new process */
void link_wait(struct agent *a, struct parcel *p);      /* the receiver was not heard lately */
/* the parcel is dropped: its number will never arrive */
void link_lost(struct agent *a, struct parcel *p);
void links_turn(struct agent *a);
void links_tidy(struct agent *a); /* the ring has changed */
void links_free(struct agent *a);

/* ---- receipts.c ---- */
size_t receipts_of(struct agent *a, struct str from,
                   uint64_t session); /* RECEIPTS_NONE: no memory */
void receipts_add(struct agent *a, size_t index, uint64_t session, uint64_t number);
/* A session number names its sender, so that an agent cannot confirm batches of another. */
uint64_t receipts_session(struct str from, uint32_t number);
bool receipts_fit(struct str from, uint64_t session);
bool receipts_same_sender(uint64_t session, uint64_t other);
/* What has arrived in a session; false: nothing. */
bool receipts_find(const struct agent *a, struct str from, uint64_t session,
                   struct heartbeat_receipt *ret);
void receipts_say(struct agent *a, struct heartbeat_lists *out);

/* ---- inbox.c ---- */
MUST_CHECK enum rc inbox_init(struct agent *a);
void inbox_turn(struct agent *a);
void inbox_done(struct agent *a, enum call_kind kind, const struct bus_event *e);
void inbox_reconnected(struct agent *a);
void inbox_reset(struct agent *a); /* a new incarnation begins */
/* Reads the stream from its first message again. The caller journals the new cursor. */
void inbox_read_again(struct agent *a);
uint64_t inbox_want_end(struct agent *a);
/* The journal position up to which we must forward records so that acked_through can advance; 0: it
 * waits for no record. */
uint64_t inbox_must_forward(const struct agent *a);
void inbox_free(struct agent *a);

/* ---- gates.c ---- */
void gates_handover_mark(struct agent *a, struct str holder, uint64_t inc, uint64_t epoch,
                         uint64_t position);
void gates_look(struct agent *a);
void gates_look_anew(struct agent *a); /* the roster has changed */
bool gates_are_open(const struct agent *a, uint64_t host_hash);
/* Whether a durable handover mark of that holder is here, for that epoch or a later one. */
bool gates_is_marked(const struct agent *a, const struct roster_agent *holder, uint64_t epoch);
void gates_reset(struct agent *a);
void gates_free(struct agent *a);
void gates_roster(struct agent *a, const struct roster_entry *e);
/* All agents that may be holders since the last settled epoch, by index; NULL: no more. */
const struct roster_agent *gates_holder(const struct agent *a, size_t i);

/* ---- recrawls.c ---- */
void recrawls_start(struct agent *a); /* after the roster was read */
/* an empty crawl takes the roster's recrawl number */
void recrawls_anew(struct agent *a, struct buf *fact);
void recrawls_join(struct agent *a); /* the same, before it joins */
/* announces a recrawl that the roster does not have */
void recrawls_turn(struct agent *a);
/* stops the agent if it is behind the roster */
void recrawls_look(struct agent *a);
bool recrawls_is_in(const struct agent *a); /* our recrawl number is the roster's */
/* sets the recrawl number of a record of ours */
void recrawls_stamp(const struct agent *a, struct record *r, uint64_t position);
/* Adapts a record that has arrived to this recrawl; false: it is of no use. */
bool recrawls_takes(const struct agent *a, struct record *r);
void recrawls_recall(struct agent *a, uint64_t position, uint64_t number, uint64_t id,
                     uint64_t wall_ms);

/* ---- handover.c (with republish), adoption.c, finish.c ---- */
void handover_epoch(struct agent *a);
void handover_turn(struct agent *a);
void handover_done(struct agent *a, const struct bus_event *e);
void republish_turn(struct agent *a);
void adoption_roster(struct agent *a);
void adoption_turn(struct agent *a);
void adoption_done(struct agent *a, enum call_kind kind, const struct bus_event *e);
void adoption_recall(struct agent *a, struct str name, uint64_t inc, uint64_t cursor);
void adoption_free(struct agent *a);
void finish_turn(struct agent *a);
bool finish_is_idle(struct agent *a);
bool finish_is_everywhere(const struct agent *a);
bool finish_may_go(const struct agent *a, uint64_t now_ms);

#endif
