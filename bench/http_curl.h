/* SPDX-License-Identifier: Apache-2.0 */
/* http_curl: the same requests by libcurl, for http_bench: one multi handle driven by its socket
 * callbacks over epoll, a handle and a kept connection for each host, addresses given, head and
 * body gathered as they came. */
#ifndef BENCH_HTTP_CURL_H
#define BENCH_HTTP_CURL_H

#include <stdint.h>

/* NULL where libcurl was not there at build time. */
struct curl_run;
struct curl_run *curl_run_open(uint16_t port, unsigned hosts);
void curl_run_close(struct curl_run *r);

/* Asks for `pages` pages, one at a time of each host; each must be whole and have `bytes` of body.
 */
void curl_run_pages(struct curl_run *r, unsigned pages, uint64_t bytes);

const char *curl_run_version(void);

#endif
