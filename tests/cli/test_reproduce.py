#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""`tridia reproduce` measures with the benchmark beside it, and shows what was measured."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import TRIDIA, Case

BENCH = Path(__file__).resolve().parents[2] / "bench"
SCRIPTS, REPORT = BENCH / "reproduce", BENCH / "report.py"


def row(solver, ms, **fields):
    known = {"case": "dominant", "solver": solver, "parameter": None, "type": "f32", "n": 1024,
             "batch": 1024, "layout": "contiguous", "threads": None, "ms": ms, "floor_ms": 0.01,
             "roofline_fraction": 0.01 / ms if ms else None, "note": None, "error": None}
    return {**known, **fields}


def hybrid():
    rows = []
    for kind in ("f32", "f64"):
        rows += [row(f"tridia cuda, {solver}", 0.02 + switch * 1e-5, type=kind,
                     parameter=f"switch point {switch}")
                 for solver in ("cr_pcr", "pcr_thomas") for switch in (1, 32, 1024)]
        rows += [row("tridia cuda", 0.0125, type=kind), row("tridia cuda, cr", 0.05, type=kind),
                 row("LAPACKE gtsv", 8.0, type=kind, threads=1),
                 row("transfer", 2.0, type=kind, floor_ms=None, roofline_fraction=None)]
    return rows


def cuthomas():
    rows = []
    for kind in ("f32", "f64"):
        for batch in (32, 1024, 32768):
            fields = {"type": kind, "batch": batch}
            rows += [row("tridia cuda", 0.02, **fields),
                     row("transformation", 0.2, parameter="full", floor_ms=None,
                         roofline_fraction=None, **fields),
                     row("cuSPARSE gtsv2StridedBatch", 0.001 * batch, **fields),
                     row("tridia cuda, thomas", 0.1, layout="interleaved", **fields),
                     row("tridia cuda, thomas", 0.3, parameter="transformation full", **fields)]
        rows.append(row("tridia cuda, thomas", 0.4, parameter="transformation packed", type=kind,
                        case="dominant, ragged from 64"))
    return rows


def packing():
    rows = []
    for kind in ("f32", "f64"):
        for depth in (4, 8, 16):
            note = (f"packed_cr: asked for; a block a system, 64 threads of {15 + 4 * depth} "
                    f"registers, 2560 bytes of shared memory, packing depth {depth}")
            for solver, ms in (("packed_cr", 0.1), ("packed_cr with radix 4", 0.08)):
                rows.append(row(f"tridia cuda, {solver}", ms / depth, type=kind, note=note,
                                parameter=f"packing depth {depth}"))
        rows.append(row("tridia cuda, pcr", 0.025, type=kind))
        rows += [row("tridia cuda, hierarchical", 0.02, type=kind, n=n,
                     note="hierarchical: asked for; 1 steps of PCR in memory, then a block")
                 for n in (1024, 16384)]
        rows.append(row("tridia cuda, packed_cr", None, type=kind, n=16384, note="does not fit",
                        parameter="packing depth 16"))
    return rows


def neato():
    fields = {"type": "f64", "n": 32, "batch": 1024}
    return [row("tridia cuda", 0.01, **fields),
            row("tridia cuda, neato", 0.02, parameter="memory shared", **fields),
            row("tridia cuda, neato", 0.03, parameter="memory global", **fields),
            row("cuSPARSE gtsv2StridedBatch", 0.05, **fields),
            row("LAPACKE gtsv", 0.4, threads=1, **fields),
            row("LAPACKE gtsv", 0.1, threads=8, **fields)]


def derivative(kind, solver, axis, ranks, n, ms, step=None):
    whole = n if kind == "strong" else n * ranks[axis]
    return row(solver, ms, case=f"{kind}, C6 derivative" + (f", {step}" if step else ""),
               layout=f"axis {axis}, ranks ({', '.join(map(str, ranks))})", type="f64", n=whole,
               batch=n * n, floor_ms=None, roofline_fraction=None)


def cluster(solver="tridia nccl"):
    """Makes rows of one, two and four GPUs (four split in one direction and in two), and of eight
    cores."""
    rows = []
    for axis in range(3):
        for split, faster in (((1, 1, 1), 1), ((2, 1, 1), 1.6), ((4, 1, 1), 2), ((2, 2, 1), 2.5)):
            ranks = split[3 - axis:] + split[:3 - axis]
            for n in (256, 512, 1024):
                rows.append(derivative("strong", solver, axis, ranks, n, n * n / 1e5 / faster))
                rows += [derivative("strong", solver, axis, ranks, n, part, step) for step, part
                         in (("reduce", 0.01), ("interface", 0.02), ("expand", 0.03))]
            for n in (128, 256):
                rows.append(derivative("weak", solver, axis, ranks, n, 0.1 * ranks[axis] ** 0.5))
    if solver != "tridia mpi":
        rows.append(derivative("strong", "tridia mpi", 2, (2, 2, 2), 256, 20.0))
    return rows


def cluster_by_the_thesis():
    """Makes the same rows, and those of the thesis's method, with its steps, on two and four GPUs."""
    rows = cluster()
    for r in cluster():
        if r["solver"] != "tridia nccl" or r["case"].count(",") > 1 or "(1, 1, 1)" in r["layout"]:
            continue
        thesis = {**r, "solver": "tridia nccl gather", "ms": 2 * r["ms"]}
        rows.append(thesis)
        for whole, parts in ((r, (3, 0, 7, 0, 0, 0)), (thesis, (1, 2, 13, 4, 5, 6))):
            rows += [{**whole, "case": f"{r['case']}, {step}", "ms": part / 100} for step, part in
                     zip(("halo", "right-hand sides", "primary", "faces", "reduced", "sum"), parts)]
    return rows


class Reproduce(Case):
    """Tests copies of the executable and the scripts, as they are installed, without anything
    else."""

    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        self.programs = self.prefix / "bin"
        self.programs.mkdir(parents=True)
        self.tridia = shutil.copy(TRIDIA, self.programs / "tridia")

    def run_it(self, *arguments):
        return subprocess.run([self.tridia, "reproduce", *arguments], capture_output=True,
                              text=True, check=False, cwd=self.folder)

    def install(self):
        shutil.copytree(SCRIPTS, self.prefix / "share" / "tridia" / "reproduce", dirs_exist_ok=True)

    def results(self, rows):
        path = self.folder / "r.json"
        path.write_text(json.dumps({"machine": {"device": "a GPU"}, "date": "today",
                                    "rows": rows}))
        return path

    def test_absent(self):
        run = self.run_it("hybrid")
        self.assertEqual(run.returncode, 2)
        self.assertIn("TRIDIA_BUILD_BENCHMARKS", run.stderr)

    def test_unknown(self):
        self.install()
        run = self.run_it("nothing")
        self.assertEqual(run.returncode, 2)
        self.assertIn("hybrid", run.stderr)

    def test_measures(self):
        self.install()
        program = self.programs / "tridia_bench"
        results = self.results(hybrid())
        program.write_text(f'#!/bin/sh\ncp {results} "$4"\nshift 4\necho "$@"\n')
        program.chmod(0o755)
        run = self.run_it("hybrid", "--json", "out.json", "--repetitions", "5")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.startswith("--repetitions 5\n"), run.stdout)
        self.assertEqual((self.folder / "out.json").read_text(), results.read_text())

    def test_failure_of_the_benchmark(self):
        self.install()
        program = self.programs / "tridia_bench"
        program.write_text("#!/bin/sh\nexit 2\n")
        program.chmod(0o755)
        self.assertEqual(self.run_it("hybrid").returncode, 2)

    def show(self, name, rows):
        self.install()
        run = self.run_it(name, "--from", str(self.results(rows)))
        self.assertEqual(run.returncode, 0, run.stderr)
        picture = self.folder / f"{name}.png"
        # There is a picture, or a reason why there is none.
        self.assertNotEqual(picture.exists(), "matplotlib" in run.stderr)
        return run.stdout

    def test_hybrid(self):
        text = self.show("hybrid", hybrid())
        self.assertRegex(text, r"LAPACKE gtsv, 1 thread +8\.0000 +- +640\.00 +0\.001")
        self.assertRegex(text, r"\bcr +0\.0500 +2\.0500 +4\.00 +0\.200")
        self.assertRegex(text, r"\n32 +0\.0203 \(2\.03\) +0\.0203 \(2\.03\)")
        # The poster's own example of eight rows.
        for line in (r"Thomas +16 +1 +2048 +1", r"CR +6 +4 to 1 +20 +512 to 1", r"PCR +3 +8 +10 +1024",
                     r"CR-PCR \(switch points 4, 256\) +4 +4 ",
                     r"PCR-Thomas \(switch points 2, 32\) +6 +8 to 4 "):
            self.assertRegex(text, rf"\n{line}")

    def test_cuthomas(self):
        text = self.show("cuthomas", cuthomas())
        self.assertIn("beats gtsv2StridedBatch from a batch of 1024", text)
        self.assertIn("f64: up to 327.7 times as fast", text)
        self.assertRegex(text, r"\n1024 +1\.0240 \(0\.010\) +- +0\.3000 \(0\.033\) +0\.2000 +- "
                               r"+0\.0200 \(0\.500\) +0\.1000 \(0\.100\)")
        self.assertRegex(text, r"thomas, transformation packed +f64 +1024 +0\.4000 +40\.00 +0\.025")

    def test_packing(self):
        text = self.show("packing", packing())
        self.assertIn("f32: registers = 15.0 + 4.00 depth", text)
        self.assertRegex(text, r"\n1024 +8 +64 +128 +47 +47 +2\.5 +2\.5 +0\.0125 +1\.25 +0\.800\n")
        self.assertRegex(text, r"\npcr +4\.00 \(0\.400\)")
        self.assertNotRegex(text, r"\npacked_cr with")  # it is no other solver of figure 7
        self.assertRegex(text, r"radix 4\n.*\n1024 +4 +31 +0\.0200 +2\.00 +1\.25\n")
        self.assertRegex(text, r"splits\n.*\n1024 +0\.0200 +0\.0063 +3\.20\n"
                               r"16384 +0\.0200 +does not fit +-\n")

    def test_neato(self):
        text = self.show("neato", neato())
        self.assertRegex(text, r"\n32 x 1024 +0\.4000 \[0\.152\] +0\.1000 \[0\.094\] +"
                               r"0\.0500 \[0\.31\] +0\.0300 \[0\.207\] +0\.0200 \[0\.092\] +"
                               r"0\.0100\n")
        self.assertRegex(text, r"\n2048 x 2048 +- \[16\.272\]")

    def test_cluster(self):
        text = self.show("cluster", cluster())
        self.assertRegex(text, r"512\^3 points in all.*\n.*\n1 +none +2\.6214 \(1\.00\) .*\n"
                               r"2 +one +1\.6384 \(1\.60\) .*\n4 +one +1\.3107 \(2\.00\) .*\n"
                               r"4 +two +1\.0486 \(2\.50\) ")
        self.assertRegex(text, r"256\^3 points a rank.*\n.*\n.*\n.*\n4 +one +0\.2000 \(0\.50\)")
        self.assertRegex(text, r"\n1024\^3 +y +\(1, 2, 2\) +0\.0100 +0\.0200 +0\.0300 +4\.1943\n")
        self.assertNotRegex(text, r"\n256\^3 +y ")
        self.assertRegex(text, r"\n256\^3 +20 \[79\.5\] +- \[20\.8\] +- \[11\.1\] +0\.6554 \[19\.9\] +"
                               r"0\.4096 +0\.2621 +- \[5\.17\]")
        self.assertRegex(text, r"GPUs: 1, cores: 8 .*\n256\^3 +30\.5 \[4\.0\] +48\.8 +76\.3 ")

    def test_cluster_by_the_thesis(self):
        text = self.show("cluster", cluster_by_the_thesis())
        self.assertRegex(text, r"512\^3 points in all, by automatic.*\n.*\n1 +none +2\.6214 \(1\.00\) .*\n"
                               r"2 +one +1\.6384 \(1\.60\) ")
        # One GPU alone is the same for both.
        self.assertRegex(text, r"512\^3 points in all, by gather.*\n.*\n1 +none +2\.6214 \(1\.00\) .*\n"
                               r"2 +one +3\.2768 \(0\.80\) ")
        self.assertRegex(text, r"direction +ranks +method +halo +right-hand sides +primary +faces +reduced "
                               r"+sum +whole\n")
        self.assertRegex(text, r"\n1024\^3 +y +\(1, 2, 2\) +automatic +0\.0300 +0\.0000 +0\.0700 +0\.0000 +"
                               r"0\.0000 +0\.0000 +4\.1943\n")
        self.assertRegex(text, r"\n1024\^3 +y +\(1, 2, 2\) +gather +0\.0100 +0\.0200 +0\.1300 +0\.0400 +"
                               r"0\.0500 +0\.0600 +8\.3886\n")

    def test_cluster_without_a_gpu(self):
        text = self.show("cluster", cluster("tridia mpi"))
        self.assertIn("on CPU ranks", text)
        self.assertNotIn("figure 4.11", text)

    def run_cluster(self, *arguments):
        """Runs `cluster` with a path that holds only Python, and what `script` has put beside
        it."""
        self.install()
        (self.folder / "path").mkdir(exist_ok=True)
        python = self.folder / "path" / "python3"
        if not python.exists():
            python.symlink_to(sys.executable)
        return subprocess.run([self.tridia, "reproduce", "cluster", *arguments],
                              capture_output=True, text=True, check=False, cwd=self.folder,
                              env={**os.environ, "PATH": str(self.folder / "path")})

    def script(self, name, text):
        program = self.folder / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n" + text)
        program.chmod(0o755)

    def test_cluster_runs_every_number_of_ranks(self):
        results = self.results(cluster("tridia mpi"))
        self.script("prefix/bin/tridia_bench_scaling", "exit 9\n")
        self.script("path/mpirun", 'test "$1" = --version && echo "mpirun (Open MPI) 4" && exit\n'
                                  'echo "$OMP_NUM_THREADS $@"\nfor last; do :; done\n'
                                  f'/bin/cp {results} "$last"\n')
        run = self.run_cluster("--ranks", "3", "--device", "cpu", "--repetitions", "5")
        self.assertEqual(run.returncode, 0, run.stderr)
        for ranks in (1, 2, 3):
            self.assertRegex(run.stdout, rf"(?m)^1 -n {ranks} --oversubscribe .*--device cpu --suite "
                                         r"thesis --points 256 --alone no --scheme C4 --repetitions 5 "
                                         r"--json")
        merged = json.loads((self.folder / "cluster.json").read_text())
        self.assertEqual(len(merged["rows"]), 3 * len(cluster("tridia mpi")))
        self.assertEqual(merged["command"],
                         "tridia reproduce cluster --device cpu --ranks 3 --scheme C4 --repetitions 5")
        run = self.run_cluster("--ranks", "1", "--device", "cpu", "--scheme", "C8")
        self.assertIn(" --scheme C8 --json", run.stdout)

    def test_cluster_says_what_is_missing(self):
        run = self.run_cluster()
        self.assertEqual(run.returncode, 2)
        self.assertIn("tridia_bench_scaling", run.stderr)
        self.script("prefix/bin/tridia_bench_scaling", "exit 9\n")
        run = self.run_cluster()
        self.assertEqual(run.returncode, 2)
        self.assertIn("needs mpirun", run.stderr)
        self.script("path/mpirun", "exit 1\n")
        run = self.run_cluster("--ranks", "0")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--ranks: 0", run.stderr)
        run = self.run_cluster("--device", "cpu")
        self.assertNotEqual(run.returncode, 0)
        self.assertFalse((self.folder / "cluster.json").exists())

    def ahead(self, rows):
        run = subprocess.run([sys.executable, str(REPORT), str(self.results(rows)), "--named", "5"],
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout

    def test_named_algorithms_that_are_ahead_of_automatic(self):
        every = {"boundary": "regular", "pivoting": "none"}
        rows = [row("tridia cuda", 0.0104, **every), row("tridia cuda, cr", 0.01, **every),
                row("cuSPARSE gtsv2StridedBatch", 0.001, **every)]
        self.assertEqual(self.ahead(rows)[0], 0)
        rows[0]["ms"] = 0.0106
        code, text = self.ahead(rows)
        self.assertEqual(code, 1)
        self.assertIn("cr: dominant, f32, 1024 x 1024, contiguous: automatic takes 1.060 times", text)
        rows[0]["layout"] = "interleaved"
        code, text = self.ahead(rows)
        self.assertEqual(code, 1)
        self.assertIn("automatic was not measured", text)
        self.assertEqual(self.ahead(rows[2:])[0], 1)

    def test_wrong_rows_are_named(self):
        rows = hybrid()
        rows[0]["error"] = "the residual is 1"
        self.install()
        run = self.run_it("hybrid", "--from", str(self.results(rows)))
        self.assertIn("the residual is 1", run.stderr)


if __name__ == "__main__":
    unittest.main()
