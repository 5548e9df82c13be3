// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "fields/field.hpp"

#include "failure.hpp"
#include "files/npy_array.hpp"
#include "files/output_file.hpp"
#include "systems/systems.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tridia::cli {
namespace {

index_t offset_of(const slab& part, const std::vector<index_t>& strides) {
  index_t at = 0;
  for (std::size_t a = 0; a < strides.size(); ++a) at += part.first[a] * strides[a];
  return at;
}

class npy_input final : public field_input {
 public:
  npy_input(const std::string& path, const std::string& argument)
      : file_(path, argument),
        strides_(dense_strides(file_.header().shape, file_.header().fortran_order)) {}

  [[nodiscard]] const npy_header& header() const noexcept override { return file_.header(); }
  field_part open(const slab& part) override {
    const index_t at = offset_of(part, strides_) * static_cast<index_t>(size_of(header().type));
    return {const_cast<std::byte*>(file_.data()) + at, strides_};
  }
  void release() override { file_.release_pages(); }

 private:
  npy_array file_;
  std::vector<index_t> strides_;
};

class npy_output final : public field_output {
 public:
  npy_output(const std::string& path, const std::string& argument, const npy_header& header)
      : file_(path, argument, format_npy_header(header), npy_data_bytes(header)),
        size_(static_cast<index_t>(size_of(header.type))),
        strides_(dense_strides(header.shape, header.fortran_order)) {}

  field_part open(const slab& part) override {
    return {file_.data() + offset_of(part, strides_) * size_, strides_};
  }
  void close(const slab&) override { file_.release_pages(); }
  void commit() override { file_.commit(); }

 private:
  output_file file_;
  index_t size_;
  std::vector<index_t> strides_;
};

}  // namespace

dataset_path parse_dataset_path(const std::string& path, const std::string& argument) {
  for (const std::string_view ending : {".h5", ".hdf5", ".he5"}) {
    const std::size_t colon = path.find(std::string(ending) + ":");
    if (colon != std::string::npos) {
      const std::size_t end = colon + ending.size();
      dataset_path found{path.substr(0, end), path.substr(end + 1)};
      if (!found.dataset.empty() && found.dataset.back() != '/') return found;
    } else if (!path.ends_with(ending)) {
      continue;
    }
    throw bad_input(argument, fmt::format("'{}' names an HDF5 file, but none of its datasets: "
                                          "write FILE{}:/DATASET",
                                          path, ending));
  }
  return {};
}

std::unique_ptr<field_input> open_field(const std::string& path, const std::string& argument) {
  const dataset_path dataset = parse_dataset_path(path, argument);
  if (!dataset.file.empty()) return open_dataset(dataset, argument);
  return std::make_unique<npy_input>(path, argument);
}

std::unique_ptr<field_output> create_field(const std::string& path, const std::string& argument,
                                           const npy_header& header) {
  const dataset_path dataset = parse_dataset_path(path, argument);
  if (!dataset.file.empty()) return create_dataset(dataset, argument, header);
  return std::make_unique<npy_output>(path, argument, header);
}

}  // namespace tridia::cli
