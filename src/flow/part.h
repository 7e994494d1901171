/* SPDX-License-Identifier: Apache-2.0 */
/* part: what a component or a provider is made of.
 *
 * A component takes messages on named inlets, does one step, and emits on named outlets. A provider
 * is a service behind a small interface that components ask. Either is one file that ends in one
 * `const struct part`; the wiring's reader, `check` and the manual come from that table. The wiring
 * decides what is connected to what; a part cannot tell which part is at the other end, nor whether
 * the connector is a call, a queue to another thread or another machine.
 *
 *     static void shout_handle(struct instance *self, unsigned inlet, struct message *m)
 *     {
 *         ... change the line ...
 *         part_emit(self, 0, m);
 *     }
 *     const struct part part_shout = {
 *         .abi = PART_ABI, .kind = PART_COMPONENT, .name = "shout", .help = "lines in capitals",
 *         .inlets = (const struct part_port[]){{.name = "in", .type = "line"}, {0}},
 *         .outlets = (const struct part_port[]){{.name = "out", .type = "line"}, {0}},
 *         .handle = shout_handle,
 *     };
 *
 * A part in a shared object exports its table under the name `orbweaver_part` and may stand in a
 * wiring wherever a built-in one can (docs/flow.md, examples/shout).
 *
 * Threads: there is one instance of a component on each shard, and a shard is one thread. All
 * functions of an instance run on its shard's thread, except open and close, which run before that
 * thread starts and after it has ended. So a part needs no locks for what hangs from its state.
 * Nothing here may block: a part that waits for something uses watches, timers and tasks. */
#ifndef FLOW_PART_H
#define FLOW_PART_H

#include "base/event.h"
#include "base/options.h"
#include "base/rc.h"
#include "base/str.h"
#include "flow/message.h"

struct clock;
struct log;
struct loop;

/* Changes whenever a struct or a call that parts see changes its meaning or layout. */
#define PART_ABI 8u

enum { PART_CREDITS = 1024 }; /* of a source whose table does not say */

enum part_kind { PART_COMPONENT = 1, PART_PROVIDER = 2 };

/* How many instances there are. A component on one shard is reached through queues. A provider
 * that exists once is called from all shards' threads at a time and must bear that; of the
 * functions below it has open, close, provide and changed only. */
enum part_where { PART_ON_EACH_SHARD, PART_ON_ONE_SHARD };

struct part_port {
    const char *name; /* NULL ends a list */
    const char *type; /* of the messages it carries */
    const char *help;
    bool optional; /* may stay unconnected: an inlet gets nothing, an outlet's messages end */
};

struct part_need {
    const char *role;      /* the provider's name in the wiring; NULL ends a list */
    const char *interface; /* what that provider must provide */
    const char *help;
    bool is_optional; /* the wiring may have none: part_provider() is NULL then */
};

/* What a source says when it was asked. */
enum produced {
    PRODUCED_MORE, /* ask again soon */
    PRODUCED_WAIT, /* nothing now; part_ready() will say when (a descriptor, a timer, a task) */
    PRODUCED_IDLE, /* nothing, unless a message brings new work (then part_ready()). When all
                      sources are idle and no message is under way, the flow has come to its end */
};

/* One instance, as its functions see it. */
struct instance {
    void *state;          /* the part's own, set by open */
    const void *settings; /* filled from the part's options; replaced before `changed` */
    const char *name;     /* in the wiring */
    unsigned shard;       /* 0 .. shard_count - 1 */
    unsigned shard_count;
};

struct part {
    uint32_t abi; /* PART_ABI; stays the first member in every version */
    enum part_kind kind;
    const char *name;
    const char *help; /* one line, lower case, no full stop */
    enum part_where where;
    const struct part_port *inlets;  /* NULL = none */
    const struct part_port *outlets; /* NULL = none */
    const struct part_need *needs;   /* NULL = none; asked by part_provider() */
    const struct option *options;    /* NULL = none. Keys part, shard, credits and at are taken */
    size_t settings_bytes;
    const char *provides; /* providers: the name of the interface */

    /* Where a wiring is cut over places (docs/remote.md). A provider that holds state of the whole
     * crawl, or writes files of which it is the only writer, exists at one place only; others are
     * opened at each place that needs them. A part that can do without some of its needs names
     * their roles in `spares`: part_provider() is NULL for a component where the provider is
     * elsewhere, and for a provider where the wiring has none. A provider that exists once may
     * spare one that each shard has: it gets the first shard's, may read what that says, and calls
     * nothing. */
    bool is_of_one_place;
    const char *const *spares;               /* ends with NULL; NULL = none */
    const struct message_type *const *types; /* that it brings along, likewise */

    /* Makes self->state. On failure it leaves nothing behind and `why` says what is wrong.
     * Providers that it needs are there already. May be NULL. */
    enum rc (*open)(struct instance *self, struct buf *why);
    void (*close)(struct instance *self);

    /* Providers: the interface itself, valid until close. */
    void *(*provide)(struct instance *self);

    /* Takes `m`: emits it, keeps it, or ends it. Never refuses; it fails by part_fail(). */
    void (*handle)(struct instance *self, unsigned inlet, struct message *m);

    /* Sources: originate at most one message. Asked only while the flow is not paused (a source
     * that `runs_while_paused` is asked then too: it serves others that have not paused), what is
     * behind its outlets is not full, and `credits_each` are left of its credits. A message that a
     * source emits is charged that much: its worst case in messages at one time (itself, and those
     * that later parts derive from it). */
    enum produced (*produce)(struct instance *self);
    uint32_t credits_each;    /* 0 = 1 */
    uint32_t credits_default; /* how much may be under way from one instance; 0 = PART_CREDITS */
    bool runs_while_paused;

    /* All optional. start: the first call on the shard's thread; it emits nothing, for those behind
     * may not have started. drain: sources are asked no more; emit what was only held to go out
     * together with more (a flow that comes to its own end is not drained: hold nothing without a
     * timer). stop: the last call on the shard's thread: end every message still held, stop every
     * watch and timer, and emit nothing. */
    void (*start)(struct instance *self);
    void (*drain)(struct instance *self);
    void (*stop)(struct instance *self);

    /* Optional: after each turn of the shard in which anything happened. For work that is cheaper
     * once a turn than once a message, such as giving buffers to the kernel. */
    void (*turn)(struct instance *self);

    /* Optional: what may not go on any more (part_may_go_on()) is given up now: a visit is emitted as
     * one that was put off. */
    void (*give_up)(struct instance *self);

    /* A live option has another value: self->settings is new, `old` goes after the call. */
    void (*changed)(struct instance *self, const void *old);

    /* Its name before it was renamed: wirings and --set that say it still work. NULL = none. */
    const char *former_name;
};

/* Gives `m` to the part behind the outlet. It may be handled before this returns. */
void part_emit(struct instance *self, unsigned outlet, struct message *m);

/* Ends a message: it is gone after the call. Of a type that has a last step (message_type.may_end)
 * only that step does so; from `stop` any part may. */
void part_end(struct instance *self, struct message *m);

/* Makes `child`, a fresh message, a descendant of `parent`, so that both count until they end.
 * Needed for every message that a part other than a source makes, while it still has `parent`.
 * Takes one of the parent's spare credits; when none is left the source is overdrawn, which shows
 * in the statistics: its `credits_each` is too low. */
void part_derive(struct instance *self, struct message *parent, struct message *child);

/* Whether the process that sent it here still lets it go on: false for a copy at a member of a pool
 * whose lease is not good now. Asked anew, by the clock, at each call. */
bool part_may_go_on(struct instance *self, const struct message *m);

/* Of a message that has come from another place: a number that changes when the place where it was
 * made is restarted. 0: it was made here. */
uint64_t part_session(const struct message *m);

/* A source has something to give: ask it. On the shard's thread only. A source that was idle calls
 * it before it ends or emits the message that brought the work: once no message is under way and
 * all sources are idle, the flow ends. */
void part_ready(struct instance *self);

/* Stops the whole flow in order; the first failure, with the instance's name, is its result. */
void part_fail(struct instance *self, enum rc rc, const char *format, ...) PRINTF_LIKE(3, 4);

/* Lets the whole flow come to its end: sources are asked no more. */
void part_drain(struct instance *self);

/* Counts something that went wrong with one message and was dealt with. */
void part_count_error(struct instance *self);

/* The interface of needs[at]; NULL only where the part spares it. */
void *part_provider(struct instance *self, unsigned at);

/* Where events are written (base/log.h); may be NULL, which swallows all. */
struct log *part_log(struct instance *self);

/* The time at the beginning of the shard's turn, in the clock of the flow. */
uint64_t part_now_ms(struct instance *self);

/* That clock itself; from open on for parts that stand below its provider in the wiring. */
struct clock *part_clock(struct instance *self);

/* Watches and timers may be used from open on. w->fd and w->ready are set; `events` as epoll's.
 * Again with other events changes them. RC_UNSUPPORTED: this kind of file is always ready (a plain
 * file). Unwatching one that is not watched is fine. */
MUST_CHECK enum rc part_watch(struct instance *self, struct watch *w, unsigned events);
void part_unwatch(struct instance *self, struct watch *w);

/* Sets a timer or moves it. RC_NOMEM leaves it as it was. */
MUST_CHECK enum rc part_timer(struct instance *self, struct timer *t, uint64_t moment_ms);
void part_timer_stop(struct instance *self, struct timer *t);

/* The loop of the shard itself, for services that wait for many things (net/http.h). From open on.
 */
struct loop *part_loop(struct instance *self);

/* From any thread, between start and stop: p->run on this instance's shard. Not while it is waiting
 * already. */
void part_add_task(struct instance *self, struct loop_task *p);

#endif
