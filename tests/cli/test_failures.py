#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Systems without a solution are reported."""

import json
import unittest

from support import Case, expected, np


class Failures(Case):
    """Expects exit code 3 if systems have no solution; the others' solutions must be there."""

    def test_zero_pivot(self):
        dl, d, du, rhs = self.systems((6, 7))
        x = expected(dl, d, du, rhs)
        d[4] = dl[4] = du[4] = 0
        self.save(dl=dl, d=d, du=du)
        run = self.run_tridia("--json")
        self.assertEqual(run.returncode, 3)
        report = json.loads(run.stdout)
        self.assertEqual(report["failed_systems"], 1)
        self.assertEqual(
            report["first_failed"],
            {
                "system": 4,
                "index": [4],
                "status": 1,
                "meaning": "the pivot of row 1 is exactly zero",
            },
        )
        self.assertLess(report["residual"], 1e-14)
        self.assertIn("1 of 6 systems has no solution", run.stderr)
        out = np.load(self.path("out"))
        good = [k for k in range(6) if k != 4]
        np.testing.assert_allclose(out[good], x[good], rtol=1e-10)

    def test_not_finite(self):
        _, d, _, rhs = self.systems((6, 7))
        d[2, 3] = np.nan
        rhs[5, 0] = np.inf
        self.save(d=d, rhs=rhs)
        report = self.solve(code=3)
        self.assertEqual(report["failed_systems"], 2)
        self.assertEqual(report["first_failed"]["system"], 2)
        self.assertLess(report["first_failed"]["status"], 0)
        self.assertIn("not finite", report["first_failed"]["meaning"])

    def test_all_fail(self):
        zeros = np.zeros((6, 7))
        self.save(dl=zeros, d=zeros, du=zeros, rhs=zeros)
        self.assertEqual(self.solve(code=3)["failed_systems"], 6)


if __name__ == "__main__":
    unittest.main()
