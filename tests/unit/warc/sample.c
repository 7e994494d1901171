/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tests' sample archive to standard output: fast, compact or plain. */
#include "kit.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    enum warc_coding coding = WARC_FAST;
    if (argc > 1 && strcmp(argv[1], "compact") == 0)
        coding = WARC_COMPACT;
    else if (argc > 1 && strcmp(argv[1], "plain") == 0)
        coding = WARC_PLAIN;
    struct buf out = {.max = 1 << 20};
    kit_sample(&out, coding, NULL);
    bool written = fwrite(out.p, 1, out.n, stdout) == out.n;
    buf_done(&out);
    return written ? 0 : 1;
}
