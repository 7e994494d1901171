/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/sent.h"

#include "archive/file_list.h"
#include "base/mem.h"

#define SENT_WORD "sent"

struct sent {
    struct file_list *files;
};

enum rc sent_open(struct disk *d, bool writes, struct sent **ret)
{
    struct sent *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    enum rc rc = file_list_open(d, "state/sent", writes, &s->files);
    if (rc)
        mem_free(s);
    else
        *ret = s;
    return rc;
}

void sent_close(struct sent *s)
{
    if (!s)
        return;
    file_list_close(s->files);
    mem_free(s);
}

bool sent_has(const struct sent *s, struct str name, uint64_t *ret_bytes)
{
    const struct file_entry *e = file_list_get(s->files, name);
    if (e && ret_bytes)
        *ret_bytes = e->bytes;
    return e != NULL;
}

enum rc sent_add(struct sent *s, struct str name, uint64_t bytes)
{
    if (file_list_get(s->files, name))
        return RC_EXISTS;
    enum rc rc = file_list_add(s->files, name, bytes, SENT_WORD);
    return rc ? rc : file_list_sync(s->files);
}

uint64_t sent_files(const struct sent *s)
{
    return file_list_count(s->files);
}

uint64_t sent_bytes(const struct sent *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < file_list_count(s->files); i++)
        bytes += file_list_at(s->files, i)->bytes;
    return bytes;
}
