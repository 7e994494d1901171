/* SPDX-License-Identifier: Apache-2.0 */
/* Several agents and an archive machine in one process, on loopback and real folders: all files
 * arrive, with several threads on either end. The soak tests run it with the thread sanitizer. */
#include "bus/certificate.h"
#include "disk/disk.h"
#include "lib/test.h"
#include "sink/outbox.h"
#include "sink/server.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { AGENTS = 3, FILES = 5, FILE_BYTES = 1500000, WAIT_MS = 120000 };

struct machine {
    char dir[64];
    struct disk *disk;
    struct sink_store *store;
    struct sink_server *server;
    struct buf agents;
    struct certificate authority, certificate;
    pthread_t thread;
    _Atomic bool stop;
    enum rc ended;
};

static const char *name_of(unsigned agent, unsigned file, char room[64])
{
    (void)snprintf(room, 64, "p-20240506070809123-%05u-h-a%u.warc.gz", file, agent);
    return room;
}

static struct str bytes_of(unsigned agent, unsigned file, char *room)
{
    for (size_t i = 0; i < FILE_BYTES; i++)
        room[i] = (char)(i * 31 + i / 257 + agent * 7 + file);
    return str_make(room, FILE_BYTES - file);
}

static void put_file(struct disk *d, const char *path, struct str bytes)
{
    assert_rc(disk_replace(d, path, bytes), RC_OK);
}

/* The machine ---------------------------------------------------------------------------------- */

static bool may(void *ctx, struct str name, struct str secret)
{
    const struct machine *m = ctx;
    return sink_agents_know(buf_str(&m->agents), name, secret);
}

static void *serve(void *ctx)
{
    struct machine *m = ctx;
    m->ended = sink_server_run(m->server, &m->stop);
    return NULL;
}

static void machine_listen(struct machine *m)
{
    char cert[96], key[96];
    struct buf why = {.max = 1000};
    struct sink_store_settings limits = {.max_file_bytes = 1 << 30};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)snprintf(cert, sizeof cert, "%s/server.crt", m->dir);
    (void)snprintf(key, sizeof key, "%s/server.key", m->dir);
    struct sink_server_settings s = {
        .address_bytes = sizeof at, .cert_file = cert, .key_file = key, .may = may, .may_ctx = m};
    memcpy(&s.address, &at, sizeof at);
    assert_rc(sink_store_open(m->disk, &limits, &m->store), RC_OK);
    s.store = m->store;
    assert_rc(sink_server_open(&s, &m->server, &why), RC_OK);
    m->stop = false;
    assert_int_equal(pthread_create(&m->thread, NULL, serve, m), 0);
    buf_done(&why);
}

static void machine_open(struct machine *m)
{
    *m = (struct machine){.dir = "/tmp/orbweaver-sink-XXXXXX"};
    assert_non_null(mkdtemp(m->dir));
    assert_rc(disk_real_open(m->dir, &m->disk), RC_OK);
    buf_init(&m->agents, SINK_AGENTS_MAX_BYTES);
    certificate_init(&m->authority);
    certificate_init(&m->certificate);
    assert_rc(certificate_authority(STR("test"), &m->authority), RC_OK);
    assert_rc(certificate_for(&m->authority, STR("127.0.0.1"), &m->certificate), RC_OK);
    put_file(m->disk, "server.crt", buf_str(&m->certificate.cert));
    put_file(m->disk, "server.key", buf_str(&m->certificate.key));
}

static void machine_stop(struct machine *m)
{
    m->stop = true;
    assert_int_equal(pthread_join(m->thread, NULL), 0);
    assert_rc(m->ended, RC_OK);
    sink_server_close(m->server);
    sink_store_close(m->store);
}

static void machine_close(struct machine *m)
{
    char command[128];
    certificate_done(&m->authority);
    certificate_done(&m->certificate);
    buf_done(&m->agents);
    disk_close(m->disk);
    (void)snprintf(command, sizeof command, "rm -rf %s", m->dir);
    assert_int_equal(system(command), 0);
}

/* Agents --------------------------------------------------------------------------------------- */

/* Makes a crawl's directory inside the machine's, with full files, and its login. */
static void agent_make(struct machine *m, unsigned agent, char *room)
{
    static const char *const folders[] = {"", "/state", "/archive", "/indexes", "/indexes/parts"};
    struct sink_login l = {.host = "127.0.0.1"};
    struct secret_hash hash;
    struct buf text = {.max = SINK_LOGIN_MAX_BYTES}, before = m->agents;
    char path[160], name[64];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(path, sizeof path, "a%u%s", agent, folders[i]);
        assert_rc(disk_mkdir(m->disk, path), RC_OK);
    }
    for (unsigned i = 0; i < FILES; i++) {
        (void)snprintf(path, sizeof path, "a%u/archive/%s", agent, name_of(agent, i, name));
        put_file(m->disk, path, bytes_of(agent, i, room));
    }
    (void)snprintf(l.name, sizeof l.name, "a%u", agent);
    assert_rc(secret_make(&l.secret), RC_OK);
    assert_rc(secret_hash_make(&l.secret, &hash), RC_OK);
    buf_init(&m->agents, SINK_AGENTS_MAX_BYTES);
    sink_agents_write(buf_str(&before), str_c(l.name), &hash, &m->agents);
    buf_done(&before);
    l.port = sink_server_port(m->server);
    sink_login_write(&l, buf_str(&m->authority.cert), &text);
    (void)snprintf(path, sizeof path, "a%u.login", agent);
    put_file(m->disk, path, buf_str(&text));
    buf_done(&text);
}

static struct sink_outbox *agent_send(const struct machine *m, unsigned agent, bool removes)
{
    char dir[160], login[160];
    struct sink_outbox *o = NULL;
    struct buf why = {.max = 1000};
    (void)snprintf(dir, sizeof dir, "%s/a%u", m->dir, agent);
    (void)snprintf(login, sizeof login, "%s/a%u.login", m->dir, agent);
    struct sink_outbox_settings s = {.dir = dir, .login_file = login, .removes = removes};
    assert_rc(sink_outbox_open(&s, &o, &why), RC_OK);
    buf_done(&why);
    return o;
}

static void assert_arrived(struct machine *m, unsigned agent, char *room)
{
    char path[160], name[64];
    for (unsigned i = 0; i < FILES; i++) {
        struct buf got = {.max = FILE_BYTES * 2};
        (void)snprintf(path, sizeof path, "archive/%s", name_of(agent, i, name));
        assert_rc(disk_read_whole(m->disk, path, &got), RC_OK);
        struct str want = bytes_of(agent, i, room);
        assert_true(str_eq(buf_str(&got), want));
        buf_done(&got);
    }
}

static void files_of_several_agents_arrive_at_once(void **state)
{
    (void)state;
    struct machine m;
    struct sink_outbox *o[AGENTS];
    char *room = malloc(FILE_BYTES);
    assert_non_null(room);
    machine_open(&m);
    machine_listen(&m);
    for (unsigned i = 0; i < AGENTS; i++)
        agent_make(&m, i, room);
    for (unsigned i = 0; i < AGENTS; i++)
        o[i] = agent_send(&m, i, i == 0);
    for (unsigned i = 0; i < AGENTS; i++) {
        const struct sink_numbers *n = sink_outbox_numbers(o[i]);
        assert_true(sink_outbox_finish(o[i], WAIT_MS, NULL, NULL));
        assert_int_equal(atomic_load(&n->left_files), 0);
        assert_int_equal(atomic_load(&n->sent_files), FILES);
    }
    for (unsigned i = 0; i < AGENTS; i++)
        sink_outbox_close(o[i]);
    for (unsigned i = 0; i < AGENTS; i++)
        assert_arrived(&m, i, room);
    machine_stop(&m);
    machine_close(&m);
    free(room);
}

static void one_process_sends_from_a_directory_at_a_time(void **state)
{
    (void)state;
    struct machine m;
    struct buf why = {.max = 1000};
    struct sink_outbox *second = NULL;
    char dir[160], login[160], *room = malloc(FILE_BYTES);
    assert_non_null(room);
    machine_open(&m);
    machine_listen(&m);
    agent_make(&m, 0, room);
    struct sink_outbox *first = agent_send(&m, 0, false);
    (void)snprintf(dir, sizeof dir, "%s/a0", m.dir);
    (void)snprintf(login, sizeof login, "%s/a0.login", m.dir);
    struct sink_outbox_settings s = {.dir = dir, .login_file = login};
    assert_rc(sink_outbox_open(&s, &second, &why), RC_LOCKED);
    assert_true(why.n > 0);
    assert_true(sink_outbox_finish(first, WAIT_MS, NULL, NULL));
    sink_outbox_close(first);
    machine_stop(&m); /* the agent knows without the machine what was sent */
    first = agent_send(&m, 0, false);
    assert_true(sink_outbox_finish(first, WAIT_MS, NULL, NULL));
    sink_outbox_close(first);
    machine_close(&m);
    buf_done(&why);
    free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_several_agents_arrive_at_once),
        cmocka_unit_test(one_process_sends_from_a_directory_at_a_time),
    };
    return cmocka_run_group_tests_name("transfer", tests, NULL, NULL);
}
