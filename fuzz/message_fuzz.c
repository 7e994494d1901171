/* SPDX-License-Identifier: Apache-2.0 */
/* What comes from another place: a message of any type is refused, or it is packed as bytes that
 * unpack to the same, in a new message and in one that stayed behind; looking into it changes none of
 * that. The first byte says which. */
#include "catalog/catalog.h"
#include "flow/remote.h"
#include "fuzz.h"

enum { CHECKED_BYTES = 1 << 20 };

static void end(struct message *m)
{
    m->type->release(m);
}

static void try_message(const struct message_type *type, struct str bytes)
{
    struct buf first = {.max = 64 << 20}, second = {.max = 64 << 20};
    struct message *m = NULL, *again = NULL;
    if (type->unpack(bytes, &m) == RC_OK) {
        enum rc rc = type->check ? type->check(m, CHECKED_BYTES) : RC_OK;
        MUST(rc == RC_OK || rc == RC_INVALID);
        MUST(m && type->pack(m, &first) == RC_OK);
        MUST(type->unpack(buf_str(&first), &again) == RC_OK);
        MUST(type->pack(again, &second) == RC_OK);
        MUST(str_eq(buf_str(&first), buf_str(&second)));
        buf_clear(&second);
        if (type->stay)
            type->stay(m);
        MUST(type->unpack(buf_str(&first), &m) == RC_OK);
        MUST(type->pack(m, &second) == RC_OK);
        MUST(str_eq(buf_str(&first), buf_str(&second)));
        end(m);
        end(again);
    } else {
        MUST(!m);
    }
    buf_done(&first);
    buf_done(&second);
}

static void try_frame(struct str frame)
{
    char room[64];
    struct buf out = buf_on(room, sizeof room);
    struct hello h;
    struct welcome w;
    struct remote_head head;
    struct str rest = STR("");
    if (hello_read(frame, &h) == RC_OK)
        hello_write(&h, &out);
    else if (welcome_read(frame, &w) == RC_OK)
        welcome_write_head(&w, &out), rest = w.open;
    else if (remote_head_read(frame, &head, &rest) == RC_OK)
        remote_head_write(&head, &out);
    else
        return;
    MUST(buf_rc(&out) == RC_OK && out.n + rest.n == frame.n);
    MUST(memcmp(out.p, frame.p, out.n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!n)
        return 0;
    struct str rest = str_make((const char *)data + 1, n - 1);
    unsigned number = 0;
    for (const struct message_type *const *t = catalog_built_in.types; *t; t++) {
        if (!(*t)->unpack) /* it stays at its place */
            continue;
        if (number++ == data[0]) {
            try_message(*t, rest);
            return 0;
        }
    }
    try_frame(rest);
    return 0;
}
