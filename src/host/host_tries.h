/* SPDX-License-Identifier: Apache-2.0 */
/* host_tries: how often a URL was asked for since it last had a result.
 *
 * The tries of a URL are its own, and those of robots.txt on its behalf are counted apart: another
 * URL of the host, or another origin, neither adds to them nor makes them forgotten. So
 * struct pace_settings bounds them. They are forgotten with the URL's result.
 *
 * The record has a count for the URL that stays at the head of the queue, which is all that most
 * hosts ever need. A count moves to the record's list when its URL goes behind the others, or when
 * another URL is asked for first. The list holds one URL for each class of the frontier and one on
 * trial for each origin, with room to spare; past HOST_RECORD_MAX_TRIED the oldest makes way. */
#ifndef HOST_HOST_TRIES_H
#define HOST_HOST_TRIES_H

#include "host/host_turn.h"

/* Tries before this request. */
uint32_t host_tries_get(const struct host_request *r);

/* Tries of the request from now on. `is_head`: its URL stays at the head of the queue. Without
 * memory the count is lost. */
void host_tries_set(const struct host_request *r, uint32_t tries, bool is_head);

/* The URL has its result: its tries and those of robots.txt on its behalf are forgotten. */
void host_tries_forget(const struct host_request *r);

/* Tries of the URL that an origin has on trial; of its robots.txt if that is what is asked for. */
uint32_t host_tries_of_trial(const struct host_record *c, const struct host_origin *o);

#endif
