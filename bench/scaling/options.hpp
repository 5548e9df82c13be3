// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "work.hpp"

#include <string>
#include <vector>

namespace tridia_bench {

inline constexpr const char* kScalingHelp =
    "mpirun -n P tridia bench scaling [OPTIONS]: f64 fields that are spread over ranks, lines\n"
    "solved with own coefficients and C6 derivatives, with as many points a rank (weak) and in "
    "all\n"
    "(strong), beside one rank alone\n"
    "  --device cpu|cuda  where fields are (cpu); cuda: in GPUs, one a rank, by NCCL\n"
    "  --suite NAME       basic: N^3 points, split along one axis, every strategy;\n"
    "                     targets: grids of 512^3 and 256^3 and those of PaScaL_TDMA;\n"
    "                     full: every direction, split in one, two and three;\n"
    "                     thesis, thesis-table: what tridia reproduce cluster asks for, the\n"
    "                     former by automatic and by gather (basic)\n"
    "  --json FILE        write the results there\n"
    "  --points N         along each axis, in basic (128); all other grids are in proportion,\n"
    "                     those of thesis from N/2 to 8 N\n"
    "  --alone yes|no     time one rank alone beside all of them (yes)\n"
    "  --peer-memory yes|no  GPUs store messages into each other's memory where they reach it\n"
    "                     (yes), or NCCL carries all\n"
    "  --repetitions N    of every case (7)\n"
    "  --strategy NAME    this one alone (all, and automatic); derivatives of thesis know\n"
    "                     automatic and gather\n"
    "  --slabs N          of lines, in which a derivative's messages travel (1)\n"
    "  --scheme NAME      of derivatives, with its default closure: C4, C6, C8 (C6)\n";

struct scaling_options {
  std::string json, suite = "basic", scheme = "C6";
  bool on_gpus = false, alone = true, peer_memory = true;
  index_t points = 128;
  int repetitions = 7, slabs = 1;
  std::vector<tridia::distributed::strategy> strategies;
};

/// Throws a sentence that says what is wrong.
scaling_options parse_scaling(int argc, char** argv);

std::vector<scaling_case> scaling_cases(const scaling_options&, int ranks);

}  // namespace tridia_bench
