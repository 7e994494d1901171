/* SPDX-License-Identifier: Apache-2.0 */
/* fact: what the head of a request says besides its URL, as bits: noted by the server, kept by the
 * witness, named by expectations. */
#ifndef FAULTS_FACT_H
#define FAULTS_FACT_H

enum sight_fact {
    FACT_COOKIE = 1,
    FACT_AUTHORIZATION = 2, /* or Proxy-Authorization */
    FACT_CONDITION = 4,     /* If-None-Match or If-Modified-Since */
    FACT_RANGE = 8,
    FACT_REFERER = 16,
    FACT_H2 = 32,
    FACT_HTTPS = 64,
    FACT_SNI = 128,
    FACT_HEAD = 256, /* the method, not GET */
    FACT_OTHER_METHOD = 512,
    FACT_OTHER_SNI = 1024, /* the connection was opened for another name */
    FACT_PROXY = 2048,     /* asked of us as of a proxy: our address was not the client's choice */
    FACT_HUGE_COOKIE = 4096, /* more than 64 KiB of cookies */
};

#endif
