/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/type_set.h"

#include "base/arena.h"
#include "base/mem.h"
#include "fetch/media.h"

struct row {
    struct str type; /* without the star: "image/" */
    bool is_start;   /* there was one */
    bool leaves_out;
};

struct type_set {
    struct arena *arena;
    bool takes; /* some row does: what no row names is not in it */
    size_t count;
    struct row rows[TYPE_SET_MAX];
};

/* "image/png" or "image/" and a star. */
static bool is_type(struct str type, bool is_start)
{
    char room[160];
    struct buf whole = buf_on(room, sizeof room);
    buf_add(&whole, type);
    if (is_start)
        buf_byte(&whole, 'x');
    return type.n && buf_rc(&whole) == RC_OK &&
           str_eq(media_type(buf_str(&whole)), buf_str(&whole)) &&
           (!is_start || str_ends(type, STR("/")));
}

static enum rc add_type(struct type_set *s, struct str text, struct buf *why)
{
    struct row r = {.type = text};
    if (s->count == TYPE_SET_MAX) {
        buf_printf(why, "types: there are more than %d", TYPE_SET_MAX);
        return RC_INVALID;
    }
    r.leaves_out = str_starts(text, STR("-")) || str_starts(text, STR("!"));
    if (r.leaves_out)
        r.type = str_trim(str_from(r.type, 1));
    r.is_start = str_ends(r.type, STR("/*"));
    if (r.is_start)
        r.type = str_first(r.type, r.type.n - 1);
    if (!is_type(r.type, r.is_start)) {
        buf_printf(why,
                   "types: \"" STR_FMT "\" is not a media type; expected type/subtype, for example "
                   "text/html, image/* or -video/*",
                   STR_ARG(text));
        return RC_INVALID;
    }
    r.type = arena_dup(s->arena, r.type);
    s->takes |= !r.leaves_out;
    s->rows[s->count++] = r;
    return r.type.p ? RC_OK : RC_NOMEM;
}

enum rc type_set_open(const struct str *texts, size_t count, struct type_set **ret, struct buf *why)
{
    struct type_set *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->arena = arena_open(1024, 1 << 20);
    enum rc rc = s->arena ? RC_OK : RC_NOMEM;
    for (size_t i = 0; i < count && rc == RC_OK; i++) {
        struct str rest = texts[i];
        while (rest.p && rc == RC_OK) {
            struct str one = str_trim(str_take_until(&rest, ','));
            if (one.n)
                rc = add_type(s, one, why);
        }
    }
    if (rc) {
        type_set_close(s);
        return rc;
    }
    *ret = s;
    return RC_OK;
}

void type_set_close(struct type_set *s)
{
    if (!s)
        return;
    arena_close(s->arena);
    mem_free(s);
}

bool type_set_has(const struct type_set *s, struct str type)
{
    bool is_named = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct row *r = &s->rows[i];
        if (r->is_start ? !str_starts_nocase(type, r->type) : !str_eq_nocase(type, r->type))
            continue;
        if (r->leaves_out)
            return false;
        is_named = true;
    }
    return is_named || !s->takes;
}
