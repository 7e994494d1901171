/* SPDX-License-Identifier: Apache-2.0 */
#include "small_log.h"

#include "base/bytes.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_LOG_BYTES = 1 << 24, MAX_PATH = 32 };

static void segment_path(uint64_t segment, char *path)
{
    snprintf(path, MAX_PATH, "log/%06" PRIu64, segment);
}

static uint64_t record_hash(struct str payload)
{
    return hash64_seeded(payload, payload.n);
}

bool small_log_take(struct str *bytes, bool check, struct str *ret_payload)
{
    if (bytes->n < SMALL_LOG_HEAD_BYTES)
        return false;
    uint32_t n = get_le32(bytes->p);
    if (n == 0 || n > SMALL_LOG_MAX_RECORD_BYTES || n > bytes->n - SMALL_LOG_HEAD_BYTES)
        return false;
    struct str payload = str_make(bytes->p + SMALL_LOG_HEAD_BYTES, n);
    if (check && get_le64(bytes->p + 4) != record_hash(payload))
        return false;
    *ret_payload = payload;
    *bytes = str_from(*bytes, SMALL_LOG_HEAD_BYTES + n);
    return true;
}

static enum rc write_manifest(struct small_log *log, uint64_t segment)
{
    char text[64];
    int n = snprintf(text, sizeof text, "small-log %06" PRIu64 " ", segment);
    uint64_t hash = hash64(str_make(text, (size_t)n));
    n += snprintf(text + n, sizeof text - (size_t)n, "%016" PRIx64, hash);
    struct str bytes = str_make(text, (size_t)n);
    if (log->flaw != FLAW_MANIFEST_BYTES_NOT_SYNCED && log->flaw != FLAW_MANIFEST_NAME_NOT_SYNCED)
        return disk_replace(log->disk, "MANIFEST", bytes);
    struct disk_file *f;
    enum rc rc = disk_open(log->disk, "MANIFEST.new", DISK_APPEND, &f);
    if (rc)
        return rc;
    rc = disk_truncate(f, 0);
    rc = rc ? rc : disk_append(f, &bytes, 1);
    if (log->flaw != FLAW_MANIFEST_BYTES_NOT_SYNCED)
        rc = rc ? rc : disk_sync(f);
    disk_file_close(f);
    rc = rc ? rc : disk_rename(log->disk, "MANIFEST.new", "MANIFEST");
    if (log->flaw != FLAW_MANIFEST_NAME_NOT_SYNCED)
        rc = rc ? rc : disk_dirsync(log->disk, "");
    return rc;
}

static enum rc read_manifest(struct small_log *log)
{
    char room[64];
    struct buf b = buf_on(room, sizeof room);
    enum rc rc = disk_read_whole(log->disk, "MANIFEST", &b);
    if (rc)
        return rc;
    struct str text = buf_str(&b);
    if (text.n != 33 || !str_starts(text, STR("small-log ")))
        return RC_CORRUPT;
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, hash64(str_first(text, 17)));
    if (!str_eq(str_from(text, 17), str_c(hash)))
        return RC_CORRUPT;
    return str_to_u64(str_make(text.p + 10, 6), &log->segment) ? RC_CORRUPT : RC_OK;
}

/* Reads the segment, keeps its whole records and cuts off what stands behind them. */
static enum rc recover(struct small_log *log)
{
    struct buf all = {.max = MAX_LOG_BYTES};
    char path[MAX_PATH];
    segment_path(log->segment, path);
    enum rc rc = disk_read_whole(log->disk, path, &all);
    if (rc == RC_NOT_FOUND)
        rc = RC_CORRUPT; /* the MANIFEST names it */
    struct str rest = buf_str(&all), payload;
    bool check = log->flaw != FLAW_CHECKSUM_NOT_CHECKED;
    while (rc == RC_OK && rest.n > 0) {
        struct str before = rest;
        if (small_log_take(&rest, check, &payload)) {
            buf_add(&log->records, str_first(before, before.n - rest.n));
            log->count++;
        } else if (log->flaw == FLAW_BAD_RECORD_SKIPPED) {
            rest = str_from(rest, 1);
        } else {
            break;
        }
    }
    if (rc == RC_OK)
        rc = disk_open(log->disk, path, DISK_APPEND, &log->file);
    if (rc == RC_OK && rest.n > 0 && log->flaw != FLAW_TAIL_NOT_CUT) {
        rc = disk_truncate(log->file, all.n - rest.n);
        if (rc == RC_OK && log->flaw != FLAW_CUT_NOT_SYNCED)
            rc = disk_sync(log->file);
    }
    buf_done(&all);
    return rc ? rc : buf_rc(&log->records);
}

/* A segment with what `records` holds, whole and named for good. */
static enum rc make_segment(struct small_log *log, uint64_t segment, struct disk_file **ret_file)
{
    char path[MAX_PATH];
    struct disk_file *f;
    struct str bytes = buf_str(&log->records);
    segment_path(segment, path);
    enum rc rc = disk_unlink(log->disk, path); /* left behind by a crash, never named */
    if (rc == RC_OK || rc == RC_NOT_FOUND)
        rc = disk_open(log->disk, path, DISK_CREATE, &f);
    if (rc)
        return rc;
    if (bytes.n)
        rc = disk_append(f, &bytes, 1);
    if (log->flaw != FLAW_SEGMENT_BYTES_NOT_SYNCED)
        rc = rc ? rc : disk_sync(f);
    if (log->flaw != FLAW_SEGMENT_NAME_NOT_SYNCED)
        rc = rc ? rc : disk_dirsync(log->disk, "log");
    if (rc)
        disk_file_close(f);
    else
        *ret_file = f;
    return rc;
}

static enum rc begin(struct small_log *log)
{
    enum rc rc = disk_mkdir(log->disk, "log");
    if (rc == RC_EXISTS)
        rc = RC_OK;
    if (log->flaw != FLAW_FOLDER_NOT_SYNCED)
        rc = rc ? rc : disk_dirsync(log->disk, "");
    log->segment = 1;
    rc = rc ? rc : make_segment(log, 1, &log->file);
    return rc ? rc : write_manifest(log, 1);
}

enum rc small_log_init(struct small_log *log, struct disk *d, enum small_log_flaw flaw)
{
    *log = (struct small_log){.disk = d, .flaw = flaw};
    buf_init(&log->records, MAX_LOG_BYTES);
    enum rc rc = read_manifest(log);
    return rc == RC_NOT_FOUND ? begin(log) : rc ? rc : recover(log);
}

void small_log_done(struct small_log *log)
{
    disk_file_close(log->file);
    buf_done(&log->records);
}

enum rc small_log_add(struct small_log *log, struct str payload)
{
    char head[SMALL_LOG_HEAD_BYTES];
    put_le32(head, (uint32_t)payload.n);
    put_le64(head + 4, record_hash(payload));
    struct str pieces[] = {str_make(head, sizeof head), payload};
    enum rc rc = disk_append(log->file, pieces, 2);
    if (rc)
        return rc;
    buf_add(&log->records, pieces[0]);
    buf_add(&log->records, pieces[1]);
    log->count++;
    return buf_rc(&log->records);
}

enum rc small_log_commit(struct small_log *log)
{
    return log->flaw == FLAW_COMMIT_WITHOUT_SYNC ? RC_OK : disk_sync(log->file);
}

enum rc small_log_compact(struct small_log *log)
{
    char old[MAX_PATH];
    struct disk_file *f;
    segment_path(log->segment, old);
    enum rc rc = make_segment(log, log->segment + 1, &f);
    if (rc)
        return rc;
    rc = write_manifest(log, log->segment + 1);
    if (rc) {
        disk_file_close(f);
        return rc;
    }
    disk_file_close(log->file);
    log->file = f;
    log->segment++;
    return disk_unlink(log->disk, old);
}
