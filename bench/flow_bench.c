/* SPDX-License-Identifier: Apache-2.0 */
/* What it costs to pass a message on: by a call, and through a queue to another shard.
 *
 * The messages live in the source and are used again, so that no allocation is measured. */
#include "bench.h"

#include "base/mem.h"
#include "flow/flow.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 4000000, POOL = 4096 };

struct source_state {
    uint64_t next, count;
    struct message pool[POOL];
};

static double thread_ns[2]; /* CPU time of each shard's thread; written once, read after the end */

static void keep(struct message *m)
{
    atomic_signal_fence(memory_order_seq_cst);
    (void)m;
}

static const struct message_type type = {"token", keep};

static enum rc source_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct source_state *s = mem_zero(1, sizeof *s);
    self->state = s;
    return s ? RC_OK : RC_NOMEM;
}

static void state_close(struct instance *self)
{
    mem_free(self->state);
}

/* At most as many are under way as the pool holds: the credits are fewer. */
static enum produced source_produce(struct instance *self)
{
    struct source_state *s = self->state;
    if (s->next == MESSAGES)
        return PRODUCED_IDLE;
    struct message *m = &s->pool[s->next % POOL];
    message_init(m, &type);
    m->route = s->next++;
    part_emit(self, 0, m);
    return PRODUCED_MORE;
}

static void pass_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    part_emit(self, 0, m);
}

static void end_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    part_end(self, m);
}

static void note_time(struct instance *self)
{
    thread_ns[self->shard] = bench_cpu_ns();
}

static const struct part_port in[] = {{"in", "token"}, {0}};
static const struct part_port out[] = {{"out", "token"}, {0}};

static const struct part part_source = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "source",
    .help = "makes tokens",
    .where = PART_ON_ONE_SHARD,
    .outlets = out,
    .open = source_open,
    .close = state_close,
    .produce = source_produce,
    .credits_default = POOL / 2,
    .stop = note_time,
};
static const struct part part_pass = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "pass",
    .help = "passes on",
    .inlets = in,
    .outlets = out,
    .handle = pass_handle,
};
static const struct part part_end_ = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "end",
    .help = "the end",
    .inlets = in,
    .handle = end_handle,
    .stop = note_time,
};
static const struct part *const parts[] = {&part_source, &part_pass, &part_end_, NULL};
static const struct catalog catalog = {parts};

static double wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Runs it and returns the wall time of a message; thread_ns has the CPU time of the threads. */
static double run(const char *yaml)
{
    struct problems problems;
    struct buf why = {.max = 4096};
    struct wiring *w = NULL;
    struct flow *f = NULL;
    problems_init(&problems, "bench");
    thread_ns[0] = thread_ns[1] = 0;
    double start = wall_ns();
    if (wiring_read(str_c(yaml), "bench", &catalog, &w, &problems) ||
        flow_open(w, (struct flow_setup){0}, &f, &why) || flow_start(f) || flow_wait(f, &why)) {
        fprintf(stderr, "%.*s%.*s\n", STR_ARG(buf_str(&problems.lines)), STR_ARG(buf_str(&why)));
        exit(1);
    }
    double each = (wall_ns() - start) / MESSAGES;
    flow_close(f);
    wiring_close(w);
    problems_done(&problems);
    buf_done(&why);
    return each;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double best_cpu(const char *yaml)
{
    double best = 1e300;
    for (int i = 0; i < 3; i++) {
        run(yaml);
        best = least(best, (thread_ns[0] + thread_ns[1]) / MESSAGES);
    }
    return best;
}

int main(void)
{
    static const char none[] = "components: {source: , end: }\nconnections: [source -> end]\n";
    static const char four[] = "components: {source: , a: pass, b: pass, c: pass, d: pass, end: }\n"
                               "connections: [source -> a -> b -> c -> d -> end]\n";
    static const char same[] = "components: {source: , end: }\n"
                               "connections: [\"source -> end\": {queue: 1000}]\n";
    static const char other[] = "shards: 2\ncomponents: {source: , end: {shard: 1}}\n"
                                "connections: [\"source -> end\": {queue: 1000}]\n";
    double empty = best_cpu(none);
    bench_row("flow: a message made, passed and ended", empty, "ns", "-");
    bench_row("flow: direct connector and a handle", (best_cpu(four) - empty) / 4, "ns", "<= 20");
    bench_row("flow: queue on the same shard, beyond a call", best_cpu(same) - empty, "ns",
              "<= 300");
    bench_row("flow: queue between shards, CPU of both", best_cpu(other) - empty, "ns", "<= 300");
    bench_row("flow: queue between shards, wall", run(other), "ns", "<= 300");
    return 0;
}
