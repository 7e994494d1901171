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

static enum rc check_part(void *handle, const char *path, const struct part **ret, struct buf *why)
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
    void *again = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!again) {
        buf_printf(why, "%s", dlerror());
        return RC_INVALID;
    }
    dlclose(again); /* the first handle still holds it */
    struct buf reason = {.max = 1000};
    enum rc rc = part_validate(part, &reason);
    if (rc == RC_INVALID)
        buf_printf(why, "%s: " STR_FMT, path, STR_ARG(buf_str(&reason)));
    buf_done(&reason);
    if (rc == RC_OK)
        *ret = part;
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
    lib->handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!lib->handle) {
        buf_printf(why, "%s", dlerror());
        mem_free(lib);
        return RC_NOT_FOUND;
    }
    enum rc rc = check_part(lib->handle, path, &lib->part, why);
    if (rc) {
        dlclose(lib->handle);
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
