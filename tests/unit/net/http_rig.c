/* SPDX-License-Identifier: Apache-2.0 */
#include "http_rig.h"

#include "lib/test.h"

struct http_settings http_rig_usual(void)
{
    return (struct http_settings){
        .connect_ms = 5000,
        .tls_ms = 5000,
        .first_byte_ms = 5000,
        .head_ms = 5000,
        .idle_ms = 5000,
        .total_ms = 10000,
        .rate_window_ms = 1000,
        .head_bytes = 4096,
        .line_bytes = 1024,
        .header_count = 100,
        .interim_most = 3,
        .keep_ms = 5000,
        .idle_most = 4,
    };
}

void http_rig_note(struct http_ask *ask, const struct http_answer *a)
{
    struct http_rig *r = EVENT_OF(ask, struct http_rig, ask);
    r->done++;
    r->answer = *a;
    buf_clear(&r->head);
    buf_add(&r->head, a->head);
    buf_clear(&r->body);
    buf_add(&r->body, a->body);
}

void http_rig_init(struct http_rig *r, const struct http_settings *s, uint16_t port,
                   const struct address *address)
{
    static const struct str allowed[] = {{"127.0.0.0/8", 11}};
    struct option_list allow = {allowed, 1};
    char room[200];
    struct buf why = buf_on(room, sizeof room);
    *r = (struct http_rig){0};
    buf_init(&r->head, 1 << 20);
    buf_init(&r->body, 64 << 20);
    assert_rc(guard_open(&allow, &r->guard, &why), RC_OK);
    assert_rc(loop_init(&r->loop, clock_real()), RC_OK);
    assert_rc(http_open(&r->loop, s, &r->http, &why), RC_OK);
    r->ask = (struct http_ask){
        .host = STR("x.test"),
        .port = port,
        .addresses = address,
        .address_count = 1,
        .guard = r->guard,
        .request = STR(HTTP_RIG_REQUEST),
        .body_bytes = 4 << 20,
        .done = http_rig_note,
    };
}

void http_rig_done(struct http_rig *r)
{
    http_close(r->http);
    guard_close(r->guard);
    loop_done(&r->loop);
    buf_done(&r->head);
    buf_done(&r->body);
}

void http_rig_run_until(struct http_rig *r, unsigned done)
{
    for (int i = 0; i < HTTP_RIG_MOST_TURNS && r->done < done; i++) {
        loop_doze(&r->loop);
        if (!loop_run(&r->loop))
            loop_wait(&r->loop);
    }
    assert_int_equal(r->done, done);
}
