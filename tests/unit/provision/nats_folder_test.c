/* SPDX-License-Identifier: Apache-2.0 */
/* The operator's folder: what is written is read back, and each failure has its reason. */
#include "provision/nats_folder.h"

#include "provision/nats_config.h"

#include "lib/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct bench {
    char dir[64];
    struct buf why;
    struct nats_plan plan, read;
};

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

static int set_up(void **state)
{
    static struct bench b;
    b = (struct bench){.why = {.max = 4096}};
    (void)snprintf(b.dir, sizeof b.dir, "/tmp/nats_folder_XXXXXX");
    *state = &b;
    return mkdtemp(b.dir) ? 0 : 1;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    buf_done(&b->why);
    return nftw(b->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_plan(struct nats_plan *p)
{
    struct nats_user *agent;
    uint32_t at;
    (void)snprintf(p->crawl, sizeof p->crawl, "test");
    (void)snprintf(p->operator.name, sizeof p->operator.name, "%s", NATS_OPERATOR);
    p->stream_bytes = 1 << 20;
    assert_rc(secret_make(&p->route), RC_OK);
    assert_rc(nats_plan_machine(p, STR("127.0.0.1:20001:20002"), &at), RC_OK);
    assert_rc(nats_plan_stores(p, 0), RC_OK);
    assert_rc(nats_plan_add(p, STR("a1"), at, &agent), RC_OK);
    struct secret s;
    struct secret_hash *hashes[] = {&p->admin, &p->operator.say, &p->operator.hear, &agent->say,
                                    &agent->hear};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        assert_rc(secret_make(&s), RC_OK);
        assert_rc(secret_hash_make(&s, hashes[i]), RC_OK);
    }
}

static void assert_why(struct bench *b, const char *wanted)
{
    if (str_find_str(buf_str(&b->why), str_c(wanted)) >= b->why.n)
        fail_msg("\"%s\" is not in \"" STR_FMT "\"", wanted, STR_ARG(buf_str(&b->why)));
    buf_clear(&b->why);
}

static bool has_file(const struct bench *b, const char *name)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", b->dir, name);
    return access(path, F_OK) == 0;
}

static void a_folder_without_a_plan_is_none_until_it_is_made(void **state)
{
    struct bench *b = *state;
    struct nats_folder f;
    assert_rc(nats_folder_open(&f, b->dir, false, &b->why), RC_NOT_FOUND);
    assert_why(b, "has no plan.json: `orbweaver cluster init` makes it");
    nats_folder_close(&f);
    assert_rc(nats_folder_open(&f, "/tmp/there-is-no-such-folder", false, &b->why), RC_NOT_FOUND);
    assert_why(b, "`orbweaver cluster init` makes it");
    nats_folder_close(&f);
    make_plan(&b->plan);
    assert_rc(nats_folder_open(&f, b->dir, true, &b->why), RC_OK);
    assert_rc(nats_folder_write_plan(&f, &b->plan), RC_OK);
    nats_folder_close(&f);
    assert_rc(nats_folder_open(&f, b->dir, true, &b->why), RC_EXISTS);
    assert_why(b, "holds a cluster already");
    nats_folder_close(&f);
    assert_rc(nats_folder_open(&f, b->dir, false, &b->why), RC_OK);
    assert_rc(nats_folder_plan(&f, &b->read), RC_OK);
    nats_folder_close(&f);
    assert_string_equal(b->read.crawl, "test");
    assert_int_equal(b->read.agent_count, 1);
    assert_string_equal(b->read.agents[0].name, "a1");
    assert_int_equal(b->why.n, 0);
}

static void a_damaged_plan_is_refused_with_its_reason(void **state)
{
    struct bench *b = *state;
    struct nats_folder f;
    char path[256];
    (void)snprintf(path, sizeof path, "%s/plan.json", b->dir);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    (void)fputs("{\"crawl\":", out);
    (void)fclose(out);
    assert_rc(nats_folder_open(&f, b->dir, false, &b->why), RC_OK);
    assert_rc(nats_folder_plan(&f, &b->read), RC_CORRUPT);
    assert_why(b, "plan.json: ");
    nats_folder_close(&f);
}

static void a_login_is_read_back_until_it_is_dropped(void **state)
{
    struct bench *b = *state;
    struct nats_folder f;
    struct nats_login l = {.crawl = "test", .name = "a1", .url = "nats://127.0.0.1:20002"}, read;
    (void)snprintf(l.say_user, sizeof l.say_user, "say.a1");
    assert_rc(secret_make(&l.say), RC_OK);
    make_plan(&b->plan);
    const struct nats_machine *machine = &b->plan.machines[0];
    assert_rc(nats_folder_open(&f, b->dir, true, &b->why), RC_OK);
    assert_rc(nats_folder_authority(&f, &b->plan), RC_OK);
    assert_rc(nats_folder_machine(&f, machine), RC_OK);
    assert_rc(nats_folder_login(&f, machine, &l), RC_OK);
    assert_rc(nats_folder_read_login(&f, machine, "a1", &read), RC_OK);
    assert_string_equal(read.say.text, l.say.text);
    nats_folder_drop_login(&f, machine, "a1");
    assert_rc(nats_folder_read_login(&f, machine, "a1", &read), RC_IO);
    assert_why(b, "a1.login: cannot read it");
    assert_rc(nats_folder_read_login(&f, NULL, "admin", &read), RC_IO);
    nats_folder_close(&f);
}

static void a_machine_gets_its_certificate_once_and_its_configuration_each_time(void **state)
{
    struct bench *b = *state;
    struct nats_folder f;
    struct buf first = {0}, again = {0};
    char path[256], folder[NATS_MAX_FOLDER_BYTES + 1];
    make_plan(&b->plan);
    struct buf name = buf_on(folder, sizeof folder);
    nats_machine_folder(&b->plan.machines[0], &name);
    (void)snprintf(path, sizeof path, "%s/" STR_FMT "/" NATS_FILE_CERT, b->dir,
                   STR_ARG(buf_str(&name)));
    assert_rc(nats_folder_open(&f, b->dir, true, &b->why), RC_OK);
    assert_rc(nats_folder_machine(&f, &b->plan.machines[0]), RC_IO); /* no authority */
    assert_why(b, "authority.key: cannot read it");
    assert_rc(nats_folder_authority(&f, &b->plan), RC_OK);
    assert_rc(nats_folder_machine(&f, &b->plan.machines[0]), RC_OK);
    assert_true(test_slurp(path, &first));
    assert_rc(nats_folder_machine(&f, &b->plan.machines[0]), RC_OK);
    assert_true(test_slurp(path, &again));
    assert_str(buf_str(&again), buf_str(&first));
    assert_rc(nats_folder_configs(&f, &b->plan), RC_OK);
    assert_false(nats_folder_is_founded(&f));
    assert_rc(nats_folder_founded(&f), RC_OK);
    assert_true(nats_folder_is_founded(&f));
    assert_true(has_file(b, "founded"));
    nats_folder_close(&f);
    buf_done(&first);
    buf_done(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_folder_without_a_plan_is_none_until_it_is_made, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_plan_is_refused_with_its_reason, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_login_is_read_back_until_it_is_dropped, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_machine_gets_its_certificate_once_and_its_configuration_each_time, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
