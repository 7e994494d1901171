/* SPDX-License-Identifier: Apache-2.0 */
/* replay: runs a fuzz target over saved inputs, so that what a fuzzer once found stays an ordinary
 * test. Arguments are files or folders; without one it reads standard input once. */
#include "base/buf.h"
#include "base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t inputs;

static void run_stream(FILE *f)
{
    struct buf all = {.max = 64 << 20};
    char *to;
    size_t n;
    while ((to = buf_reserve(&all, 1 << 16)) && (n = fread(to, 1, 1 << 16, f)))
        all.n += n;
    /* An exact copy, so that a sanitizer sees the first byte read past the end. */
    uint8_t *exact = mem_alloc(all.n);
    if (exact) {
        memcpy(exact, buf_str(&all).p, all.n);
        LLVMFuzzerTestOneInput(exact, all.n);
        inputs++;
    }
    mem_free(exact);
    buf_done(&all);
}

static void run_path(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        FILE *f = fopen(path, "rb");
        if (f) {
            run_stream(f);
            fclose(f);
        }
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        run_path(inner);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    if (argc == 1)
        run_stream(stdin);
    printf("1..1\n%s 1 - %zu saved inputs\n", inputs ? "ok" : "not ok", inputs);
    return inputs ? 0 : 1;
}
