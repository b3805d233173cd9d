"""Appends numbered chunks to a frame that others append to as well, under the C library's lock.

    python append.py NAME WRITER COUNT SECONDS

Appends until COUNT chunks or SECONDS are over, and prints how many.
"""

import sys
import time

import blosc2
import numpy as np

name, writer, count, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
frame = blosc2.open(name, mode="a", locking=True)
end = time.monotonic() + seconds
done = 0
while done < count and time.monotonic() < end:
    frame.append_data(np.full(8, writer << 32 | done, dtype=np.uint64))
    done += 1
print(done)
