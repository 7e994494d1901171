/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/lost_files.h"

#include "archive/warc_find.h"

enum rc lost_files_open(struct lost_files *f, struct disk *crawl)
{
    *f = (struct lost_files){.disk = crawl};
    enum rc rc = sent_open(crawl, false, &f->sent);
    return rc ? rc : sealed_open(crawl, "archive", false, &f->sealed);
}

void lost_files_done(struct lost_files *f)
{
    sent_close(f->sent);
    sealed_close(f->sealed);
    *f = (struct lost_files){0};
}

static enum rc measure(struct lost_files *f)
{
    struct str name = str_c(f->name);
    struct warc_size there;
    enum rc rc = warc_measure(f->disk, "archive", name, &there);
    bool is_known = f->is_strict || sealed_knows(f->sealed, name);
    bool is_excused = there.is_missing && (!is_known || sent_has(f->sent, name, NULL));
    f->bytes = is_excused ? UINT64_MAX : there.bytes;
    return rc;
}

enum rc lost_files_have(struct lost_files *f, struct str file, uint64_t end, bool *ret)
{
    enum rc rc = RC_OK;
    if (file.n >= sizeof f->name) {
        *ret = false;
        return RC_OK;
    }
    if (!str_eq(str_c(f->name), file)) {
        memcpy(f->name, file.p, file.n);
        f->name[file.n] = 0;
        rc = measure(f);
    }
    *ret = end <= f->bytes;
    return rc;
}

static enum rc note_changed(void *ctx, struct str name, uint64_t bytes, uint64_t there)
{
    (void)name;
    (void)bytes;
    (void)there;
    *(bool *)ctx = true;
    return RC_OK;
}

enum rc lost_files_any(struct disk *crawl, bool *ret)
{
    struct lost_files f;
    enum rc rc = lost_files_open(&f, crawl);
    if (rc == RC_OK)
        *ret = sealed_has_lost(f.sealed) || sealed_has_asked(f.sealed);
    rc = rc ? rc : sealed_compare(f.sealed, f.sent, note_changed, ret);
    lost_files_done(&f);
    return rc;
}
