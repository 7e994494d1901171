/* SPDX-License-Identifier: Apache-2.0 */
/* A line of /proc/locks, fields apart by spaces:
 *
 *     1: FLOCK  ADVISORY  WRITE 13473 fe:00:10952997 0 EOF
 *
 * process id, then device and inode. A process that waits for a lock has "->" before FLOCK. */
#include "disk/lock_holder.h"

#include "base/buf.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { MAX_LOCKS = 100000, LINE_BYTES = 256 };

static struct str next_field(struct str *line)
{
    struct str field = STR_NONE;
    while (line->p && !field.n)
        field = str_take_until(line, ' ');
    return field;
}

static uint64_t holder_in(struct str line, struct str file)
{
    uint64_t pid = 0;
    (void)next_field(&line); /* its number */
    if (!str_eq(next_field(&line), STR("FLOCK")))
        return 0;
    (void)next_field(&line);
    (void)next_field(&line);
    struct str process = next_field(&line);
    bool is_it = str_eq(next_field(&line), file);
    return is_it && str_to_u64(process, &pid) == RC_OK ? pid : 0;
}

uint64_t lock_holder_of(int fd)
{
    struct stat st;
    char room[64], line[LINE_BYTES];
    struct buf file = buf_on(room, sizeof room);
    FILE *f = fstat(fd, &st) == 0 ? fopen("/proc/locks", "re") : NULL;
    uint64_t holder = 0;
    if (!f)
        return 0;
    buf_printf(&file, "%02x:%02x:", major(st.st_dev), minor(st.st_dev));
    buf_u64(&file, st.st_ino);
    for (int i = 0; i < MAX_LOCKS && !holder && fgets(line, sizeof line, f); i++)
        holder = holder_in(str_c(line), buf_str(&file));
    (void)fclose(f);
    return holder;
}
