"""How many GFLOPS OpenBLAS reaches here: cblas_sgemm on square matrices, the median of several products.

Called by train.mjs: python3 sgemm.py THREADS REPEATS [LIBRARY]. Standard library only. Prints GFLOPS and the
configuration of the library; ends with code 3 where there is none.
"""

import ctypes
import ctypes.util
import os
import sys
import time

SIZE = 1024
ROW_MAJOR, AS_IT_IS = 101, 111


def load(wanted):
    names = [wanted] if wanted else [ctypes.util.find_library("openblas"), "libopenblas.so.0"]
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
            library.cblas_sgemm.restype = None
            return library
        except (OSError, AttributeError) as problem:
            print(problem, file=sys.stderr)
    sys.exit(3)


def main():
    threads, repeats = int(sys.argv[1]), int(sys.argv[2])
    # Read when the library is loaded.
    os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
    library = load(sys.argv[3] if len(sys.argv) > 3 else None)
    Matrix = ctypes.c_float * (SIZE * SIZE)
    a, b, c = (Matrix(*((i * step % 17) / 17 - 0.5 for i in range(SIZE * SIZE))) for step in (1, 3, 5))
    one, zero, size = ctypes.c_float(1), ctypes.c_float(0), ctypes.c_int(SIZE)

    def multiply():
        library.cblas_sgemm(
            *(ROW_MAJOR, AS_IT_IS, AS_IT_IS, size, size, size),
            *(one, a, size, b, size, zero, c, size),
        )

    multiply()
    expected = sum(a[k] * b[k * SIZE] for k in range(SIZE))
    if abs(c[0] - expected) > 1e-2:
        sys.exit(f"the product is wrong: {c[0]} instead of {expected}")
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        multiply()
        seconds.append(time.perf_counter() - started)
    median = sorted(seconds)[len(seconds) // 2]
    library.openblas_get_config.restype = ctypes.c_char_p
    print(f"{2 * SIZE**3 / median / 1e9:.2f} {library.openblas_get_config().decode().strip()}")


main()
