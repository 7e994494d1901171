/* SPDX-License-Identifier: Apache-2.0 */
/* In packed data all bytes are about equally frequent. So the pairs of equal bytes in a sample are
 * counted: in eight samples of 64 random bytes about 63 pairs are equal, with a spread of 8; of
 * base64 252, of text 400 and more. Samples stand in the middle of equal stretches, because headers
 * and trailers of packed files are not packed. */
#include "warc/packed.h"

#include "base/bytes.h"

enum { LEAST_BYTES = 512, SAMPLES = 8, SAMPLE_BYTES = 64, PAIRS_MOST = 101 };

/* Most bodies are text, and most text is ASCII: of 32 random bytes one in four billion looks so. */
static bool is_ascii(const char *p)
{
    uint64_t bits = get_le64(p) | get_le64(p + 8) | get_le64(p + 16) | get_le64(p + 24);
    return !(bits & UINT64_C(0x8080808080808080));
}

static unsigned equal_pairs(const char *sample)
{
    uint8_t seen[256];
    unsigned pairs = 0;
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < SAMPLE_BYTES; i++)
        pairs += seen[(unsigned char)sample[i]]++;
    return pairs;
}

bool packed_already(struct str bytes)
{
    unsigned pairs = 0;
    if (bytes.n < LEAST_BYTES || is_ascii(bytes.p + bytes.n / 2))
        return false;
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t middle = bytes.n / (2 * SAMPLES) * (2 * i + 1);
        pairs += equal_pairs(bytes.p + middle - SAMPLE_BYTES / 2);
    }
    return pairs < PAIRS_MOST;
}
