"""Threads beside one another, the lock of Python, Ctrl-C, and what thousands of calls leave behind."""

import gc
import os
import resource
import signal
import sys
import threading
import time

import conftest
import numpy as np
import pytest
import sparsmith


def run_together(work, count=4):
    problems = []

    def guarded():
        try:
            work()
        except BaseException as problem:  # told below, by the thread that pytest watches
            problems.append(problem)

    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_threads_share_a_matrix(square):
    matrices = [sparsmith.convert(square, format) for format in ("csr", "sell", "csc")]
    x = np.arange(100.0)
    right = [(m @ x, m.T @ x) for m in matrices]

    def work():
        for _ in range(50):
            for m, (ax, atx) in zip(matrices, right):
                assert np.array_equal(m @ x, ax) and np.array_equal(m.T @ x, atx)

    run_together(work)


def test_threads_convert_the_same_arrays():
    a = conftest.BATTERY["power law"]
    right = sparsmith.convert(a, "gcsb", layout="tile", max_fill=100).arrays["values"].copy()

    def work():
        for _ in range(5):
            m = sparsmith.convert(a, "gcsb", layout="tile", max_fill=100)
            assert np.array_equal(m.arrays["values"], right)
            sparsmith.features(m), sparsmith.plan(m)

    run_together(work)


def test_others_run_while_a_race_does(square):
    done = threading.Event()

    def race():
        sparsmith.recommend(square, budget=1.5)
        done.set()

    thread = threading.Thread(target=race)
    began = last = time.monotonic()
    longest = 0.0
    thread.start()
    while not done.wait(0.001):
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    thread.join()
    assert longest < 0.5 * (time.monotonic() - began)


def test_ctrl_c_ends_a_race():
    m = sparsmith.read("gen:rmat?scale=14", device="cpu")
    began = time.monotonic()
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sparsmith.recommend(m, budget=300)
    timer.join()
    assert time.monotonic() - began < 150
    assert np.isfinite(m @ np.ones(m.shape[1])).all()  # all is as it was


def test_many_calls_leave_nothing(square):
    m = sparsmith.convert(square, "sell")
    x, y = np.ones(100), np.empty(100)

    def calls(count):
        for _ in range(count):
            m @ x
            m.T @ x
            m.multiply(x, out=y)
            sparsmith.Matrix(square).arrays
            with pytest.raises(sparsmith.InputError):
                m @ x[:3]

    def kept():
        gc.collect()
        return [sys.getrefcount(one) for one in (x, y, square.data, square.indices, m, m.dtype, sparsmith.InputError)]

    calls(1000)
    counts, objects = kept(), len(gc.get_objects())
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(10000)
    assert kept() == counts
    assert len(gc.get_objects()) <= objects + 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < 2048  # KiB; 10,000 vectors alone would be 8,000


def test_matrices_are_given_back():
    a = conftest.banded(20000, [-1, 0, 1])

    def calls(count):
        for _ in range(count):
            sparsmith.convert(a, "csc").arrays

    calls(20)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(200)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < 50 * 1024  # one takes 0.8 MiB
