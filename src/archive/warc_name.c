/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/warc_name.h"

#include "warc/date.h"

#include <stdio.h>

void warc_name_print(struct buf *out, struct str prefix, int64_t ms, uint64_t serial,
                     struct str host)
{
    if (ms < 0 || !warc_date_fits(ms))
        ms = 0;
    buf_add(out, prefix);
    buf_byte(out, '-');
    warc_ts14_print(out, ms);
    buf_printf(out, "%03u-%05llu-", (unsigned)(ms % 1000), (unsigned long long)serial);
    buf_add(out, host);
    buf_add(out, STR(".warc.gz"));
}

bool warc_name_is_open(struct str name, struct str *ret_last)
{
    struct str tail = STR(".warc.gz.open");
    if (!str_ends(name, tail) || name.n == tail.n)
        return false;
    *ret_last = str_first(name, name.n - 5);
    return true;
}

enum rc warc_name_serial(struct str name, uint64_t *ret_serial)
{
    (void)warc_name_is_open(name, &name);
    if (!str_ends(name, STR(".warc.gz")))
        return RC_INVALID;
    (void)str_take_until(&name, '-');
    if (!name.p || str_take_until(&name, '-').n != 17 || !name.p)
        return RC_INVALID;
    struct str serial = str_take_until(&name, '-');
    return name.p && str_to_u64(serial, ret_serial) == RC_OK ? RC_OK : RC_INVALID;
}

bool warc_name_part_ok(struct str part, size_t max, char extra)
{
    if (part.n == 0 || part.n > max)
        return false;
    for (size_t i = 0; i < part.n; i++) {
        char c = part.p[i];
        if (!ascii_is_alnum(c) && c != '.' && c != '_' && c != extra)
            return false;
    }
    return true;
}

const char *warc_path(char room[WARC_PATH_BYTES], const char *folder, const char *name, bool open)
{
    int n = snprintf(room, WARC_PATH_BYTES, "%s%s%s%s", folder, *folder ? "/" : "", name,
                     open ? ".open" : "");
    return n > 0 && n < WARC_PATH_BYTES ? room : NULL;
}
