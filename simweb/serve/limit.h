/* SPDX-License-Identifier: Apache-2.0 */
/* limit: how many requests a second each host takes: a bucket of tokens a host. */
#ifndef SERVE_LIMIT_H
#define SERVE_LIMIT_H

#include <stdint.h>

struct limit;

/* `per_s` tokens a second, at most `burst` saved up; a table for up to a million hosts (of more,
 * those that share a place forget each other). NULL without memory. */
struct limit *limit_open(uint64_t hosts, double per_s, uint64_t burst);
void limit_close(struct limit *l);

/* Takes a token of the host: 0, or after how many ms there will be one. */
uint64_t limit_take(struct limit *l, uint32_t host, uint64_t now_ms);

#endif
