#!/usr/bin/env python3
"""The quickstart: tridiagonal systems of real problems, through files, checked against SciPy."""

import argparse
import sys

try:
    import adi
    import splines
    from bench import TOLERANCE, Bench
    from realdata import photographs

    photographs()
except (ImportError, OSError) as missing:
    print(f"the quickstart needs NumPy, SciPy and PyWavelets' data: {missing}", file=sys.stderr)
    sys.exit(77)  # a test that is skipped


LARGE = 100e6  # bytes: less may stay in a cache, and is not held to the speed of memory


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tridia", default="build/bin/tridia", help="the command line")
    parser.add_argument("--floor", default="build/bin/tridia_floor", help="the comparisons")
    parser.add_argument("--folder", default="build/quickstart", help="where the NPY files go")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--small", action="store_true", help="a small field, for a test")
    parser.add_argument("--png", metavar="FOLDER", help="draw the fields, by matplotlib")
    parser.add_argument("--keep", action="store_true", help="keep the solutions")
    return parser.parse_args()


def print_table(rows, copy_rate):
    print(f"\n{'case':34} {'systems x rows':>15} {'method':>7} {'ms':>8} {'roofline':>9}"
          f" {'LAPACK/tridia':>14} {'error':>8}")
    for r in rows:
        large = r.fewest_bytes >= LARGE
        fraction = f"{r.fewest_bytes / copy_rate / r.seconds:.2f}" if large else "-"
        ratio = f"{r.lapack_seconds / r.seconds:.1f}" if r.lapack_seconds else "-"
        print(f"{r.name:34} {f'{r.systems} x {r.rows}':>15} {r.algorithm:>7} {1e3 * r.seconds:8.2f}"
              f" {fraction:>9} {ratio:>14} {r.error:8.0e}")


MS = {
    "cpu": "from mapped NPY files to a mapped file,\n"
    "          whose pages are brought into memory before the clock starts",
    "cuda": "the GPU's work on arrays in its memory,\n"
    "          copying them there and back left out",
}


def print_summary(rows, floor, device):
    copy_rate = floor["copy_bytes_per_second"]
    large = [r for r in rows if r.fewest_bytes >= LARGE]
    who = f"{floor['threads']} threads" if device == "cpu" else "the GPU"
    print(f"""
error     largest difference from SciPy over all results, of the largest entry; limit {TOLERANCE:.0e}
ms        solve_seconds of `tridia solve --json`, median: {MS[device]}
roofline  fewest bytes that the solve must move, over that time, over this machine's copy rate of
          {copy_rate / 1e9:.1f} GB/s ({who}, reads four arrays and writes one; measured in this run)
LAPACK    dgtsv, one call a system (one factorisation and dgttrs where all share one matrix), on the
          same systems with {floor['threads']} threads, already in memory and contiguous
""")
    timed = [r for r in rows if r.lapack_seconds]
    ratio = sum(r.lapack_seconds for r in timed) / sum(r.seconds for r in timed)
    print(f"error {max(r.error for r in rows):.1e}, time {sum(r.seconds for r in rows):.3f} s", end="")
    if large:
        fraction = sum(r.fewest_bytes for r in large) / copy_rate / sum(r.seconds for r in large)
        print(f", roofline fraction {fraction:.2f}", end="")
    print(f", {ratio:.1f} times as fast as LAPACK")


def main():
    args = arguments()
    bench = Bench(args.tridia, args.floor, args.folder, args.device)
    print("diffusion in three dimensions (Douglas-Gunn), then cubic splines, each against SciPy ...",
          flush=True)
    floor_command = (args.floor, "--device", args.device)
    floor = bench.command(*floor_command)
    adi.run(bench, (40, 36, 32) if args.small else adi.SHAPE, args.png)
    splines.run(bench, args.png)
    if not args.keep:
        bench.remove_files()
    # Before and after, in case something else kept the machine busy during one of them.
    floor = max(floor, bench.command(*floor_command), key=lambda f: f["copy_bytes_per_second"])
    print_table(bench.table, floor["copy_bytes_per_second"])
    print_summary(bench.table, floor, args.device)
    for failure in bench.failures:
        print("FAILED", failure)
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
