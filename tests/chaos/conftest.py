"""Chaos: what is random is drawn from one seed, which is printed; WAYBILL_CHAOS_SEED repeats it (as far as the
machine's own timing lets it). WAYBILL_SOAK_MINUTES (./x soak) makes it longer and bigger."""
import os
import random
import time

import pytest

from crowd import SOAK


@pytest.fixture
def dice(capsys):
    seed = int(os.environ.get("WAYBILL_CHAOS_SEED") or time.time_ns() % 1_000_000_007)
    with capsys.disabled():  # also in the log of a test that passes
        print(f"WAYBILL_CHAOS_SEED={seed}", flush=True)
    return random.Random(seed)


@pytest.fixture
def big():
    """How much bigger than in CI: 1 there."""
    return 10 if SOAK else 1
