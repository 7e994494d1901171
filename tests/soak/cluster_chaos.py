# SPDX-License-Identifier: Apache-2.0
"""Agents of one crawl that are killed, wiped, frozen, cut off, joining and leaving, at random moments
(tests/lib/chaos.py). A seed that fails is printed, and is had again by giving it with one round.

    cluster_chaos.py SIMWEB ORBWEAVER [SEED [ROUNDS [JOBS]]]     seed 1, 3 rounds, one at a time

Every tenth round all servers are away for more than a minute. A set of rounds that is long enough for
every kind of fault, and in which a kind never happened, fails. Exit code 0 is good. With
ORBWEAVER_TEST_KEEP=DIR the folders of a failed round are copied there."""
import collections
import concurrent.futures
import sys
import traceback

import scenario
from chaos import A_RUN, KINDS, never, one
from crawl import ORBWEAVER

SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
JOBS = int(sys.argv[5]) if len(sys.argv) > 5 else 1
LONG_EVERY = 10


def run(seed: int):
    """What happened; None: it failed, and was said."""
    try:
        return one(seed, is_long=seed % LONG_EVERY == 0)
    except Exception:
        print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
        return None


def main() -> int:
    scenario.PROGRAM = ORBWEAVER
    seeds = range(SEED, SEED + ROUNDS)
    happened, failed = collections.Counter(), []
    with concurrent.futures.ProcessPoolExecutor(JOBS) as pool:
        for seed, result in zip(seeds, pool.map(run, seeds)):
            if result is None:
                failed.append(seed)
            else:
                happened += result
    missing = never(happened, is_long=ROUNDS >= LONG_EVERY) if ROUNDS * A_RUN >= len(KINDS) and not failed else []
    print(f"cluster_chaos: {ROUNDS - len(failed)} passed, {len(failed)} failed {failed or ''}; "
          f"{dict(sorted(happened.items()))}" + (f"; never happened: {missing}" if missing else ""))
    return 1 if failed or missing else 0


sys.exit(main())
