# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The reference of the C interface: a section for each of its headers, which Breathe fills."""

TITLES = {
    "types.h": "Results and enumerators",
    "plan.h": "Problems and plans",
    "scheme.h": "Schemes and closures",
    "operator.h": "Compact operators",
    "differential.h": "Gradients, divergences, Laplacians",
    "tuning.h": "Tuning tables",
    "system.h": "This build",
    "distributed.h": "Decompositions, plans, operators, halos",
    "tridia_lapack.h": "LAPACK's xGTSV for batches",
    "tridia_cusparse.h": "cuSPARSE's gtsv routines with tridia's kernels",
    "gtsv.h": "What tridia_cusparse.h stands on",
    "tridia_mpi.h": "Ranks of MPI",
    "tridia_nccl.h": "GPUs of NCCL",
}
RANKS = ("tridia_mpi.h", "tridia_nccl.h", "distributed.h")
SECTIONS = "briefdescription detaileddescription innerclass define enum typedef var func public-attrib"


def section(name):
    title = TITLES.get(name, f"`{name}`")
    return f"## {title}\n\n```{{doxygenfile}} {name}\n:sections: {SECTIONS}\n```\n"


def write(include, folder):
    """Writes a page of the headers for one process, and a page of those for ranks. What has no title
    above comes last."""
    found = {path.name for path in (*include.glob("*.h"), *(include / "tridia" / "c").glob("*.h"))} - {"tridia.h"}
    known = [name for name in TITLES if name in found and name not in RANKS]
    others = sorted(found - set(TITLES))
    pages = {
        "c": ("C, all names", "`#include <tridia.h>`. How to use it: [in C](../c.md).", known + others),
        "c-distributed": ("C, fields over ranks", "`#include <tridia_mpi.h>` or `#include <tridia_nccl.h>`.", RANKS),
    }
    for page, (title, words, names) in pages.items():
        text = f"# {title}\n\n{words}\n\n" + "\n".join(section(name) for name in names)
        (folder / f"{page}.md").write_text(text, encoding="utf-8")
