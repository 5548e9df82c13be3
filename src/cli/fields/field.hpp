// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "files/npy_header.hpp"
#include "systems/slabs.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tridia::cli {

/// Locates a slab of a field in memory: the address of its element (0, …, 0), and strides in
/// elements.
struct field_part {
  std::byte* data;
  std::vector<index_t> strides;
};

/// Reads a field slab by slab: an NPY file, or a dataset of an HDF5 file.
class field_input {
 public:
  virtual ~field_input() = default;
  /// Returns the field's type, shape and order; `data_offset` is not used.
  [[nodiscard]] virtual const npy_header& header() const noexcept = 0;

  /// Returns a slab, which is valid until the next call, and only to be read.
  virtual field_part open(const slab& part) = 0;
  /// Gives back the memory of slabs that were open.
  virtual void release() = 0;
};

/// Writes a field slab by slab; the field appears complete or not at all.
class field_output {
 public:
  virtual ~field_output() = default;

  /// Returns where a slab is to be written; then `close` it.
  virtual field_part open(const slab& part) = 0;
  virtual void close(const slab& part) = 0;
  virtual void commit() = 0;
};

/// Opens a field; `path` is an NPY file, or FILE.h5:/DATASET. Throws `failure` about `argument`.
std::unique_ptr<field_input> open_field(const std::string& path, const std::string& argument);

/// Creates a field like `header`, an NPY file or a dataset. An existing HDF5 file keeps its
/// contents; an existing dataset is refused. HDF5 is in C order whatever the header says.
std::unique_ptr<field_output> create_field(const std::string& path, const std::string& argument,
                                           const npy_header& header);

/// Holds the two halves of FILE.h5:/DATASET.
struct dataset_path {
  std::string file, dataset;
};
/// Throws `failure` (bad input) if `path` names an HDF5 file without a dataset; returns an empty
/// file if it names none.
dataset_path parse_dataset_path(const std::string& path, const std::string& argument);

// These need a build with HDF5; without it, they throw `failure` (bad input).
std::unique_ptr<field_input> open_dataset(const dataset_path& path, const std::string& argument);
std::unique_ptr<field_output> create_dataset(const dataset_path& path, const std::string& argument,
                                             const npy_header& header);

}  // namespace tridia::cli
