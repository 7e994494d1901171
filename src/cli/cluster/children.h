/* SPDX-License-Identifier: Apache-2.0 */
/* children: this program, started again with other words. A child writes to a log, has a process
 * group of its own, because the parent handles ^C, and gets SIGTERM when the parent ends. */
#ifndef CLI_CLUSTER_CHILDREN_H
#define CLI_CLUSTER_CHILDREN_H

#include <sys/types.h>

struct child {
    pid_t pid; /* 0: it was not started, or has ended */
};

/* `args` without the program's name, NULL behind the last. EXIT_DONE, or prints why not. */
int child_start(struct child *c, const char *const *args, const char *log);

/* child_wait waits for its end, child_look does not; pid is 0 when it has ended. Both return its
 * exit code, or 128 + the number of a signal. */
int child_wait(struct child *c);
int child_look(struct child *c);

void child_tell(const struct child *c, int signal_number); /* nothing, if it does not run */

#endif
