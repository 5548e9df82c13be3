# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Holds the systems that packages are made for, and what is done in each, as data.

Each release builds its own packages, in a chroot of its own: the versions of libfmt, libhdf5 and
libopenmpi that the tools depend on differ between releases, so that packages of one could not be
installed on another."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Release:
    name: str
    suite: str
    mirror: str
    keyring: str
    components: str = "main"


_DEBIAN = ("http://deb.debian.org/debian", "/usr/share/keyrings/debian-archive-keyring.gpg")
_UBUNTU = ("http://archive.ubuntu.com/ubuntu", "/usr/share/keyrings/ubuntu-archive-keyring.gpg")
RELEASES = (
    Release("debian-12", "bookworm", *_DEBIAN),
    Release("debian-13", "trixie", *_DEBIAN),
    Release("ubuntu-24.04", "noble", *_UBUNTU, "main,universe"),
)
BY_NAME = {r.name: r for r in RELEASES}


@dataclass(frozen=True)
class Step:
    name: str
    where: str  # the chroot: "build", "user" and "readme" each begin as the clean system
    script: str  # of sh -e
    after: tuple = ()  # steps without which it says nothing


# Where the chroots have the sources, the packages, and the programs of a user.
SOURCE, PACKAGES, USER = "/tmp/tridia", "/tmp/packages", "/tmp/user"
# Packages are built where the README's command builds, so that files that ccache keeps serve both.
BUILD = f"{SOURCE}/build"

QUICKSTART, TEST = "scripts/quickstart", "scripts/test"

_INSTALL = "apt-get install -qq -y --no-install-recommends"
_LOCAL = " ".join(f"{PACKAGES}/{name}*.deb" for name in
                  ("libtridia[0-9]", "tridia-tools_", "libtridia-mpi[0-9]", "tridia-tools-mpi"))
_DEVELOPMENT = " ".join(f"{PACKAGES}/{name}*.deb" for name in ("libtridia-dev", "libtridia-mpi-dev"))
_BY_CMAKE = f"cmake --build {USER}/build --parallel $(nproc) --target"

STEPS = (
    Step("packages", "build", f"""
        {_INSTALL} cmake g++ ninja-build libcli11-dev libfmt-dev nlohmann-json3-dev libhdf5-dev \\
          libopenmpi-dev dpkg-dev file $CCACHE >/dev/null
        cd {SOURCE}
        cmake --preset deb -B {BUILD} --log-level=WARNING $DEFINES
        cmake --build {BUILD} --parallel $(nproc)
        cpack -G DEB --config {BUILD}/CPackConfig.cmake
        g++ --version | head -n 1"""),
    Step("install", "user", f"""
        {_INSTALL} {_LOCAL} >/dev/null
        if dpkg-query -W g++ cmake libtridia-dev 2>/dev/null | grep .; then
          echo a program does not need these; exit 1
        fi
        dpkg-query -W -f '${{Package}} ${{Version}}; ' '*tridia*'""", ("packages",)),
    Step("tools", "user", "tridia info && tridia --version", ("install",)),
    Step("doctor", "user", f"{_INSTALL} openmpi-bin >/dev/null && tridia doctor --memory 1G",
         ("install",)),
    Step("development", "user", f"""
        {_INSTALL} {_DEVELOPMENT} g++ gfortran cmake make pkg-config >/dev/null
        cmake -S {USER}/outside -B {USER}/build -DEXAMPLES={USER}/examples >/dev/null
        echo find_package has found $(dpkg-query -W -f '${{Package}} ' '*tridia*-dev')""",
         ("install",)),
    Step("find_package in C++", "user", f"""
        {_BY_CMAKE} readme plan derivative interface headers_alone
        cd {USER}/build && ./interface && ./plan && ./derivative && ./readme""", ("development",)),
    Step("find_package in C", "user", f"""
        {_BY_CMAKE} c_solve c_derivative
        cd {USER}/build && ./c_derivative && ./c_solve""", ("development",)),
    Step("find_package in Fortran", "user", f"""
        {_BY_CMAKE} fortran_solve fortran_derivative
        cd {USER}/build && ./fortran_derivative && ./fortran_solve""", ("development",)),
    Step("find_package with MPI", "user", f"""
        {_BY_CMAKE} distributed fortran_ranks
        mpirun -n 1 {USER}/build/distributed && mpirun -n 2 {USER}/build/fortran_ranks""",
         ("development",)),
    Step("pkg-config in C", "user", f"""
        cd {USER}
        cc -std=c99 examples/c/solve.c -o by_pkg_config $(pkg-config --cflags --libs tridia)
        ./by_pkg_config""", ("development",)),
    Step("pkg-config in Fortran", "user", f"""
        mkdir -p {USER}/fortran && cd {USER}/fortran
        from=$(pkg-config --variable=fortrandir tridia)
        gfortran -c $from/tridia_c.f90 $from/tridia.f90
        gfortran -c $from/tridia_distributed_c.f90 $from/tridia_distributed.f90
        cc -c $from/tridia_descriptors.c $from/tridia_distributed_descriptors.c $(pkg-config --cflags tridia)
        gfortran ../examples/fortran/solve.f90 *.o -o solve $(pkg-config --libs tridia)
        ./solve""", ("development",)),
    Step("pkg-config with MPI", "user", f"""
        cd {USER}
        mpicc -std=c99 mpi_program.c -o mpi_program $(pkg-config --cflags --libs tridia-mpi)
        mpirun -n 2 ./mpi_program""", ("development",)),
    Step("pkg-config in Fortran with MPI", "user", f"""
        cd {USER}/fortran
        mpif90 $(pkg-config --variable=fortrandir tridia)/tridia_mpi.f90 ../examples/fortran/ranks.f90 \\
          tridia*.o -o ranks $(pkg-config --libs tridia-mpi)
        mpirun -n 2 ./ranks""", ("pkg-config in Fortran",)),
    Step("remove", "user", """
        apt-get purge -qq -y '*tridia*' >/dev/null
        left=$(find /usr /etc /var/lib -name '*tridia*' -print)
        test -z "$left" || { echo "left behind: $left"; exit 1; }
        echo nothing is left behind""", ("development",)),
    Step(QUICKSTART, "readme", f"cd {SOURCE} && {QUICKSTART}"),
    Step(TEST, "readme", f"cd {SOURCE} && {TEST}"),
)
STEP_NAMES = tuple(s.name for s in STEPS)
