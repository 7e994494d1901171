/* SPDX-License-Identifier: Apache-2.0 */
/* children: this program, started again with other words. A child writes to a log, has a process
 * group of its own (^C is the parent's to understand), and is told to end when the parent does. */
#ifndef CLI_CHILDREN_H
#define CLI_CHILDREN_H

#include <sys/types.h>

struct child {
    pid_t pid; /* 0: it is not there, or has ended */
};

/* `args` without the program's name, NULL behind the last. EXIT_DONE, or says why not. */
int child_start(struct child *c, const char *const *args, const char *log);

/* Waits for its end; whether it has ended: pid is 0 then. Both give its exit code, 128 + number of
 * a signal. */
int child_wait(struct child *c);
int child_look(struct child *c);

void child_tell(const struct child *c, int signal_number); /* nobody, if it is not there */

#endif
