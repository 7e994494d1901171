/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/member_file.h"

#include "base/buf.h"
#include "base/digest.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool member_name_is_good(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
            return false;
    }
    return name.n > 0 && name.n <= LINK_MAX_NAME_BYTES;
}

static struct str value_of(struct str text, struct str key)
{
    while (text.n) {
        struct str line = str_take_until(&text, '\n');
        if (str_starts(line, key))
            return str_trim(str_from(line, key.n));
    }
    return STR_NONE;
}

struct str member_file_secret(struct str text)
{
    return value_of(text, STR("member-secret:"));
}

bool member_file_trusted(struct str text)
{
    return str_eq(value_of(text, STR("member-trusted:")), STR("yes"));
}

static bool read_private(const char *path, char *room, size_t bytes, struct str *ret)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = -1;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        !(st.st_mode & (S_IRWXG | S_IRWXO)))
        n = read(fd, room, bytes);
    if (fd >= 0)
        close(fd);
    *ret = str_make(room, n > 0 ? (size_t)n : 0);
    return n > 0;
}

/* The member's file, in `room`. */
static bool read_file(const char *dir, struct str name, char *room, size_t bytes, struct str *ret)
{
    char path[4096];
    struct buf to = buf_on(path, sizeof path);
    if (!member_name_is_good(name))
        return false;
    buf_printf(&to, "%s/members/" STR_FMT ".yaml", dir, STR_ARG(name));
    buf_byte(&to, '\0');
    return buf_rc(&to) == RC_OK && read_private(path, room, bytes, ret);
}

bool member_key_find(void *ctx, struct str name, struct digest *ret)
{
    char room[MEMBER_FILE_MAX_BYTES];
    struct str text;
    bool is_known = read_file(ctx, name, room, sizeof room, &text) &&
                    link_key(member_file_secret(text), ret) == RC_OK;
    explicit_bzero(room, sizeof room);
    return is_known;
}

bool member_is_trusted(void *ctx, struct str name)
{
    char room[MEMBER_FILE_MAX_BYTES];
    struct str text;
    bool is_trusted = read_file(ctx, name, room, sizeof room, &text) && member_file_trusted(text);
    explicit_bzero(room, sizeof room);
    return is_trusted;
}
