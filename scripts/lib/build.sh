# shellcheck shell=bash
# The scripts beside this folder source this file: it installs what is missing, and builds.
# shellcheck disable=SC2034  # what is set here is used there

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

packages_build=(cmake g++ libcli11-dev libfmt-dev liblapack-dev ninja-build nlohmann-json3-dev)
packages_quickstart=(python3 python3-numpy python3-pywt python3-scipy)
packages_test=(gfortran libgtest-dev libhdf5-dev liblapack-test liblapacke-dev libopenblas-dev
  libopenmpi-dev librapidcheck-dev libtmglib-dev openmpi-bin pkg-config python3-h5py python3-matplotlib
  python3-yaml valgrind)
packages_python=(python3-dev python3-venv)
packages_site=(doxygen)
# These come from PyPI, into an environment below build. The oldest JAX that is supported has the
# headers that handlers are built with; the tests run with the newest as well.
python_modules=(nanobind nanobind-backend numpy scipy hypothesis pytest matplotlib jax==0.5.3)
newest_modules=(jax jaxlib)
# These make the site (docs), in the same environment, whose Python package it shows.
site_modules=(sphinx myst-parser breathe furo sphinx-gallery sphinx-design sphinx-copybutton matplotlib)

# The distribution's Python is the one that has the distribution's NumPy.
if [ -x /usr/bin/python3 ] || command -v apt-get >/dev/null; then
  python=/usr/bin/python3
else
  python=python3
fi

say() { printf '\n== %s\n' "$*"; }

# Installs those of the given packages that are not there: a second run needs neither root nor a
# network. Systems without apt are taken to have what is needed.
install_packages() {
  command -v apt-get >/dev/null || return 0
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing, and there is no sudo to install them: ${missing[*]}" >&2
      return 1
    fi
    root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
}

# Makes the environment that the Python package is built for and tested in, and the site built, once
# for each list of modules, and sets venv_python to its interpreter. The folder newest_jax goes before its modules.
make_venv() {
  venv_python=$PWD/build/venv/bin/python
  newest_jax=$PWD/build/venv/newest-jax
  local modules=("${python_modules[@]}" "${site_modules[@]}")
  if [ "$(cat build/venv/modules 2>/dev/null)" != "${modules[*]}" ]; then
    say "fetching ${modules[*]}"
    "$python" -m venv build/venv
    "$venv_python" -m pip install --quiet --disable-pip-version-check "${modules[@]}"
    "$venv_python" -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
      --target "$newest_jax" "${newest_modules[@]}"
    echo "${modules[*]}" >build/venv/modules
  fi
}

# Sets ci_options to what makes a build short where nobody uses it afterwards. There is no GPU there:
# one architecture, hardly optimised, is enough to see that CUDA code compiles. The kernels for level 2
# of x86-64 are those of the build under AddressSanitizer.
choose_ci_options() {
  ci_options=(-DCMAKE_CUDA_ARCHITECTURES=90-real "-DTRIDIA_X86_64_LEVELS=3;4")
  local nvcc
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  if [[ $("$nvcc" --help 2>/dev/null) == *--Ofast-compile* ]]; then
    ci_options+=(-DCMAKE_CUDA_FLAGS=--Ofast-compile=max)
  fi
}

# configure PRESET [-DNAME=VALUE ...]
configure() {
  local preset=$1 arguments=("${@:2}") ci_options=()
  [ "${CI:-}" != true ] || [ "$preset" = asan ] || choose_ci_options
  arguments+=("${ci_options[@]}")
  say "configuring $preset"
  cmake --preset "$preset" --no-warn-unused-cli --log-level=WARNING "${arguments[@]}"
}

# build PRESET [TARGET ...]
build() {
  say "building $1"
  local targets=()
  [ $# -eq 1 ] || targets=(--target "${@:2}")
  cmake --build --preset "$1" --parallel "$(nproc)" "${targets[@]}"
}
