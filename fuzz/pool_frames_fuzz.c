/* SPDX-License-Identifier: Apache-2.0 */
/* What comes over a link between a manager and a member: a frame is refused by all readers, or one
 * takes it, and what it took is written as the same bytes. */
#include "pool/frames.h"

#include "fuzz.h"

static bool reread_message(struct str frame, struct buf *out, struct str *ret_rest)
{
    struct pool_message m;
    if (pool_message_read(frame, &m, ret_rest))
        return false;
    MUST(m.ticket);
    pool_message_write((enum pool_frame)frame.p[0], &m, out);
    return true;
}

static bool reread_refused(struct str frame, struct buf *out)
{
    struct str why;
    bool is_final;
    if (pool_refused_read(frame, &why, &is_final))
        return false;
    MUST(fuzz_is_within(why, frame) && why.n <= POOL_MAX_REASON_BYTES);
    pool_refused_write(why, is_final, out);
    return true;
}

/* How many readers take the frame. */
static unsigned reread(struct str frame, struct buf *out, struct str *ret_rest)
{
    struct pool_hello h;
    struct pool_welcome w;
    struct str numbers;
    uint64_t number;
    unsigned taken = 0;
    if (pool_hello_read(frame, &h) == RC_OK)
        pool_hello_write(&h, out), taken++;
    if (pool_welcome_read(frame, &w) == RC_OK)
        pool_welcome_write(&w, out), taken++;
    if (pool_number_read(frame, &number) == RC_OK)
        pool_number_write((enum pool_frame)frame.p[0], number, out), taken++;
    if (pool_numbers_read(frame, &numbers) == RC_OK) {
        MUST(numbers.n && numbers.n % 8 == 0);
        buf_byte(out, frame.p[0]);
        *ret_rest = numbers;
        taken++;
    }
    return taken + reread_refused(frame, out) + reread_message(frame, out, ret_rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char room[512];
    struct str frame = str_make((const char *)data, n), rest = STR_NONE;
    struct buf out = buf_on(room, sizeof room);
    unsigned taken = reread(frame, &out, &rest);
    MUST(taken <= 1);
    MUST(!taken || pool_frame_kind(frame) == data[0]);
    if (!taken)
        return 0;
    MUST(buf_rc(&out) == RC_OK && fuzz_is_within(rest, frame));
    MUST(out.n + rest.n == n && memcmp(out.p, frame.p, out.n) == 0);
    return 0;
}
