/* SPDX-License-Identifier: Apache-2.0 */
/* Some directories as crawls left them; in each case one file is damaged, and the directory is
 * opened. The outcome is always "nothing lost" or "refused, nothing changed".
 *
 *     crawl_damage_test              every case of the check
 *     crawl_damage_test --case N     one of them, with what it says
 *     crawl_damage_test --list       what each does
 *
 * $ORBWEAVER_TEST_DAMAGES: so many cases in all. $ORBWEAVER_TEST_SEED: others of them. */
#include "damage_judge.h"

#include "lib/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAST_CASES = 2000, WORKERS = 2, WORDS = 200, SHOWN = 40, CASE_SECONDS = 120 };

enum { ONE_IN = TEST_IS_SANITIZED ? 8 : 1 };

struct result {
    bool is_judged;
    enum outcome outcome;
    char words[WORDS];
};

struct shared { /* with the workers */
    size_t next[WORKERS];
    struct result results[];
};

static struct world {
    char root[60];
    struct base bases[BASES];
    struct damage_cases cases;
    struct shared *shared;
    size_t shared_bytes;
    struct opened references[BASES][2]; /* a worker's; the second behind a boot */
    bool has_reference[BASES][2];
} world;

/* One case ------------------------------------------------------------------------------------- */

static const char *work_folder(char room[100], unsigned worker)
{
    (void)snprintf(room, 100, "%s/work-%u", world.root, worker);
    return room;
}

static bool look_at(const struct base *b, const struct tree *t, bool is_rebooted, unsigned worker,
                    struct opened *o)
{
    char folder[100];
    bool good = tree_write(t, work_folder(folder, worker));
    if (good)
        opened_look(b, folder, is_rebooted, o);
    tree_remove(folder);
    return good;
}

/* What the undamaged directory says; NULL: it was refused. */
static const struct opened *reference_of(const struct base *b, bool is_rebooted, unsigned worker)
{
    struct opened *o = &world.references[b->kind][is_rebooted];
    bool *has = &world.has_reference[b->kind][is_rebooted];
    if (!*has)
        *has = look_at(b, &b->now, is_rebooted, worker, o) && !o->rc && !o->late;
    return *has ? o : NULL;
}

static void run_case(const struct damage_case *c, unsigned worker, struct result *ret)
{
    const struct base *b = &world.bases[c->base];
    struct tree t = {0};
    struct opened o = {0};
    struct buf words = buf_on(ret->words, sizeof ret->words - 1);
    ret->outcome = OUTCOME_WRONG;
    const struct opened *reference = reference_of(b, c->is_rebooted, worker);
    if (!reference)
        buf_printf(&words, "the undamaged directory: %s",
                   world.references[b->kind][c->is_rebooted].why);
    else if (damage_apply(c, b, &t) && look_at(b, &t, c->is_rebooted, worker, &o))
        ret->outcome = judge(c, b, &t, reference, &o, &words);
    else
        buf_add(&words, STR("the directory cannot be made"));
    if (!words.n)
        buf_add(&words, str_c(o.why));
    ret->is_judged = true;
    opened_done(&o);
    tree_done(&t);
}

/* Workers -------------------------------------------------------------------------------------- */

static void work(unsigned worker)
{
    size_t *next = &world.shared->next[worker];
    for (; *next < world.cases.count; *next += WORKERS * ONE_IN) {
        (void)alarm(CASE_SECONDS);
        run_case(&world.cases.list[*next], worker, &world.shared->results[*next]);
    }
    _exit(0);
}

static pid_t start(unsigned worker)
{
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        work(worker);
    return pid;
}

/* A worker that ends before its cases has been ended by one of them. */
static void wait_for(unsigned worker, pid_t pid)
{
    int status = 0;
    char folder[100];
    while (pid > 0 && waitpid(pid, &status, 0) == pid &&
           world.shared->next[worker] < world.cases.count) {
        struct result *r = &world.shared->results[world.shared->next[worker]];
        r->is_judged = true;
        r->outcome = OUTCOME_WRONG;
        (void)snprintf(r->words, sizeof r->words, "the process ended: signal %d, exit %d",
                       WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                       WIFEXITED(status) ? WEXITSTATUS(status) : 0);
        world.shared->next[worker] += WORKERS * ONE_IN;
        tree_remove(work_folder(folder, worker));
        pid = start(worker);
    }
}

static void run_all(void)
{
    pid_t pids[WORKERS];
    for (unsigned i = 0; i < WORKERS; i++) {
        world.shared->next[i] = (size_t)i * ONE_IN;
        pids[i] = start(i);
    }
    for (unsigned i = 0; i < WORKERS; i++)
        wait_for(i, pids[i]);
}

/* What came of it ------------------------------------------------------------------------------ */

static const char *const outcome_names[OUTCOMES] = {"kept", "torn", "refused", "late", "WRONG"};

static void print_table(void)
{
    static size_t table[FILE_KINDS][DAMAGES][OUTCOMES];
    memset(table, 0, sizeof table);
    for (size_t i = 0; i < world.cases.count; i++) {
        const struct damage_case *c = &world.cases.list[i];
        const struct result *r = &world.shared->results[i];
        if (r->is_judged)
            table[damage_file_kind(c, &world.bases[c->base])][c->damage][r->outcome]++;
    }
    print_message("# %-18s %-28s %6s %6s %8s %6s %6s\n", "file", "damage", "kept", "torn",
                  "refused", "late", "WRONG");
    for (unsigned k = 0; k < FILE_KINDS; k++)
        for (unsigned d = 0; d < DAMAGES; d++) {
            const size_t *n = table[k][d];
            if (n[0] + n[1] + n[2] + n[3] + n[4])
                print_message("# %-18s %-28s %6zu %6zu %8zu %6zu %6zu\n", damage_file_kind_name(k),
                              damage_name(d), n[0], n[1], n[2], n[3], n[4]);
        }
}

static void print_case(size_t i)
{
    char room[500];
    struct buf what = buf_on(room, sizeof room - 1);
    const struct damage_case *c = &world.cases.list[i];
    const struct result *r = &world.shared->results[i];
    damage_print(c, &world.bases[c->base], &what);
    print_message("# case %zu: " STR_FMT ": %s: %s\n", i, STR_ARG(buf_str(&what)),
                  r->is_judged ? outcome_names[r->outcome] : "", r->words);
}

/* Prints the first that are wrong; returns how many there are. */
static size_t print_wrong(size_t *ret_judged)
{
    size_t n = 0;
    *ret_judged = 0;
    const char *all = getenv("ORBWEAVER_TEST_DAMAGES_SHOWN");
    size_t shown = all ? (size_t)strtoull(all, NULL, 10) : SHOWN;
    for (size_t i = 0; i < world.cases.count; i++) {
        const struct result *r = &world.shared->results[i];
        *ret_judged += r->is_judged;
        if (r->is_judged && r->outcome == OUTCOME_WRONG && n++ < shown)
            print_case(i);
    }
    return n;
}

/* Making and removing -------------------------------------------------------------------------- */

static int make_world(void **state)
{
    (void)state;
    const char *where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    const char *wanted = getenv("ORBWEAVER_TEST_DAMAGES");
    size_t want = wanted ? (size_t)strtoull(wanted, NULL, 10) : LEAST_CASES;
    (void)snprintf(world.root, sizeof world.root, "%s/orbweaver-damage-XXXXXX", where);
    if (!mkdtemp(world.root))
        return -1;
    for (unsigned i = 0; i < BASES; i++)
        if (!base_make(&world.bases[i], (enum base_kind)i, world.root))
            return -1;
    if (!damage_cases_make(world.bases, test_seed(1), want, &world.cases))
        return -1;
    world.shared_bytes = sizeof *world.shared + world.cases.count * sizeof(struct result);
    world.shared =
        mmap(NULL, world.shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return world.shared == MAP_FAILED ? -1 : 0;
}

static int remove_world(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BASES; i++)
        base_done(&world.bases[i]);
    for (unsigned i = 0; i < BASES * 2; i++)
        opened_done(&world.references[i / 2][i % 2]);
    damage_cases_done(&world.cases);
    (void)munmap(world.shared, world.shared_bytes);
    tree_remove(world.root);
    return 0;
}

static void damage_is_refused_or_loses_nothing(void **state)
{
    (void)state;
    size_t judged;
    run_all();
    print_table();
    size_t wrong = print_wrong(&judged);
    print_message("# %zu cases, %zu wrong\n", judged, wrong);
    assert_true(judged >= LEAST_CASES / ONE_IN);
    assert_int_equal(wrong, 0);
}

static int run_one(const char *number)
{
    size_t i = (size_t)strtoull(number, NULL, 10);
    bool good = make_world(NULL) == 0 && i < world.cases.count;
    if (good) {
        run_case(&world.cases.list[i], 0, &world.shared->results[i]);
        print_case(i);
        good = world.shared->results[i].outcome != OUTCOME_WRONG;
    }
    (void)remove_world(NULL);
    return good ? 0 : 1;
}

static int list_all(void)
{
    bool good = make_world(NULL) == 0;
    for (size_t i = 0; good && i < world.cases.count; i++)
        print_case(i);
    (void)remove_world(NULL);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damage_is_refused_or_loses_nothing)};
    if (argc == 3 && strcmp(argv[1], "--case") == 0)
        return run_one(argv[2]);
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list_all();
    return cmocka_run_group_tests_name("damage", tests, make_world, remove_world);
}
