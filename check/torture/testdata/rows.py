"""Appends numbered rows to an array that others grow as well, or reads it while others do.

    python rows.py append NAME WRITER COUNT SECONDS     under the C library's lock; prints how many rows
    python rows.py hold NAME WRITER 0 0                 the same until it is killed; prints "in" when it has the lock, and how many rows when it gave it back
    python rows.py take NAME WRITER 0 0                 under the lock, prints how many rows of a writer there are, and appends one as another writer
    python rows.py follow NAME LOCKING COUNT SECONDS    LOCKING is 1 or 0; prints how often it looked, and how often it had to look again

A read that the C library refuses is repeated at once: between two of its accesses, or within one, another process may have written.

Appends COUNT rows, evenly over SECONDS, or fewer if there is no time. Every row says eight times who wrote it, and as which of its rows, from 1; the array begins with rows of
zeros. A reader wants every row whole, those of each writer in order, and never fewer than before.
"""

import sys
import time

import blosc2
import numpy as np

FIRST, TAKERS = 4, 1 << 20

blosc2.set_nthreads(1)
verb, name, number, count, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])


def append(end):
    array, done = blosc2.open(name, mode="a", locking=True), 0
    while done < count and time.monotonic() < end:
        time.sleep(max(0, end - seconds + seconds * done / count - time.monotonic()))
        more = 1 + done % 3
        with array.holding_lock():
            append_rows(array, number, done + 1, more)
        done += more
    return done


def append_rows(array, writer, first, more):
    old = array.shape[0]
    array.resize((old + more, array.shape[1]))
    rows = np.arange(first, first + more, dtype=np.int64) | writer << 32
    array[old:old + more] = np.repeat(rows[:, None], array.shape[1], axis=1)


def hold(end):
    array, done = blosc2.open(name, mode="a", locking=True), 0
    while True:
        more = 1 + done % 3
        with array.holding_lock():
            print("in", flush=True)
            time.sleep(0.001)
            append_rows(array, number, done + 1, more)
            time.sleep(0.001)
        done += more
        print(done, flush=True)


def take(end):
    array = blosc2.open(name, mode="a", locking=True)
    with array.holding_lock():
        rows = array[...]
        check(rows)
        append_rows(array, TAKERS + number, 1, 1)
    return int((rows[:, 0] >> 32 == number).sum())


def check(rows):
    marks = rows[:, 0]
    if (rows != marks[:, None]).any():
        raise SystemExit(f"half a row: {rows[(rows != marks[:, None]).any(axis=1)][0]}")
    if marks[:FIRST].any() or not marks[FIRST:].all():
        raise SystemExit(f"a row without a writer, of {len(marks)}")
    writers = marks[FIRST:] >> 32
    for writer in np.unique(writers):
        numbers = marks[FIRST:][writers == writer] & 0xFFFFFFFF
        if (numbers != np.arange(1, len(numbers) + 1)).any():
            raise SystemExit(f"rows of writer {writer} are missing or out of order")


def follow(end):
    array, looks, again, last = blosc2.open(name, mode="r", locking=bool(number)), 0, 0, 0
    while time.monotonic() < end:
        try:
            rows = array[...]
        except RuntimeError:
            again += 1
            rows = array[...]
        check(rows)
        if len(rows) < last:
            raise SystemExit(f"{len(rows)} rows after {last}")
        last, looks = len(rows), looks + 1
        time.sleep(0.002)
    return f"{looks} {again}"


print({"append": append, "hold": hold, "take": take, "follow": follow}[verb](time.monotonic() + seconds))
