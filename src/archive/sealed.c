/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/sealed.h"

#include "archive/file_list.h"
#include "archive/warc_files.h"
#include "archive/warc_find.h"
#include "archive/warc_name.h"
#include "base/mem.h"

#define SEALED_WORD "sealed"
#define LOST_WORD "lost"
#define ASKED_WORD "asked"

struct sealed {
    struct disk *disk;
    const char *folder;
    struct file_list *files;
};

enum rc sealed_open(struct disk *d, const char *folder, bool writes, struct sealed **ret)
{
    struct sealed *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->disk = d;
    s->folder = folder;
    enum rc rc = file_list_open(d, "state/sealed", writes, &s->files);
    if (rc)
        mem_free(s);
    else
        *ret = s;
    return rc;
}

void sealed_close(struct sealed *s)
{
    if (!s)
        return;
    file_list_close(s->files);
    mem_free(s);
}

enum rc sealed_add(struct sealed *s, struct str name, uint64_t bytes)
{
    const struct file_entry *e = file_list_get(s->files, name);
    bool is_known = e && e->bytes == bytes && strcmp(e->word, SEALED_WORD) == 0;
    return is_known ? RC_OK : file_list_add(s->files, name, bytes, SEALED_WORD);
}

enum rc sealed_sync(struct sealed *s)
{
    return file_list_sync(s->files);
}

/* Comparing ----------------------------------------------------------------------------------- */

/* A file may have its line and not yet its last name. */
static enum rc compare_one(const struct sealed *s, const struct file_entry *e,
                           const struct sent *sent, sealed_each *each, void *ctx)
{
    struct warc_size there;
    if (strcmp(e->word, SEALED_WORD) != 0)
        return RC_OK;
    enum rc rc = warc_measure(s->disk, s->folder, e->name, &there);
    if (rc || there.bytes == e->bytes || (!there.bytes && sent && sent_has(sent, e->name, NULL)))
        return rc;
    bool is_longer = there.bytes > e->bytes;
    if (is_longer && warc_has_open(s->disk, s->folder, e->name)) /* recovery cuts it */
        return RC_OK;
    return each(ctx, e->name, e->bytes, there.bytes);
}

enum rc sealed_compare(const struct sealed *s, const struct sent *sent, sealed_each *each,
                       void *ctx)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < file_list_count(s->files) && rc == RC_OK; i++)
        rc = compare_one(s, file_list_at(s->files, i), sent, each, ctx);
    return rc;
}

/* Changing the list --------------------------------------------------------------------------- */

struct finding {
    struct sealed *sealed;
    sealed_each *each;
    void *ctx;
};

static enum rc find_one(void *ctx, struct str name, bool is_folder)
{
    const struct finding *f = ctx;
    struct str unused;
    struct warc_size there;
    uint64_t serial;
    bool is_ours = !is_folder && name.n < WARC_FILES_NAME_BYTES &&
                   !warc_name_is_open(name, &unused) && warc_name_serial(name, &serial) == RC_OK;
    if (!is_ours || file_list_get(f->sealed->files, name))
        return RC_OK;
    enum rc rc = warc_measure(f->sealed->disk, f->sealed->folder, name, &there);
    return rc ? rc : f->each(f->ctx, name, there.bytes, there.bytes);
}

enum rc sealed_find_unknown(struct sealed *s, sealed_each *each, void *ctx)
{
    struct finding f = {s, each, ctx};
    enum rc rc = disk_list(s->disk, s->folder, find_one, &f);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc adopt_one(void *ctx, struct str name, uint64_t bytes, uint64_t there)
{
    (void)there;
    return sealed_add(ctx, name, bytes);
}

enum rc sealed_adopt(struct sealed *s)
{
    enum rc rc = sealed_find_unknown(s, adopt_one, s);
    return rc ? rc : sealed_sync(s);
}

enum rc sealed_lose(struct sealed *s, struct str name, uint64_t there)
{
    const struct file_entry *e = file_list_get(s->files, name);
    bool is_known = e && e->bytes == there && strcmp(e->word, SEALED_WORD) != 0;
    return is_known ? RC_OK : file_list_add(s->files, name, there, LOST_WORD);
}

static enum rc lose_one(void *ctx, struct str name, uint64_t bytes, uint64_t there)
{
    (void)bytes;
    return sealed_lose(ctx, name, there);
}

enum rc sealed_accept(struct sealed *s, const struct sent *sent)
{
    enum rc rc = sealed_compare(s, sent, lose_one, s);
    return rc ? rc : sealed_sync(s);
}

static bool has_word(const struct sealed *s, const char *word)
{
    for (uint32_t i = 0; i < file_list_count(s->files); i++)
        if (strcmp(file_list_at(s->files, i)->word, word) == 0)
            return true;
    return false;
}

bool sealed_has_lost(const struct sealed *s)
{
    return has_word(s, LOST_WORD);
}

bool sealed_is_lost(const struct sealed *s, struct str name)
{
    const struct file_entry *e = file_list_get(s->files, name);
    return e && strcmp(e->word, SEALED_WORD) != 0;
}

bool sealed_knows(const struct sealed *s, struct str name)
{
    return file_list_get(s->files, name) != NULL;
}

bool sealed_has_asked(const struct sealed *s)
{
    return has_word(s, ASKED_WORD);
}

enum rc sealed_asked(struct sealed *s)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < file_list_count(s->files) && rc == RC_OK; i++) {
        const struct file_entry *e = file_list_at(s->files, i);
        if (strcmp(e->word, LOST_WORD) == 0)
            rc = file_list_add(s->files, e->name, e->bytes, ASKED_WORD);
    }
    return rc ? rc : sealed_sync(s);
}
