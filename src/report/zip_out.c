/* SPDX-License-Identifier: Apache-2.0 */
#include "report/zip_out.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zip.h>

struct zip_out {
    zip_t *zip;
};

/* libzip keeps the system's number beside its own. */
static enum rc rc_of(zip_error_t *e, struct buf *why)
{
    int system = zip_error_system_type(e) == ZIP_ET_SYS ? zip_error_code_system(e) : 0;
    buf_add(why, str_c(zip_error_strerror(e)));
    if (zip_error_code_zip(e) == ZIP_ER_MEMORY || system == ENOMEM)
        return RC_NOMEM;
    return system ? rc_of_errno(system) : RC_IO;
}

enum rc zip_out_open(const char *path, struct zip_out **ret, struct buf *why)
{
    int code = 0;
    struct zip_out *z = mem_zero(1, sizeof *z);
    if (!z)
        return RC_NOMEM;
    z->zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (z->zip) {
        *ret = z;
        return RC_OK;
    }
    zip_error_t e;
    zip_error_init_with_code(&e, code);
    enum rc rc = rc_of(&e, why);
    zip_error_fini(&e);
    mem_free(z);
    return rc;
}

void zip_out_close(struct zip_out *z)
{
    if (!z)
        return;
    if (z->zip)
        zip_discard(z->zip);
    mem_free(z);
}

/* Takes `source` also on failure. */
static enum rc add_source(struct zip_out *z, const char *name, zip_source_t *source, bool is_stored,
                          struct buf *why)
{
    if (!source)
        return rc_of(zip_get_error(z->zip), why);
    zip_int64_t at = zip_file_add(z->zip, name, source, ZIP_FL_ENC_UTF_8);
    if (at < 0) {
        zip_source_free(source);
        return rc_of(zip_get_error(z->zip), why);
    }
    int method = is_stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
    if (zip_set_file_compression(z->zip, (zip_uint64_t)at, method, 0) != 0)
        return rc_of(zip_get_error(z->zip), why);
    return RC_OK;
}

enum rc zip_out_file(struct zip_out *z, const char *name, const char *path, uint64_t bytes,
                     enum zip_out_how how, struct buf *why)
{
    /* A length of 0 would mean: up to the end, wherever that is by then. */
    if (bytes == 0)
        return zip_out_bytes(z, name, STR(""), why);
    if (bytes > INT64_MAX)
        return RC_LIMIT;
    zip_int64_t n = (zip_int64_t)bytes;
    FILE *f = how == ZIP_OUT_STORED_MOVING ? fopen(path, "rbe") : NULL;
    zip_source_t *source =
        f ? zip_source_filep(z->zip, f, 0, n) : zip_source_file(z->zip, path, 0, n);
    if (f && !source)
        (void)fclose(f);
    return add_source(z, name, source, how != ZIP_OUT_PACKED, why);
}

enum rc zip_out_bytes(struct zip_out *z, const char *name, struct str bytes, struct buf *why)
{
    /* libzip frees it with free(), so it does not come from mem.h; of nothing it frees nothing. */
    char *copy = bytes.n ? malloc(bytes.n) : NULL;
    if (bytes.n && !copy)
        return RC_NOMEM;
    if (bytes.n)
        memcpy(copy, bytes.p, bytes.n);
    zip_source_t *source = zip_source_buffer(z->zip, copy, bytes.n, 1);
    if (!source)
        free(copy);
    return add_source(z, name, source, true, why);
}

enum rc zip_out_finish(struct zip_out *z, struct buf *why)
{
    if (zip_close(z->zip) != 0)
        return rc_of(zip_get_error(z->zip), why);
    z->zip = NULL;
    return RC_OK;
}
