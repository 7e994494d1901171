/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/claims.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define SYNCED_PATH "logs/SYNCED"

enum {
    RECORD_BYTES = 48,
    HASHED_BYTES = 40,
    MOST_BYTES = 1000 * RECORD_BYTES, /* then it is written anew with the last one */
    HAS_HISTORY = 1,
};

/* state/WRITTEN, in the order of this machine's bytes: another machine has another boot. */
struct written {
    uint64_t boot;
    _Atomic uint64_t position;
};

struct claim_writer {
    struct disk *disk;
    uint64_t boot;
    struct disk_file *file;
    uint64_t bytes; /* of the file */
    struct written *written;
};

/* Records ------------------------------------------------------------------------------------- */

static void put_record(char room[RECORD_BYTES], const struct claims *c, uint64_t boot)
{
    put_le64(room, c->position);
    put_le64(room + 8, c->generation);
    put_le64(room + 16, boot);
    put_le64(room + 24, c->recrawl);
    put_le64(room + 32, c->has_history ? HAS_HISTORY : 0);
    put_le64(room + HASHED_BYTES, hash64(str_make(room, HASHED_BYTES)));
}

/* False: these are not the bytes of a record. */
static bool take_record(const char *p, struct claims *ret, uint64_t *ret_boot)
{
    if (get_le64(p + HASHED_BYTES) != hash64(str_make(p, HASHED_BYTES)))
        return false;
    *ret = (struct claims){.is_there = true,
                           .position = get_le64(p),
                           .generation = get_le64(p + 8),
                           .recrawl = get_le64(p + 24),
                           .has_history = get_le64(p + 32) & HAS_HISTORY};
    *ret_boot = get_le64(p + 16);
    return true;
}

/* The last that is whole counts: claims only grow, and a crash tears the end. */
static enum rc read_synced(struct disk *d, struct claims *ret, uint64_t *ret_boot)
{
    struct buf all = {.max = 2 * MOST_BYTES};
    enum rc rc = disk_read_whole(d, SYNCED_PATH, &all);
    size_t at = rc ? 0 : all.n / RECORD_BYTES;
    while (at && !take_record(all.p + (at - 1) * RECORD_BYTES, ret, ret_boot))
        at--;
    buf_done(&all);
    return rc == RC_NOT_FOUND || rc == RC_LIMIT ? RC_OK : rc;
}

static void read_written(const char *path, uint64_t boot, struct claims *ret)
{
    uint64_t numbers[2] = {0};
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    ssize_t n = fd < 0 ? 0 : pread(fd, numbers, sizeof numbers, 0);
    if (fd >= 0)
        (void)close(fd);
    if (n == sizeof numbers && numbers[0] == boot && numbers[1] > ret->written)
        ret->written = numbers[1];
}

enum rc claims_read(struct disk *d, const char *written, uint64_t boot, struct claims *ret)
{
    uint64_t its_boot = 0;
    *ret = (struct claims){0};
    enum rc rc = read_synced(d, ret, &its_boot);
    ret->written = ret->position;
    ret->is_same_boot = ret->is_there && boot && its_boot == boot;
    if (rc == RC_OK && ret->is_same_boot)
        read_written(written, boot, ret);
    return rc;
}

/* Writing ------------------------------------------------------------------------------------- */

static enum rc write_anew(struct claim_writer *w, const char room[RECORD_BYTES])
{
    disk_file_close(w->file);
    w->file = NULL;
    w->bytes = RECORD_BYTES;
    enum rc rc = disk_replace(w->disk, SYNCED_PATH, str_make(room, RECORD_BYTES));
    return rc ? rc : disk_open(w->disk, SYNCED_PATH, DISK_APPEND, &w->file);
}

enum rc claim_synced(struct claim_writer *w, const struct claims *c)
{
    char room[RECORD_BYTES];
    put_record(room, c, w->boot);
    if (!w->file || w->bytes >= MOST_BYTES)
        return write_anew(w, room);
    struct str bytes = str_make(room, RECORD_BYTES);
    w->bytes += RECORD_BYTES;
    enum rc rc = disk_append(w->file, &bytes, 1);
    if (rc) { /* a part of it may be there: the next one begins the file anew */
        disk_file_close(w->file);
        w->file = NULL;
    }
    return rc;
}

void claim_written(struct claim_writer *w, uint64_t position)
{
    if (w && w->written)
        atomic_store_explicit(&w->written->position, position, memory_order_relaxed);
}

/* A file system that cannot share memory has no state/WRITTEN; SYNCED is enough then. */
static struct written *map_written(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return NULL;
    void *p = MAP_FAILED;
    if (ftruncate(fd, sizeof(struct written)) == 0)
        p = mmap(NULL, sizeof(struct written), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    return p == MAP_FAILED ? NULL : p;
}

enum rc claim_writer_open(struct disk *d, const char *written, uint64_t boot,
                          const struct claims *c, struct claim_writer **ret)
{
    struct claim_writer *w = mem_zero(1, sizeof *w);
    if (!w)
        return RC_NOMEM;
    w->disk = d;
    w->boot = boot;
    w->written = written ? map_written(written) : NULL;
    if (w->written) {
        w->written->boot = boot;
        claim_written(w, c->position);
    }
    enum rc rc = claim_synced(w, c);
    if (rc)
        claim_writer_close(w);
    else
        *ret = w;
    return rc;
}

void claim_writer_close(struct claim_writer *w)
{
    if (!w)
        return;
    disk_file_close(w->file);
    if (w->written)
        (void)munmap(w->written, sizeof *w->written);
    mem_free(w);
}
