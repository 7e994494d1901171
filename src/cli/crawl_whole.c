/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl_whole.h"

#include "cli/cluster_ask.h"
#include "cli/crawl_client.h"
#include "provision/nats_folder.h"

#include "base/base64.h"
#include "base/fd.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ASK_MS = 8000, TRIES = 3, OPEN_FOLDERS = 16 };

/* The agents ----------------------------------------------------------------------------------- */

static bool is_clustered(const char *dir)
{
    struct crawl_client c;
    json_t *answer = NULL;
    bool is = crawl_client_open(&c, dir, true) == EXIT_DONE;
    if (is) {
        (void)crawl_client_begin(&c, "agent");
        is = crawl_client_ask(&c, &answer) == EXIT_DONE && *json_text(answer, "agent");
    }
    json_decref(answer);
    crawl_client_close(&c);
    return is;
}

static bool has_answered(const json_t *rows, const char *agent)
{
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row) if (strcmp(json_text(row, "agent"), agent) == 0 &&
                                         json_object_get(row, "answer")) return true;
    return false;
}

static void miss(struct crawl_whole *w, const char *agent)
{
    struct str rest = buf_str(&w->missing);
    if (!nats_name_is_good(str_c(agent)))
        return;
    while (rest.n) {
        struct str name = str_trim(str_take_until(&rest, ','));
        if (str_eq(name, str_c(agent)))
            return;
    }
    buf_printf(&w->missing, "%s%s", w->missing.n ? ", " : "", agent);
}

/* Whether an agent that answers knows it as a member, or as one that left. */
static bool is_named(const json_t *rows, const char *agent)
{
    const json_t *row, *member, *name;
    size_t i, k;
    json_array_foreach(rows, i, row)
    {
        const json_t *a = json_object_get(row, "answer");
        json_array_foreach(json_object_get(a, "members"), k,
                           member) if (strcmp(json_text(member, "agent"), agent) == 0) return true;
        json_array_foreach(json_object_get(a, "away"), k,
                           name) if (strcmp(json_string_value(name), agent) == 0) return true;
    }
    return false;
}

/* Agents that are away, and members that do not answer. */
static void note_missing(struct crawl_whole *w)
{
    const json_t *row, *name;
    size_t i, k;
    json_array_foreach(w->rows, i, row)
    {
        const json_t *a = json_object_get(row, "answer");
        if (!a && is_named(w->rows, json_text(row, "agent")))
            miss(w, json_text(row, "agent"));
        json_array_foreach(json_object_get(a, "away"), k,
                           name) if (json_is_string(name) &&
                                     !has_answered(w->rows, json_string_value(name)))
            miss(w, json_string_value(name));
    }
}

int crawl_whole_open(struct crawl_whole *w, const char *dir)
{
    struct operator_dir operator;
    *w = (struct crawl_whole){.dir = dir, .missing = {.max = 1 << 20}};
    w->is_operators = operator_folder(dir, &operator) && strcmp(operator.folder, dir) == 0;
    int code = EXIT_DONE;
    if (w->is_operators)
        code = cluster_ask_all(&operator, "{\"do\":\"agent\"}", &w->rows, NULL);
    else if (is_clustered(dir))
        code = cluster_ask_from(dir, &w->rows);
    if (code != EXIT_DONE || !w->rows)
        return code;
    if (!w->is_operators) /* its own row is the first */
        (void)snprintf(w->me, sizeof w->me, "%s", json_text(json_array_get(w->rows, 0), "agent"));
    note_missing(w);
    return EXIT_DONE;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s;
    (void)kind;
    (void)at;
    (void)remove(path);
    return 0;
}

void crawl_whole_close(struct crawl_whole *w)
{
    if (w->folder[0])
        (void)nftw(w->folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    json_decref(w->rows);
    if (w->missing.max)
        buf_done(&w->missing);
    *w = (struct crawl_whole){0};
}

/* Asking one ----------------------------------------------------------------------------------- */

/* How to reach an agent: through the agent of DIR, or through NATS with the operator's login. */
struct channel {
    struct crawl_client control;
    struct nats_login login;
    struct nats_client nats;
    bool by_nats;
};

static int channel_open(struct channel *y, const struct crawl_whole *w)
{
    struct operator_dir operator;
    *y = (struct channel){.by_nats = w->is_operators};
    if (!y->by_nats)
        return crawl_client_open(&y->control, w->dir, false);
    (void)operator_folder(w->dir, &operator);
    return operator_open(&operator, & y->login, &y->nats);
}

static void channel_close(struct channel *y)
{
    if (y->by_nats)
        nats_client_close(&y->nats);
    else
        crawl_client_close(&y->control);
    explicit_bzero(&y->login, sizeof y->login);
}

static json_t *ask_by_nats(struct channel *y, const char *agent, const char *file, uint64_t from)
{
    char subject[BUS_MAX_SUBJECT_BYTES], question[256];
    struct nats_client_call call = {.subject = subject};
    (void)snprintf(subject, sizeof subject, "orb.%s.ask.%s." NATS_OPERATOR, y->login.crawl, agent);
    (void)snprintf(question, sizeof question, "{\"do\":\"piece\",\"file\":\"%s\",\"from\":%llu}",
                   file, (unsigned long long)from);
    call.text = str_c(question);
    nats_client_ask(&y->nats, &call, 1, ASK_MS);
    json_t *answer = call.rc ? NULL : json_loadb(call.answer.p, call.answer.n, 0, NULL);
    buf_done(&call.answer);
    return answer;
}

/* NULL: no answer. */
static json_t *ask_once(struct channel *y, const char *agent, const char *file, uint64_t from)
{
    json_t *answer = NULL;
    if (y->by_nats)
        return ask_by_nats(y, agent, file, from);
    struct jsonw *j = crawl_client_begin(&y->control, "piece");
    jsonw_text_field(j, "file", str_c(file));
    jsonw_u64_field(j, "from", from);
    jsonw_text_field(j, "agent", str_c(agent));
    return crawl_client_ask(&y->control, &answer) == EXIT_DONE ? answer : NULL;
}

/* Writes the bytes to `ret`; false: they are not those that the agent sent. */
static bool read_piece(const json_t *answer, const char *file, uint64_t from, struct buf *ret,
                       uint64_t *ret_size)
{
    char check[20];
    const json_t *data = json_object_get(answer, "data");
    buf_clear(ret);
    if (!json_is_string(data) || strcmp(json_text(answer, "file"), file) != 0 ||
        json_u64(answer, "from") != from ||
        base64_read(str_make(json_string_value(data), json_string_length(data)), ret) ||
        buf_rc(ret))
        return false;
    (void)snprintf(check, sizeof check, "%016llx", (unsigned long long)hash64(buf_str(ret)));
    *ret_size = json_u64(answer, "size");
    return strcmp(check, json_text(answer, "check")) == 0;
}

static bool ask_piece(struct channel *y, const char *agent, const char *file, uint64_t from,
                      struct buf *ret, uint64_t *ret_size)
{
    bool is_good = false;
    for (int i = 0; i < TRIES && !is_good; i++) {
        json_t *answer = ask_once(y, agent, file, from);
        is_good = answer && read_piece(answer, file, from, ret, ret_size);
        json_decref(answer);
    }
    return is_good;
}

/* Copying -------------------------------------------------------------------------------------- */

enum copied { COPIED, NOT_ANSWERED, NOT_WRITTEN };

/* Up to where the file ended when the first piece was asked for. */
static enum copied copy_file(struct channel *y, const char *agent, const char *file, int fd)
{
    struct buf piece = {.max = 2 * PIECE_BYTES};
    uint64_t size = 0, now, at = 0;
    enum copied is = COPIED;
    do {
        if (!ask_piece(y, agent, file, at, &piece, &now)) {
            is = NOT_ANSWERED;
            break;
        }
        size = at ? size : now;
        struct str bytes = str_first(buf_str(&piece), (size_t)(size - at));
        if (!fd_write_all(fd, bytes))
            is = NOT_WRITTEN;
        else if (!bytes.n && at < size)
            is = NOT_ANSWERED; /* it has become shorter */
        at += bytes.n;
    } while (is == COPIED && at < size);
    buf_done(&piece);
    return is;
}

static enum copied copy_files(struct channel *y, const char *agent, const char *folder,
                              unsigned files)
{
    static const char *const below[] = {"",       "/state",   "/links",        "/logs",
                                        "/pages", "/indexes", "/indexes/parts"};
    char path[WHOLE_PATH_BYTES];
    enum copied is = COPIED;
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        (void)snprintf(path, sizeof path, "%.*s%s", WHOLE_PATH_BYTES - 100, folder, below[i]);
        if (mkdir(path, 0700) && errno != EEXIST)
            return NOT_WRITTEN;
    }
    for (unsigned i = 0; i < PIECE_FILES && is == COPIED; i++) {
        if (!(files & 1u << i))
            continue;
        (void)snprintf(path, sizeof path, "%.*s/%s", WHOLE_PATH_BYTES - 100, folder,
                       piece_paths[i]);
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        is = fd < 0 ? NOT_WRITTEN : copy_file(y, agent, piece_paths[i], fd);
        if (fd >= 0 && close(fd))
            is = NOT_WRITTEN;
    }
    return is;
}

static int make_folder(struct crawl_whole *w)
{
    int n = snprintf(w->folder, sizeof w->folder, "%s/whole.XXXXXX", w->dir);
    bool is_made = n > 0 && (size_t)n < sizeof w->folder - 200 && mkdtemp(w->folder);
    int code = is_made ? EXIT_DONE
                       : cli_fail(EXIT_OTHER, "%s: cannot make a folder in it: %s", w->dir,
                                  strerror(errno));
    if (!is_made)
        w->folder[0] = 0;
    return code;
}

int crawl_whole_copy(struct crawl_whole *w, unsigned files,
                     int (*each)(void *ctx, const char *agent, const char *path), void *ctx)
{
    char path[WHOLE_PATH_BYTES];
    const json_t *row;
    struct channel channel;
    size_t i;
    int code = make_folder(w);
    if (code == EXIT_DONE)
        code = channel_open(&channel, w);
    else
        return code;
    json_array_foreach(w->rows, i, row)
    {
        const char *agent = json_text(row, "agent");
        if (code != EXIT_DONE || strcmp(agent, w->me) == 0 || !json_object_get(row, "answer") ||
            !nats_name_is_good(str_c(agent)))
            continue;
        (void)snprintf(path, sizeof path, "%.*s/%.80s", WHOLE_PATH_BYTES - 100, w->folder, agent);
        enum copied is = copy_files(&channel, agent, path, files);
        if (is == NOT_WRITTEN)
            code = cli_fail(EXIT_DISK, "%s: %s", path, strerror(errno));
        else if (is == NOT_ANSWERED)
            miss(w, agent);
        else
            code = each(ctx, agent, path);
    }
    channel_close(&channel);
    return code;
}
