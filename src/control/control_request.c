/* SPDX-License-Identifier: Apache-2.0 */
#include "control/control_request.h"

#include "base/options.h"

#include <jansson.h>

enum needs {
    NEEDS_NOTHING = 0,
    NEEDS_KEY = 1,
    NEEDS_VALUE = 2,
    NEEDS_URL = 4,
    NEEDS_URLS = 8,
    NEEDS_AGENT = 16,
    NEEDS_FILE = 32
};

static const struct {
    const char *name;
    unsigned needs;
} rows[CONTROL_DOES_] = {
    [CONTROL_STATUS] = {"status", NEEDS_NOTHING},
    [CONTROL_PAUSE] = {"pause", NEEDS_NOTHING},
    [CONTROL_UNPAUSE] = {"unpause", NEEDS_NOTHING},
    [CONTROL_CHECKPOINT] = {"checkpoint", NEEDS_NOTHING},
    [CONTROL_STOP] = {"stop", NEEDS_NOTHING},
    [CONTROL_SET] = {"set", NEEDS_KEY | NEEDS_VALUE},
    [CONTROL_SEEDS] = {"seeds", NEEDS_URLS},
    [CONTROL_KNOWN] = {"known", NEEDS_URLS},
    [CONTROL_URL] = {"url", NEEDS_URL},
    [CONTROL_AGENT] = {"agent", NEEDS_NOTHING},
    [CONTROL_CLUSTER] = {"cluster", NEEDS_NOTHING},
    [CONTROL_DRAIN] = {"drain", NEEDS_AGENT},
    [CONTROL_PIECE] = {"piece", NEEDS_FILE},
};

static enum rc wrong(struct buf *why, const char *text)
{
    buf_printf(why, "%s", text);
    return RC_INVALID;
}

/* A member that must be text, in the arena. */
static enum rc read_text(const json_t *json, const char *key, struct arena *arena, struct str *ret,
                         struct buf *why)
{
    const json_t *value = json_object_get(json, key);
    if (!json_is_string(value)) {
        buf_printf(why, "\"%s\" is missing, or is not text", key);
        return RC_INVALID;
    }
    *ret = arena_dup(arena, str_make(json_string_value(value), json_string_length(value)));
    return ret->p ? RC_OK : RC_NOMEM;
}

static enum rc read_urls(const json_t *json, struct arena *arena, struct control_request *ret,
                         struct buf *why)
{
    const json_t *list = json_object_get(json, "urls");
    size_t count = json_array_size(list);
    if (count == 0 || count > CONTROL_URLS) {
        buf_printf(why, "\"urls\" must be a list of 1 to %d URLs", CONTROL_URLS);
        return RC_INVALID;
    }
    struct str *urls = arena_alloc(arena, count * sizeof *urls);
    for (size_t i = 0; urls && i < count; i++) {
        const json_t *one = json_array_get(list, i);
        if (!json_is_string(one))
            return wrong(why, "\"urls\" has an item that is not text");
        urls[i] = arena_dup(arena, str_make(json_string_value(one), json_string_length(one)));
        if (!urls[i].p)
            return RC_NOMEM;
    }
    ret->urls = urls;
    ret->url_count = count;
    return urls ? RC_OK : RC_NOMEM;
}

static enum rc read_piece(const json_t *json, struct arena *arena, struct control_request *ret,
                          struct buf *why)
{
    const json_t *from = json_object_get(json, "from");
    if (!json_is_integer(from) || json_integer_value(from) < 0)
        return wrong(why, "\"from\" is missing, or is not a number of bytes");
    ret->from = (uint64_t)json_integer_value(from);
    return read_text(json, "file", arena, &ret->file, why);
}

static enum rc read_what(struct str name, struct control_request *ret, struct buf *why)
{
    size_t nearest = 3;
    const char *like = NULL;
    for (int i = 0; i < CONTROL_DOES_; i++) {
        size_t d = name_distance(str_c(rows[i].name), str_first(name, 40), 3);
        if (str_eq(str_c(rows[i].name), name)) {
            ret->what = (enum control_do)i;
            return RC_OK;
        }
        if (d < nearest) {
            nearest = d;
            like = rows[i].name;
        }
    }
    buf_printf(why, "unknown request \"" STR_FMT "\"", STR_ARG(str_first(name, 40)));
    if (like)
        buf_printf(why, "; did you mean \"%s\"?", like);
    return RC_INVALID;
}

static enum rc read_members(const json_t *json, struct arena *arena, struct control_request *ret,
                            struct buf *why)
{
    struct str name;
    enum rc rc = read_text(json, "do", arena, &name, why);
    rc = rc ? rc : read_what(name, ret, why);
    unsigned needs = rc ? 0 : rows[ret->what].needs;
    if (needs & NEEDS_KEY)
        rc = read_text(json, "key", arena, &ret->key, why);
    if (rc == RC_OK && needs & NEEDS_VALUE)
        rc = read_text(json, "value", arena, &ret->value, why);
    if (rc == RC_OK && needs & NEEDS_URL)
        rc = read_text(json, "url", arena, &ret->url, why);
    if (rc == RC_OK && needs & NEEDS_URLS)
        rc = read_urls(json, arena, ret, why);
    if (rc == RC_OK && needs & NEEDS_AGENT)
        rc = read_text(json, "agent", arena, &ret->agent, why);
    if (rc == RC_OK && needs & NEEDS_FILE)
        rc = read_piece(json, arena, ret, why);
    if (rc == RC_OK && (ret->what == CONTROL_AGENT || ret->what == CONTROL_PIECE) &&
        json_object_get(json, "agent"))
        rc = read_text(json, "agent", arena, &ret->agent, why);
    ret->all = json_is_true(json_object_get(json, "all"));
    ret->now = json_is_true(json_object_get(json, "now"));
    return rc;
}

enum rc control_request_read(struct str line, struct arena *arena, struct control_request *ret,
                             struct buf *why)
{
    json_error_t error;
    struct control_request request = {0};
    if (line.n >= CONTROL_LINE_BYTES)
        return wrong(why, "the line is too long");
    json_t *json = json_loadb(line.p ? line.p : "", line.n, JSON_REJECT_DUPLICATES, &error);
    enum rc rc = RC_INVALID;
    if (!json)
        buf_printf(why, "not JSON: %s", error.text);
    else if (!json_is_object(json))
        rc = wrong(why, "expected an object such as {\"do\":\"status\"}");
    else
        rc = read_members(json, arena, &request, why);
    json_decref(json);
    if (rc == RC_OK)
        *ret = request;
    return rc;
}

/* Error codes ---------------------------------------------------------------------------------- */

static const struct {
    const char *code;
    enum rc rc;
} errors[] = {
    {"invalid", RC_INVALID}, {"not-found", RC_NOT_FOUND}, {"not-while-running", RC_UNSUPPORTED},
    {"ending", RC_CLOSED},   {"busy", RC_AGAIN},
};

const char *control_error_code(enum rc rc)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].rc == rc)
            return errors[i].code;
    return "failed";
}

enum rc control_error_rc(struct str code)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (str_eq(str_c(errors[i].code), code))
            return errors[i].rc;
    return RC_IO;
}
