/* SPDX-License-Identifier: Apache-2.0 */
#include "change/letters.h"

#include "base/utf8.h"

/* The last code point of `name`: at most four bytes back to a lead byte. */
static uint32_t last_code(struct str name)
{
    size_t at = name.n - 1;
    while (at > 0 && name.n - at < UTF8_MAX_BYTES && ((uint8_t)name.p[at] & 0xc0) == 0x80)
        at--;
    uint32_t code;
    size_t bytes;
    utf8_decode(str_from(name, at), &code, &bytes);
    return at + bytes == name.n ? code : UTF8_REPLACEMENT;
}

static uint32_t first_code(struct str name)
{
    uint32_t code;
    size_t bytes;
    utf8_decode(name, &code, &bytes);
    return code;
}

/* Names that begin and end in ASCII need one byte a letter; only others make us reserve four. */
static size_t room_for(const struct change_tag *tags, size_t count)
{
    size_t room = 1;
    for (size_t i = 0; i < count; i++) {
        struct str name = tags[i].name;
        if (name.n && tags[i].kind != CHANGE_TAG_END)
            room += ((name.p[0] | name.p[name.n - 1]) & 0x80) ? UTF8_MAX_BYTES : 1;
    }
    return room;
}

enum rc change_letters(const struct change_tag *tags, size_t count, struct arena *arena,
                       struct change_letters *ret)
{
    if (count > CHANGE_MAX_TAGS)
        return RC_LIMIT;
    size_t room = room_for(tags, count);
    char *first = arena_alloc(arena, room);
    char *last = arena_alloc(arena, room);
    if (!first || !last)
        return RC_NOMEM;
    size_t first_n = 0, last_n = 0;
    for (size_t i = 0; i < count; i++) {
        struct str name = tags[i].name;
        if (name.n == 0 || tags[i].kind == CHANGE_TAG_END)
            continue;
        if ((name.p[0] | name.p[name.n - 1]) & 0x80) {
            first_n += utf8_encode(first_code(name), first + first_n);
            last_n += utf8_encode(last_code(name), last + last_n);
        } else {
            first[first_n++] = name.p[0];
            last[last_n++] = name.p[name.n - 1];
        }
    }
    *ret = (struct change_letters){str_make(first, first_n), str_make(last, last_n)};
    return RC_OK;
}
