# SPDX-License-Identifier: Apache-2.0
"""Managed and prioritised crawls under faults (tests/lib/pool_chaos.py), many seeds. A seed that fails is printed,
and is had again by giving it with one round.

    pool_rounds.py SIMWEB ORBWEAVER [SEED [ROUNDS [JOBS]]]     seed 1, 3 rounds, one at a time"""
import collections
import concurrent.futures
import sys
import traceback

import scenario
from crawl import ORBWEAVER
from pool_chaos import A_RUN, KINDS, never, one

SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
JOBS = int(sys.argv[5]) if len(sys.argv) > 5 else 1


def run(seed: int):
    """What happened; None: it failed, and was said."""
    try:
        return one(seed)
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
    missing = never(happened) if ROUNDS * A_RUN >= 4 * len(KINDS) and not failed else []
    print(f"pool_chaos: {ROUNDS - len(failed)} passed, {len(failed)} failed {failed or ''}; "
          f"{dict(sorted(happened.items()))}" + (f"; never happened: {missing}" if missing else ""))
    return 1 if failed or missing else 0


sys.exit(main())
