/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/nats_reply.h"

#include "base/calendar.h"
#include "bus/bus.h"

#include <jansson.h>
#include <stdio.h>

/* The servers' error codes (2.9.10). All that stand for a limit of the stream, the account or the
 * disk are RC_LIMIT: the agent pauses and says so. */
enum {
    ERR_ACCOUNT_RESOURCES = 10002,
    /* for the copies of a stream: some servers are not there yet, or have no room */
    ERR_NO_PEERS = 10005,
    ERR_INSUFFICIENT_RESOURCES = 10023,
    ERR_MEMORY_EXCEEDED = 10028,
    ERR_STORAGE_EXCEEDED = 10047,
    ERR_STREAM_NAME_IN_USE = 10058,
    ERR_STREAM_STORE_FAILED = 10077, /* the text says why */
};

static enum rc error_rc(const json_t *error)
{
    json_int_t number = json_integer_value(json_object_get(error, "err_code"));
    const char *words = json_string_value(json_object_get(error, "description"));
    switch (number) {
    case ERR_ACCOUNT_RESOURCES:
    case ERR_INSUFFICIENT_RESOURCES:
    case ERR_MEMORY_EXCEEDED:
    case ERR_STORAGE_EXCEEDED:
        return RC_LIMIT;
    case ERR_NO_PEERS:
        return RC_AGAIN;
    case ERR_STREAM_NAME_IN_USE:
        return RC_EXISTS;
    case ERR_STREAM_STORE_FAILED:
        return str_starts(str_c(words), STR("maximum")) ? RC_LIMIT : RC_AGAIN;
    default:
        return json_integer_value(json_object_get(error, "code")) == 503 ? RC_AGAIN : RC_INVALID;
    }
}

static json_t *object_of(struct str json)
{
    if (json.n == 0 || json.n > NATS_REPLY_MAX_BYTES)
        return NULL;
    json_t *whole = json_loadb(json.p, json.n, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(whole))
        return whole;
    json_decref(whole);
    return NULL;
}

struct nats_reply_ack nats_reply_ack_read(struct str json)
{
    struct nats_reply_ack ack = {.rc = RC_INVALID};
    json_t *whole = object_of(json);
    const json_t *error = json_object_get(whole, "error");
    const json_t *sequence = json_object_get(whole, "seq");
    if (json_is_object(error)) {
        ack.rc = error_rc(error);
    } else if (json_is_integer(sequence) && json_integer_value(sequence) > 0) {
        ack.rc = RC_OK;
        ack.sequence = (uint64_t)json_integer_value(sequence);
        ack.is_repeat = json_is_true(json_object_get(whole, "duplicate"));
    }
    json_decref(whole);
    return ack;
}

enum rc nats_reply_admin_read(struct str json, char *ret_why, size_t why_bytes)
{
    json_t *whole = object_of(json);
    const json_t *error = json_object_get(whole, "error");
    const char *words = json_string_value(json_object_get(error, "description"));
    enum rc rc = !whole ? RC_INVALID : json_is_object(error) ? error_rc(error) : RC_OK;
    (void)snprintf(ret_why, why_bytes, "%s",
                   words ? words
                   : rc  ? "the server's answer cannot be read"
                         : "");
    json_decref(whole);
    return rc;
}

/* The number that the `digits` digits at `at` make; -1: they are not all digits. */
static int number_at(struct str s, size_t at, size_t digits)
{
    int value = 0;
    for (size_t i = at; i < at + digits; i++) {
        if (i >= s.n || !ascii_is_digit(s.p[i]))
            return -1;
        value = value * 10 + (s.p[i] - '0');
    }
    return value;
}

enum rc nats_reply_stamp_read(struct str text, uint64_t *ret_ms)
{
    enum { SECONDS_END = 19 };
    struct moment m = {.year = number_at(text, 0, 4),
                       .month = number_at(text, 5, 2),
                       .day = number_at(text, 8, 2),
                       .hour = number_at(text, 11, 2),
                       .minute = number_at(text, 14, 2),
                       .second = number_at(text, 17, 2)};
    if (text.n <= SECONDS_END || text.p[4] != '-' || text.p[7] != '-' || text.p[10] != 'T' ||
        text.p[13] != ':' || text.p[16] != ':' || text.p[text.n - 1] != 'Z')
        return RC_INVALID;
    if (m.year < 1970 || !moment_is_good(&m))
        return RC_INVALID;
    uint64_t ms = 0;
    struct str rest = str_first(str_from(text, SECONDS_END), text.n - 1 - SECONDS_END);
    if (rest.n > 0) { /* the servers omit trailing zeros */
        if (rest.n < 2 || rest.p[0] != '.')
            return RC_INVALID;
        for (size_t i = 1, scale = 100; i < rest.n; i++, scale /= 10) {
            if (!ascii_is_digit(rest.p[i]))
                return RC_INVALID;
            ms += (uint64_t)(rest.p[i] - '0') * scale;
        }
    }
    *ret_ms = (uint64_t)moment_ms(&m) + ms;
    return RC_OK;
}

static bool token_is_good(struct str token, bool wild, bool is_last)
{
    if (token.n == 0)
        return false;
    if (wild && (str_eq(token, STR("*")) || (is_last && str_eq(token, STR(">")))))
        return true;
    for (size_t i = 0; i < token.n; i++)
        if (token.p[i] <= ' ' || token.p[i] > '~' || token.p[i] == '*' || token.p[i] == '>')
            return false;
    return true;
}

bool nats_subject_is_good(struct str subject, bool wild)
{
    if (subject.n == 0 || subject.n > BUS_MAX_SUBJECT_BYTES || subject.p[subject.n - 1] == '.')
        return false;
    while (subject.p) {
        struct str token = str_take_until(&subject, '.');
        if (!token_is_good(token, wild, !subject.p))
            return false;
    }
    return true;
}

bool nats_stream_is_good(struct str name)
{
    if (name.n == 0 || name.n > BUS_MAX_SUBJECT_BYTES / 2)
        return false;
    for (size_t i = 0; i < name.n; i++)
        if (!ascii_is_alnum(name.p[i]) && name.p[i] != '-' && name.p[i] != '_')
            return false;
    return true;
}
