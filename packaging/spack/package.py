# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The recipe of tridia for Spack. No archive of a release is public yet, so it builds the tree that it
is in: `spack repo create`, this file as packages/tridia/package.py there, and in the root of the tree
`spack dev-build tridia@0.2.0`."""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Tridia(CMakePackage, CudaPackage):
    """Many tridiagonal systems, and compact finite differences, along any axis of a field, on CPUs and
    NVIDIA GPUs, and across ranks."""

    license("BSD-3-Clause")

    version("0.2.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("cli", default=True, description="Build the command line")
    variant("hdf5", default=False, description="Let the command line read HDF5 files", when="+cli")
    variant("mpi", default=True, description="Spread fields over MPI's ranks")
    variant("nccl", default=False, description="Spread fields over GPUs", when="+cuda+mpi")
    variant("fortran", default=True, description="Check that module tridia can be compiled")
    variant(
        "levels",
        default="2,3,4",
        values=("2", "3", "4"),
        multi=True,
        description="Levels of x86-64 that kernels are built for; one is chosen at run time",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("nccl@2.18:", when="+nccl")
    depends_on("cuda@12.4:", when="+cuda")
    depends_on("cli11@2:", type="build", when="+cli")
    depends_on("fmt@9:", when="+cli")
    depends_on("nlohmann-json@3.11:", type="build", when="+cli")
    depends_on("hdf5~mpi", when="+hdf5")

    conflicts("cuda_arch=none", when="+cuda", msg="say which GPUs: cuda_arch=90, for example")
    conflicts("%gcc@:11", msg="C++20 needs GCC from 12 on")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TRIDIA_BUILD_CLI", "cli"),
            self.define_from_variant("TRIDIA_CUDA", "cuda"),
            self.define_from_variant("TRIDIA_MPI", "mpi"),
            self.define("TRIDIA_NCCL", self.spec.satisfies("+nccl")),
            self.define("TRIDIA_BUILD_TESTS", self.run_tests),
            self.define("TRIDIA_X86_64_LEVELS", sorted(self.spec.variants["levels"].value)),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def setup_dependent_build_environment(self, env, dependent_spec):
        env.prepend_path("PKG_CONFIG_PATH", self.prefix.lib.pkgconfig)
