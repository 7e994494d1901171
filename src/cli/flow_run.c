/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/flow_run.h"

#include <signal.h>
#include <stdatomic.h>

/* Signal handlers get no argument: the one flow that is running, for ^C. */
static _Atomic(struct flow *) running;

static void on_signal(int number)
{
    (void)number;
    struct flow *f = atomic_load(&running);
    if (f)
        flow_drain(f);
}

static void catch_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL); /* the second ^C ends the program at once */
    sigaction(SIGTERM, &action, NULL);
}

enum rc flow_run(struct flow *f, struct buf *why)
{
    atomic_store(&running, f);
    catch_signals(on_signal);
    enum rc rc = flow_start(f);
    enum rc ended = flow_wait(f, why);
    catch_signals(SIG_DFL);
    atomic_store(&running, NULL);
    return rc ? rc : ended;
}
