// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "failure.hpp"
#include "fields/field.hpp"

// This file replaces hdf5_field.cpp if libhdf5 was not found.
namespace tridia::cli {
namespace {

[[noreturn]] void refuse(const dataset_path& path, const std::string& argument) {
  throw bad_input(argument, "'" + path.file + ":" + path.dataset +
                                "' is in an HDF5 file, but this tridia was built without HDF5: "
                                "build it where libhdf5 (libhdf5-dev) is installed, or use NPY "
                                "files");
}

}  // namespace

std::unique_ptr<field_input> open_dataset(const dataset_path& path, const std::string& argument) {
  refuse(path, argument);
}

std::unique_ptr<field_output> create_dataset(const dataset_path& path, const std::string& argument,
                                             const npy_header&) {
  refuse(path, argument);
}

}  // namespace tridia::cli
