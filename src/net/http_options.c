/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http.h"

#define LIMIT(kind, field, key, def, help) \
    kind(struct http_settings, field, key, def, help, .min = 1)

const struct option http_options[] = {
    LIMIT(OPTION_DURATION_ROW, connect_ms, "connect-timeout", "15s", "most time to connect"),
    LIMIT(OPTION_DURATION_ROW, tls_ms, "tls-timeout", "15s", "most time for a TLS handshake"),
    LIMIT(OPTION_DURATION_ROW, first_byte_ms, "first-byte-timeout", "30s",
          "most time from the request to the first byte of its answer"),
    LIMIT(OPTION_DURATION_ROW, head_ms, "head-timeout", "60s", "most time for an answer's head"),
    LIMIT(OPTION_DURATION_ROW, idle_ms, "idle-timeout", "30s", "most time without a byte"),
    LIMIT(OPTION_DURATION_ROW, total_ms, "timeout", "10m",
          "longest time for a fetch; the part that came is kept as truncated"),
    LIMIT(OPTION_DURATION_ROW, total_ms, "fetch-timeout", "10m", "the same by its longer name"),
    OPTION_SIZE_ROW(struct http_settings, least_rate, "least-rate", "100",
                    "bytes a second that a body must come with; 0 = any"),
    LIMIT(OPTION_DURATION_ROW, rate_window_ms, "rate-window", "60s",
          "time over which the least rate is measured"),
    LIMIT(OPTION_SIZE_ROW, head_bytes, "head-size", "300k", "most bytes of an answer's head"),
    LIMIT(OPTION_SIZE_ROW, line_bytes, "head-line-size", "100k", "most bytes of a header line"),
    LIMIT(OPTION_COUNT_ROW, header_count, "head-lines", "5000", "most header lines of an answer"),
    OPTION_COUNT_ROW(struct http_settings, interim_most, "interim-answers", "20",
                     "most 1xx answers before the final one"),
    OPTION_SIZE_ROW(struct http_settings, body_memory, "body-memory", "512M",
                    "most memory of a shard for bodies that are coming; past it long ones are cut"),
    LIMIT(OPTION_DURATION_ROW, keep_ms, "keep-alive", "15s",
          "how long an idle connection is kept after its host's turn has come"),
    OPTION_DURATION_ROW(struct http_settings, unused_ms, "keep-alive-unused", "5s",
                        "the same, of a host for which no URL waits"),
    OPTION_COUNT_ROW(struct http_settings, idle_most, "idle-connections", "4000",
                     "most idle connections kept by a shard"),
    OPTION_COUNT_ROW(struct http_settings, idle_at_address, "idle-per-address", "6",
                     "most idle connections of a shard to one address; 0 = any", .max = 1000),
    OPTION_BOOL_ROW(struct http_settings, insecure, "insecure", "no",
                    "accept certificates that do not verify, and record it"),
    OPTION_TEXT_ROW(struct http_settings, ca_file, "ca-file", NULL,
                    "certificates of trusted authorities, instead of the system's", .arg = "FILE"),
    OPTION_CHOICE_ROW(struct http_settings, http, "http", "auto",
                      "auto: HTTP/2 only where HTTP/1.1 is refused; 2: offer it everywhere",
                      .choices = "auto|1.1|2", .former = "http2", .no = "auto", .yes = "2"),
    {0},
};
