/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for any bytes that an agent sends to the archive machine: each frame has an answer
 * that can itself be read, strangers move nothing, and a name without ".part" has the bytes that
 * were offered. A byte in front: the session knows the agent already, or not. */
#include "sink/session.h"

#include "disk/disk_crash.h"
#include "fuzz.h"

static bool may(void *ctx, struct str name, struct str secret)
{
    (void)ctx;
    return str_eq(name, STR("a")) && str_eq(secret, STR("b"));
}

/* The digests that were offered and stored. */
struct offered {
    struct disk *disk;
    struct sink_frame last;
    char name[SINK_MAX_TEXT_BYTES + 1];
};

static void check_stored(const struct offered *o)
{
    char path[SINK_MAX_TEXT_BYTES + 32];
    struct buf got = {.max = DISK_CRASH_MAX_FILE_BYTES};
    struct digest d;
    (void)snprintf(path, sizeof path, "%s/%s",
                   o->last.what == SINK_WARC ? "archive" : "indexes/parts", o->name);
    MUST(disk_read_whole(o->disk, path, &got) == RC_OK);
    MUST(got.n == o->last.bytes);
    MUST(digest_of(DIGEST_SHA256, buf_str(&got), &d) == RC_OK);
    MUST(memcmp(d.bytes, o->last.sha256, sizeof o->last.sha256) == 0);
    buf_done(&got);
}

static bool answer(struct sink_session *s, struct offered *o, const struct sink_frame *f)
{
    struct sink_frame reply = {0}, back;
    size_t used;
    struct buf out = {.max = SINK_MAX_SMALL_BYTES};
    bool was_known = sink_session_is_known(s);
    if (f && f->kind == SINK_PUT) {
        o->last = *f;
        (void)snprintf(o->name, sizeof o->name, STR_FMT, STR_ARG(f->name));
    }
    bool goes_on = sink_session_take(s, f, &reply);
    sink_frame_write(&out, &reply);
    MUST(sink_frame_read(buf_str(&out), SINK_MAX_SMALL_BYTES, &back, &used) == RC_OK);
    MUST(back.kind == reply.kind && used == out.n);
    MUST(was_known || reply.kind == SINK_WELCOME || !goes_on);
    if (reply.kind == SINK_STORED)
        check_stored(o);
    buf_done(&out);
    return goes_on;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct sink_frame hello = {
        .kind = SINK_HELLO, .version = SINK_VERSION, .name = {"a", 1}, .secret = {"b", 1}};
    struct sink_store_settings settings = {.max_file_bytes = 1 << 20};
    struct offered o = {0};
    struct sink_store *store = NULL;
    if (n == 0)
        return 0;
    MUST(disk_crash_open(&o.disk) == RC_OK);
    MUST(sink_store_open(o.disk, &settings, &store) == RC_OK);
    struct sink_session *s =
        sink_session_open(&(struct sink_session_setup){.store = store, .may = may});
    MUST(s);
    bool goes_on = data[0] % 2 == 0 || answer(s, &o, &hello);
    struct str in = str_make((const char *)data + 1, n - 1);
    while (goes_on && in.n) {
        struct sink_frame f;
        size_t used;
        enum rc rc = sink_frame_read(in, sink_session_max_bytes(s), &f, &used);
        if (rc == RC_AGAIN)
            break;
        goes_on = answer(s, &o, rc == RC_OK ? &f : NULL);
        in = str_from(in, rc == RC_OK ? used : in.n);
    }
    sink_session_close(s);
    sink_store_close(store);
    disk_close(o.disk);
    return 0;
}
