/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the agent share. Nobody else includes it. */
#ifndef CLUSTER_INSIDE_H
#define CLUSTER_INSIDE_H

#include "base/rng.h"
#include "cluster/agent.h"
#include "cluster/heartbeat.h"
#include "cluster/passes.h"

enum {
    AGENT_MAX_CALLS = 256,
    AGENT_MAX_SUBJECT = 192,
    OUTBOX_USUAL_MOST = 1024, /* pages and parcels; past it no further page is read */
    OUTBOX_WINDOW = 64,       /* appends open at a time */
    INBOX_MAX_UNFLOORED = 4096,
    TRANSFER_WINDOW = 256, /* messages read before everything is floored */
    LEASE_SENT = 32,
    AGENT_MAX_BOOTS = 16,
    BACKOFF_LEAST_MS = 5,
    RECEIPT_WORDS = 4, /* of batches that came out of order */
    DRY_POLLS = 10,    /* looks in vain for something that must be there */
    SMALL_STEPS = 64,  /* back in the roster, before they grow */
    VERIFY_TRIES = 24, /* before something is taken for lost, if there are copies that may differ */
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
    void *what; /* of CALL_PARCEL; NULL: the parcel is gone */
};

/* One message of the roster's stream as we have it. */
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
        *lost; /* had been read, and was lost with the servers' disks; not back yet */
    size_t lost_count, lost_first;
    bool is_open;       /* a call is */
    bool is_unsure;     /* connected anew: our last message must be found before anything else */
    uint64_t unsure_ms; /* since when */
    unsigned tries;     /* answers other than what we have, from copies that may differ */
    uint64_t back;      /* > 0: comparing backwards, this message is next */
    unsigned steps;     /* back so far: the longer it takes, the longer they are */
    uint64_t asked_ms;  /* the call that is open */
    uint64_t silent_ms; /* since when the stream answers nothing, on this connection; 0: it does */
    uint64_t next_ms;
    bool is_wanted;     /* when the call that is open has ended, another at once */
    struct buf pending; /* the next entry while the last one is verified */
    uint64_t pending_stamp_ms;
    char pending_writer[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t append_ms; /* no restore is appended before */
    /* There is more: a message of ours was acknowledged with that number; others have read an entry
     * of that one. 0: nothing is known. */
    uint64_t wanted, heard;
};

struct lease {
    uint64_t n; /* of the next renewal */
    struct {
        uint64_t n, at_ms;
    } sent[LEASE_SENT];
    uint64_t join_ms;     /* when the join was sent first */
    bool is_held;         /* one was read back */
    uint64_t sent_ms;     /* when the last one read back was sent */
    uint64_t confirmed;   /* its n + 1 */
    uint64_t needed;      /* confirmed must reach this before anything starts again */
    uint64_t next_ms;     /* to send one */
    uint64_t calm_ms;     /* since then nothing has fenced us */
    uint64_t last_now_ms; /* of the last event or turn */
    bool is_aborted;
};

struct peer {
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc, boot;
    bool is_heard, has_floor; /* since the last BUS_UP */
    struct heartbeat last;
    uint64_t heard_ms;
    uint64_t lease_number, lease_seen_ms;
    bool has_renewed; /* since we had read the roster to its end for the first time */
};
struct peers {
    uint64_t *heads;         /* of their names (names.h): looking for one touches nothing else */
    struct peer *list;       /* in the order of names */
    size_t count, me;        /* our own row; count: there is none */
    size_t closed;           /* whose gates were not open when we looked last: it is asked first */
    uint64_t most_round;     /* of finish.c, that anybody heard speaks of */
    uint64_t accuse_ms;      /* no earlier */
    uint64_t accuse_look_ms; /* nobody can be too old before; 0: not known */
    uint64_t anew_ms;        /* before that we have tried enough to hear again */
};

struct tally_row {
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc;
    uint64_t pages, bytes;               /* its last word */
    uint64_t before_pages, before_bytes; /* of disks that it has lost */
};
struct tally {
    struct tally_row *rows;
    size_t count, cap;
    uint64_t most_pages, most_bytes; /* that anybody believed all to have used */
};

/* Whose records parcels carry: a page of the journal, or a transfer. Counts the parcels. */
struct source {
    struct source *next;
    uint64_t position;
    uint32_t unacked, unfloored;
    bool is_page, is_former, has_outcome, is_outcome_sent, is_outcome_acked;
    bool is_fetched, is_told; /* untold.c */
    struct buf outcome;       /* records, encoded as a batch */
};

/* To one receiver (links.c). */
struct link {
    struct link *next;
    char to[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t to_inc;
    uint64_t session, numbered; /* the last number given in it */
    uint64_t through, above;    /* the receiver has all up to this one, and those */
    uint64_t floor;             /* of the receiver's, as last heard */
    uint64_t moved_ms, wait_ms; /* since then nothing; after that long, once more */
    size_t parcels;
    bool is_late;
};

enum parcel_is { PARCEL_RECORDS, PARCEL_OUT, PARCEL_MARK };
struct parcel {
    struct parcel *next, *next_filling;
    enum parcel_is is;
    char to[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t to_inc;
    struct link *link;
    uint64_t number, sent_session; /* which was sent last */
    unsigned missed;               /* how often that was so */
    uint64_t passed_ms; /* since when the receiver has read further, and does not have it; 0: no */
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
    struct parcel *filling; /* those that are not sealed, and some that are */
    uint64_t filling_ms;    /* since when there are some */
    bool has_floors;        /* some may have risen since they were looked at */
    bool has_unsent;        /* parcels to be sent, or that wait for it */
    bool has_late;          /* some link is */
    uint64_t look_ms;       /* the next look at all pages */
    uint64_t sent;          /* batches acknowledged by others' streams */
    struct link *links;
    size_t count, open;
    struct source *pages, **pages_tail;
    size_t page_count;
    uint64_t read_from; /* the journal is read up to here */
};

/* Of pages that were fetched here (untold.c). */
struct untold {
    uint64_t waiting; /* in the outbox, outcome not acknowledged */
    uint64_t read;    /* port_batch.pages of the last one that the outbox has read */
    bool is_read_known, is_paused;
};

struct unfloored {
    uint64_t sequence, position;
    size_t receipt;
    uint64_t session, number;
    bool has_foreign;
};
/* Of one session of a sender (receipts.c). */
struct receipt {
    char from[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t session, through;
    uint64_t above[RECEIPT_WORDS]; /* bit i: through + 1 + i */
    uint64_t serial;
    bool is_said;
};
#define RECEIPTS_NONE SIZE_MAX
struct inbox {
    uint64_t generation, generation_position; /* durable there, it may be said */
    uint64_t cursor, cursor_hash;
    uint64_t floor;
    bool is_doubted; /* what is at the cursor must be compared */
    bool is_behind;  /* an end of ours got a number that we had read already */
    uint64_t dry_ms; /* since when there is nothing, though an end was not read (agent_is_dry) */
    bool is_verified, is_open, is_verifying;
    uint64_t next_ms, verify_ms;
    bool is_wanted; /* when the call that is open has ended, another at once */
    uint64_t asked; /* the call that is open begins here; 0: its answer is of no use any more */
    struct unfloored *list; /* ring */
    size_t first, count;
    /* Ends: wanted, appended (acknowledged) and read, by serial. */
    uint64_t end_wanted, end_sent, end_acked, end_read, end_sequence;
    bool is_end_open;
    uint64_t end_retry_ms;
    struct receipt *receipts;
    size_t receipt_count, receipt_cap, receipt_turn, receipt_again;
    uint64_t receipt_serial;
    unsigned verify_tries;
    uint64_t wait_epoch_n; /* a batch of a later epoch: read it when our renewal n is back; + 1 */
    struct record *mine, *foreign;
};

struct mark {
    char holder[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc, epoch;
    uint64_t position; /* of the journal: it counts when durable */
    uint64_t durable_epoch;
};
/* Adopted, and not settled since: still a holder. */
struct former {
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc;
};
struct gates {
    struct former *formers;
    size_t former_count, former_cap;
    struct mark *marks;
    size_t count, cap;
    size_t looked; /* so many holders have sent what is needed; the roster has not changed since */
    bool are_open; /* all, at this epoch */
};

enum handover_stage {
    HANDOVER_NONE,
    HANDOVER_DRAIN,
    HANDOVER_END,
    HANDOVER_FLUSH,
    HANDOVER_END_AGAIN,
    HANDOVER_SCAN,
    HANDOVER_WALK,
    HANDOVER_FLOOR,
    HANDOVER_MARKS,
    HANDOVER_DONE,
};
struct handover {
    enum handover_stage stage;
    uint64_t epoch;
    uint64_t end, position, scan, scan_end, token;
    uint64_t asked; /* the call that is open begins here */
    bool is_open;
    uint64_t retry_ms;
    uint64_t dry_ms; /* since when there is nothing before the end of the scan */
    struct passes passes;
    struct source source, marks;
};

struct adoptee {
    char name[ROSTER_MAX_NAME_BYTES + 1];
    uint64_t inc;
    uint64_t cursor, noted; /* read to; journalled */
    bool is_forwarded, is_end_sent, is_end_read, is_here;
    uint64_t nonce;
    uint64_t dry_ms; /* since when there is nothing, though our end was not read */
    struct passes passes;
    uint64_t marks_epoch; /* sent for that one */
    struct source source, marks;
};
struct adoption {
    struct adoptee **list;
    size_t count, cap;
    struct adoptee *reading; /* whose call is open; NULL: it was dropped meanwhile */
    bool is_open;
    unsigned in_window;
    uint64_t retry_ms, append_ms;
};

/* The copy of our own records, once more, after the servers lost our stream. */
struct republish {
    bool is_wanted;
    uint64_t token;
    struct source source;
};

/* Which time around the crawl is (rounds.c). */
struct time_around {
    uint64_t number;   /* 0 is the first crawl */
    uint64_t before;   /* of what was done earlier here */
    uint64_t id;       /* port_restart's, with which it began */
    uint64_t wall_ms;  /* what was done before that moment, */
    uint64_t position; /* or stands before that in the journal, is of an earlier one */
};

struct finish {
    uint64_t round, end, admitted;
    uint32_t quiet;
    bool is_said; /* idle in this round */
    bool is_finished;
    uint64_t everywhere_ms; /* since when everybody has said that it knows; 0: not yet */
    uint64_t home_ms;       /* since when everybody has said that everybody knows */
};

/* Another process with our name (namesake.c). */
struct namesake {
    bool is_heard;     /* a renewal of ours, in RETURN, was read back */
    uint64_t heard_ms; /* and when */
    bool is_seen;      /* while we are in: it renews, and that does not count */
    unsigned renewals; /* of the other one that count, behind that */
    uint64_t stamp_ms; /* of the first of them */
    uint64_t before;   /* we came in: renewals up to this number are of our own time outside */
};

struct pace {
    bool is_quick; /* somebody waits for something of ours, or we do */
    struct heartbeat said;
    uint64_t said_ms;
    uint64_t news, news_said; /* entries of the roster that were no renewals */
    uint64_t wait_ms;         /* before the next look at our stream, if it had nothing */
};

struct agent {
    char crawl[ROSTER_MAX_NAME_BYTES + 1], name[ROSTER_MAX_NAME_BYTES + 1];
    struct agent_settings settings;
    struct bus *bus;
    struct port *port;
    struct roster *roster;
    const struct roster_agent *me; /* our incarnation there; NULL: it is not */
    struct rng rng;
    enum agent_state state;
    enum rc failure;
    const char *why;
    bool is_connected, is_recalling;

    uint64_t now_ms, start_ms, due_ms;
    uint64_t inc, boot;
    uint64_t first_inc;     /* with which this directory began; 0: it has not */
    uint64_t inc_position;  /* journalled there: what is older is a former incarnation's */
    uint64_t boot_position; /* durable there, the boot may be announced */
    uint64_t boots[AGENT_MAX_BOOTS];
    size_t boot_count;
    uint64_t beat, next_beat_ms;
    uint64_t epoch; /* that was acted upon */
    bool wants_leave, wants_weight;
    uint32_t weight;
    uint64_t entry_ms;  /* the next entry of ours (join, settled, leave, gone) no earlier */
    uint64_t settle_ms; /* since when it could be settled; 0: it cannot */
    uint64_t gone_end;  /* the end of our stream that must be read before `gone` */
    bool is_log_read;   /* to its end, once */
    bool is_acted;      /* everything of the roster as it is was acted upon, but for renewals */

    struct call calls[AGENT_MAX_CALLS];
    size_t calls_open;
    uint64_t serial, appends, append_bytes, gets, says, junk;
    uint64_t sent_again; /* parcels whose receiver did not say that it had them */

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
    struct time_around round;
    struct pace pace;
    struct namesake namesake;
};

/* agent.c */
/* Whether there are copies of streams, which may not be the same. */
bool agent_has_copies(const struct agent *a);
/* Where something must stand there was nothing to read, since then (0: from now on): whether that
 * has lasted so long that it was passed over, in copies that differ. */
bool agent_is_dry(const struct agent *a, uint64_t *since_ms);
void agent_fail(struct agent *a, enum rc rc, const char *why);
/* Ourselves in the roster; NULL: not joined, or dead and forgotten. */
const struct roster_agent *agent_me(const struct agent *a);
bool agent_is_own_boot(const struct agent *a, uint64_t boot); /* that we have journalled */
void agent_look_for_me(struct agent *a);     /* after `inc` or the roster has changed */
bool agent_is_living(const struct agent *a); /* in the roster we know, our incarnation and boot */
bool agent_is_in_ring(const struct agent *a, const char *name, uint64_t inc);
const struct roster_agent *agent_owner(const struct agent *a, uint64_t position);
/* Who is to have that record: its host's owner, but for what is addressed to somebody in the ring
 * (RECORD_NEARER). NULL: nobody is in the ring. */
const struct roster_agent *agent_receiver(const struct agent *a, const struct record *r);
bool agent_is_receiver(const struct agent *a, const struct record *r);
void agent_wake(struct agent *a, uint64_t at_ms); /* a turn is due then */
void agent_roster_taken(struct agent *a, const struct roster_entry *e, struct str writer,
                        bool is_valid);
uint64_t agent_jitter(struct agent *a, uint64_t ms); /* ms to 2 ms */
MUST_CHECK enum rc agent_note(struct agent *a, struct str fact);

/* namesake.c: an entry of the roster was taken */
void namesake_taken(struct agent *a, const struct roster_entry *e, struct str writer,
                    bool is_valid);

/* facts.c: bytes of facts, and reading them back */
void fact_inc(struct buf *out, uint64_t inc);
void fact_boot(struct buf *out, uint64_t boot);
void fact_cursor(struct buf *out, const struct inbox *in);
void fact_mark(struct buf *out, struct str holder, uint64_t inc, uint64_t epoch);
void fact_adopted(struct buf *out, const struct adoptee *d);
void fact_roster(struct buf *out, uint64_t stamp_ms, struct str writer, struct str entry);
void fact_cut(struct buf *out, uint64_t sequence);
void fact_round(struct buf *out, const struct time_around *t);
enum rc facts_recall(void *agent, uint64_t position, struct str fact);

/* calls.c */
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

/* log.c */
void roster_log_turn(struct agent *a);
void roster_log_done(struct agent *a, enum call_kind kind, const struct bus_event *e);
void roster_log_soon(struct agent *a);
void roster_log_heard(struct agent *a, uint64_t length); /* somebody has read so much of it */
void roster_log_reconnected(struct agent *a);
/* The next message: kept, and folded. From the journal at the start, from the stream then. */
MUST_CHECK enum rc roster_log_take(struct agent *a, uint64_t stamp_ms, struct str writer,
                                   struct str entry);
/* Messages behind `sequence` are lost: they are put aside and everything is folded anew. */
MUST_CHECK enum rc roster_log_cut(struct agent *a, uint64_t sequence);
bool roster_log_is_whole(const struct agent *a); /* nothing is known to be lost */
/* So long its stream has answered nothing, though there is a connection: it is not there, or too
 * few servers are. */
uint64_t roster_log_silent_ms(const struct agent *a, uint64_t now_ms);
/* False: not now. */
bool roster_log_append(struct agent *a, const struct roster_entry *e);
void roster_log_free(struct agent *a);

/* lease.c */
void lease_turn(struct agent *a);
void lease_fence(struct agent *a);
void lease_read_back(struct agent *a, uint64_t n);
void lease_joined(struct agent *a);
bool lease_is_good(const struct agent *a, uint64_t now_ms);
bool lease_look(struct agent *a, uint64_t now_ms); /* a jump of the clock fences */
uint64_t lease_age_ms(const struct agent *a, uint64_t now_ms);

/* tally.c: nothing where the port has no budgets */
void tally_heard(struct agent *a, const char *name, const struct heartbeat *h,
                 const struct heartbeat_lists *l);
void tally_say(struct agent *a, struct heartbeat *h, struct heartbeat_lists *l);

/* detector.c */
void detector_turn(struct agent *a);
void detector_heard(struct agent *a, struct str name, struct str payload);
void detector_roster(struct agent *a);
void detector_renewed(struct agent *a, struct str name); /* only that one's lease or boot changed */
void detector_reconnected(struct agent *a);
struct peer *detector_find(struct agent *a, const char *name, uint64_t inc);
/* Whether everybody who is living is known to have read the roster to that epoch. */
bool detector_all_at(struct agent *a, uint64_t epoch);
/* The same, with all gates open at it. */
bool detector_all_open(struct agent *a, uint64_t epoch);
void detector_say(struct agent *a);
void detector_listen(struct agent *a); /* who is deaf connects anew */
/* Connected, speaking, and its own heartbeats have not come back for the roster's `fence`. */
bool detector_is_deaf(const struct agent *a, uint64_t now_ms);

/* pace.c */
void pace_turn(struct agent *a);
uint64_t pace_soon_ms(const struct agent *a); /* between two words that somebody waits for */
uint64_t pace_log_ms(const struct agent *a);  /* until the next look at a roster without news */
uint64_t pace_inbox_ms(struct agent *a);      /* the same of our own stream */
void pace_inbox_soon(struct agent *a);
void pace_heard(struct agent *a, const struct heartbeat *before, const struct heartbeat *now);
bool pace_may_say(struct agent *a, const struct heartbeat *now);
void pace_said(struct agent *a, const struct heartbeat *h);
void pace_hurry(struct agent *a); /* the journal, if what is not on the disk is waited for */

/* outbox.c */
void outbox_turn(struct agent *a);
void outbox_put(struct agent *a, const struct record *r, struct source *s);
void outbox_mark(struct agent *a, const char *to, uint64_t to_inc, struct str holder,
                 uint64_t holder_inc, struct source *s);
void outbox_done(struct agent *a, struct parcel *p, const struct bus_event *e);
void outbox_epoch(struct agent *a);
void outbox_reconnected(struct agent *a);
void outbox_reset(struct agent *a);
void outbox_forget_source(struct agent *a, struct source *s); /* its parcels go on without it */
uint64_t outbox_acked_through(const struct agent *a);
uint64_t outbox_released_through(const struct agent *a);
bool outbox_is_empty(struct agent *a);
bool outbox_has_room(const struct agent *a);

/* untold.c */
void untold_read(struct agent *a, struct source *s, const struct port_batch *b);
void untold_set(struct agent *a, struct source *s, bool is_told);
void untold_reset(struct agent *a); /* the outbox is empty, and will be read again */
uint64_t untold_count(const struct agent *a);
bool untold_is_paused(const struct agent *a);
bool untold_presses(const struct agent *a); /* more than half of the bound */

/* links.c */
MUST_CHECK bool link_add(struct agent *a, struct parcel *p); /* false: no memory */
void link_remove(struct parcel *p);
void link_heard(struct agent *a, const struct peer *p, const struct heartbeat_lists *lists);
bool link_has(struct agent *a, const struct parcel *p); /* the receiver has said that it has it */
/* It has not, and has read its stream up to `floor`: once more, if that has lasted. */
void link_look(struct agent *a, struct parcel *p, uint64_t floor);
void link_renew(struct agent *a, const struct peer *p); /* the receiver is another process */
void link_wait(struct agent *a, struct parcel *p);      /* nothing is heard of the receiver */
void link_lost(struct agent *a, struct parcel *p);      /* its number will not come */
void links_turn(struct agent *a);
void links_tidy(struct agent *a); /* the ring has changed */
void links_free(struct agent *a);

/* receipts.c */
size_t receipts_of(struct agent *a, struct str from,
                   uint64_t session); /* RECEIPTS_NONE: no memory */
void receipts_add(struct agent *a, size_t index, uint64_t session, uint64_t number);
/* A session says whose it is, so that nobody can have another's confirmed. */
uint64_t receipts_session(struct str from, uint32_t number);
bool receipts_fit(struct str from, uint64_t session);
bool receipts_same_sender(uint64_t session, uint64_t other);
/* What is here of a session; false: nothing. */
bool receipts_find(const struct agent *a, struct str from, uint64_t session,
                   struct heartbeat_receipt *ret);
void receipts_say(struct agent *a, struct heartbeat_lists *out);

/* inbox.c */
MUST_CHECK enum rc inbox_init(struct agent *a);
void inbox_turn(struct agent *a);
void inbox_done(struct agent *a, enum call_kind kind, const struct bus_event *e);
void inbox_reconnected(struct agent *a);
void inbox_reset(struct agent *a); /* a new incarnation begins */
/* From the first message on once more; the caller journals the new cursor. */
void inbox_read_again(struct agent *a);
uint64_t inbox_want_end(struct agent *a);
/* Up to where the journal must be forwarded so that the floor may go on; 0: it waits for nothing.
 */
uint64_t inbox_must_forward(const struct agent *a);
void inbox_free(struct agent *a);

/* gates.c */
void gates_mark(struct agent *a, struct str holder, uint64_t inc, uint64_t epoch,
                uint64_t position);
void gates_look(struct agent *a);
void gates_look_anew(struct agent *a); /* the roster has changed */
bool gates_are_open(const struct agent *a, uint64_t position);
/* Whether a durable mark of that holder is here, of that epoch or a later one. */
bool gates_is_marked(const struct agent *a, const struct roster_agent *holder, uint64_t epoch);
void gates_reset(struct agent *a);
void gates_free(struct agent *a);
void gates_roster(struct agent *a, const struct roster_entry *e);
/* Everybody who may be a holder since the last settled epoch, by number; NULL: no more. */
const struct roster_agent *gates_holder(const struct agent *a, size_t i);

/* rounds.c */
void rounds_start(struct agent *a);                  /* the roster has been read */
void rounds_anew(struct agent *a, struct buf *fact); /* an empty crawl takes part */
void rounds_join(struct agent *a);                   /* the same, before it has joined */
void rounds_turn(struct agent *a);                   /* says that a round has begun */
void rounds_look(struct agent *a);                   /* who is behind stops */
bool rounds_is_in(const struct agent *a);            /* the roster's round is ours */
void rounds_stamp(const struct agent *a, struct record *r, uint64_t position); /* what is ours */
/* What a record that has arrived is worth in this round; false: nothing. */
bool rounds_takes(const struct agent *a, struct record *r);
void rounds_recall(struct agent *a, uint64_t position, uint64_t number, uint64_t id,
                   uint64_t wall_ms);

/* handover.c, adoption.c, republish in handover.c, finish.c */
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
