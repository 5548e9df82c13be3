"""Runs `tridia solve` on files, checks what it wrote, and keeps the score."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TOLERANCE = 1e-12  # of the largest entry; the systems here are well conditioned
REPETITIONS = 3


@dataclass
class Row:
    """One case of the table."""

    name: str
    systems: int
    rows: int
    algorithm: str
    seconds: float
    lapack_seconds: float | None
    fewest_bytes: int
    error: float | None


class Bench:
    def __init__(self, tridia, floor, folder, device):
        self.tridia, self.floor, self.folder, self.device = tridia, floor, Path(folder), device
        self.folder.mkdir(parents=True, exist_ok=True)
        self.table, self.failures, self.files = [], [], []

    def path(self, name):
        """A new file of the folder."""
        path = self.folder / (name.replace(" ", "-").replace(",", "") + ".npy")
        self.files.append(path)
        return path

    def save(self, name, array):
        """Writes a NPY file and returns its path."""
        path = self.path(name)
        np.save(path, array)
        return path

    def remove_files(self):
        """Removes what this object has written, and the folder if nothing else is there."""
        for path in self.files:
            path.unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def command(self, *words):
        """Runs a command that prints JSON."""
        done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, check=False)
        if done.returncode:
            sys.exit(f"failed with exit code {done.returncode}: {' '.join(map(str, words))}")
        return json.loads(done.stdout)

    def solve(self, name, diagonals, rhs, axis, *, pivoting="partial", periodic=False, expected):
        """Solves files along an axis, several times, and returns the path of the solution."""
        coefficients = [self.save(f"{name}-{k}", a) for k, a in zip(("dl", "d", "du"), diagonals)]
        files = ["--dl", coefficients[0], "--d", coefficients[1], "--du", coefficients[2],
                 "--rhs", rhs]
        out = self.path(f"{name}-x")

        extra = ["--periodic"] if periodic else []
        reports = [
            self.command(self.tridia, "solve", *files, "--out", out, "--axis", axis, "--pivoting",
                         pivoting, "--device", self.device, "--json", *extra)
            for _ in range(REPETITIONS)
        ]
        field = np.load(rhs, mmap_mode="r")
        shape = ",".join(map(str, field.shape))
        lapack = None
        if not periodic:  # LAPACK has no periodic solver
            report = self.command(self.floor, "--shape", shape, "--axis", axis, *files)
            lapack = report["lapack_seconds"]

        # Whatever the method: the diagonals and the right-hand side are read once, x written once.
        fewest = 2 * field.nbytes + sum(a.nbytes for a in diagonals)
        seconds = float(np.median([r["solve_seconds"] for r in reports]))
        self.table.append(Row(name, field.size // field.shape[axis], field.shape[axis],
                              reports[0]["algorithm"], seconds, lapack, fewest, None))
        for path in coefficients:  # the largest files
            path.unlink()
        if expected is not None:
            error = np.abs(np.load(out, mmap_mode="r") - expected).max() / np.abs(expected).max()
            self.error_of_last(error)
        return out

    def error_of_last(self, error):
        """Records how far the last case is from SciPy."""
        self.table[-1].error = float(error)
        self.check(self.table[-1].name, error, TOLERANCE)

    def check(self, what, value, limit):
        if not value <= limit:  # a NaN fails too
            self.failures.append(f"{what}: {value:.1e} is above {limit:.0e}")
