/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a part from a shared object. It is bound lazily at first, so that one made for another
 * ABI, which may lack functions or want ones that do not exist, can still be opened and its version
 * read; only then is everything resolved, so that nothing is missing at the first call. */
#include "flow/catalog.h"

#include "base/mem.h"

#include <dlfcn.h>

struct library {
    struct library *next;
    void *handle;
    const struct part *part;
    char path[];
};

/* Is it a part, and of this ABI? */
static enum rc check_abi(void *handle, const char *path, struct buf *why)
{
    const struct part *part = dlsym(handle, "orbweaver_part");
    if (!part) {
        buf_printf(why, "%s has no symbol orbweaver_part: it is not a part", path);
        return RC_NOT_FOUND;
    }
    if (part->abi != PART_ABI) {
        buf_printf(why, "%s was built for part ABI %u, this program has %u: build it again", path,
                   part->abi, PART_ABI);
        return RC_VERSION;
    }
    return RC_OK;
}

static enum rc check_table(const struct part *part, const char *path, struct buf *why)
{
    struct buf reason = {.max = 1000};
    enum rc rc = part_validate(part, &reason);
    if (rc == RC_INVALID)
        buf_printf(why, "%s: " STR_FMT, path, STR_ARG(buf_str(&reason)));
    buf_done(&reason);
    return rc;
}

static enum rc open_handle(const char *path, int mode, enum rc if_not, void **ret_handle,
                           struct buf *why)
{
    *ret_handle = dlopen(path, mode | RTLD_LOCAL);
    if (*ret_handle)
        return RC_OK;
    buf_printf(why, "%s", dlerror());
    return if_not;
}

static enum rc open_part(const char *path, struct library *lib, struct buf *why)
{
    void *handle;
    enum rc rc = open_handle(path, RTLD_LAZY, RC_NOT_FOUND, &handle, why);
    if (rc)
        return rc;
    rc = check_abi(handle, path, why);
    dlclose(handle); /* while it is open, opening it again would not resolve the rest */
    if (rc == RC_OK)
        rc = open_handle(path, RTLD_NOW, RC_INVALID, &lib->handle, why);
    if (rc)
        return rc;
    lib->part = dlsym(lib->handle, "orbweaver_part");
    rc = check_table(lib->part, path, why);
    if (rc)
        dlclose(lib->handle);
    return rc;
}

static struct library *library_find(struct library *list, const char *path)
{
    while (list && strcmp(list->path, path) != 0)
        list = list->next;
    return list;
}

enum rc library_load(struct library **list, const char *path, const struct part **ret,
                     struct buf *why)
{
    struct library *lib = library_find(*list, path);
    if (lib) {
        *ret = lib->part;
        return RC_OK;
    }
    lib = mem_alloc(sizeof *lib + strlen(path) + 1);
    if (!lib)
        return RC_NOMEM;
    memcpy(lib->path, path, strlen(path) + 1);
    enum rc rc = open_part(path, lib, why);
    if (rc) {
        mem_free(lib);
        return rc;
    }
    lib->next = *list;
    *list = lib;
    *ret = lib->part;
    return RC_OK;
}

void library_close_all(struct library **list)
{
    while (*list) {
        struct library *lib = *list;
        *list = lib->next;
        dlclose(lib->handle);
        mem_free(lib);
    }
}
