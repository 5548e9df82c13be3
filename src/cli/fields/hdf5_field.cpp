// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "failure.hpp"
#include "fields/field.hpp"
#include "files/temporary_file.hpp"
#include "memory.hpp"
#include "systems/systems.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tridia::cli {
namespace {

/// Owns an HDF5 identifier, and closes it by the function for its kind.
class handle {
 public:
  handle(hid_t id, herr_t (*closing)(hid_t)) : id_(id), close_(closing) {}
  handle(handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  ~handle() { close(); }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  operator hid_t() const noexcept { return id_; }  // NOLINT: it is one
  [[nodiscard]] bool good() const noexcept { return id_ >= 0; }
  herr_t close() noexcept {
    const herr_t result = id_ >= 0 ? close_(id_) : 0;
    id_ = -1;
    return result;
  }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Prepares HDF5 for opening a file, which ends in SIGSEGV if memory runs out in the middle of it
/// (HDF5 1.10: it takes about 1 MiB to start and half of that for a file).
void prepare() {
  require_memory(std::uint64_t{8} << 20);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // It prints nothing.
}

bool is_complex(value_type t) { return t == value_type::c64 || t == value_type::c128; }

/// Returns the HDF5 type of slabs in memory, and of a new dataset. HDF5 has no complex numbers:
/// they are stored as h5py stores NumPy's, as a compound of the real part, r, and the imaginary
/// part, i.
handle native_type(value_type t) {
  const bool single = t == value_type::f32 || t == value_type::c64;
  const hid_t part = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  if (!is_complex(t)) return {H5Tcopy(part), H5Tclose};
  handle both(H5Tcreate(H5T_COMPOUND, size_of(t)), H5Tclose);
  H5Tinsert(both, "r", 0, part);
  H5Tinsert(both, "i", size_of(t) / 2, part);
  return both;
}

/// Returns the size of a type of floating-point numbers that a field may have, 4 or 8; else 0.
std::size_t float_size(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  return H5Tget_class(type) == H5T_FLOAT && (size == 4 || size == 8) ? size : 0;
}

/// Returns `float_size` of the member's type, if a compound has such a member; else 0.
std::size_t member_size(hid_t compound, const char* name) {
  const int index = H5Tget_member_index(compound, name);
  if (index < 0) return 0;
  const handle member(H5Tget_member_type(compound, static_cast<unsigned>(index)), H5Tclose);
  return float_size(member);
}

/// Returns the value type of a dataset of this type, if a field may hold it.
std::optional<value_type> field_type(hid_t type) {
  if (const std::size_t size = float_size(type); size != 0) {
    return size == 4 ? value_type::f32 : value_type::f64;
  }
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return {};
  const std::size_t size = member_size(type, "r");
  if (size == 0 || member_size(type, "i") != size) return {};
  return size == 4 ? value_type::c64 : value_type::c128;
}

std::vector<hsize_t> sizes_of(const std::vector<index_t>& v) { return {v.begin(), v.end()}; }

/// Owns memory for one slab in C order.
class slab_memory {
 public:
  field_part hold(const slab& part, value_type type) {
    index_t count = 1;
    for (const index_t e : part.extents) count *= e;
    const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type);
    if (bytes > size_) {
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      size_ = bytes;
    }
    return {memory_.get(), dense_strides(part.extents, false)};
  }
  [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

/// Calls transfer(memory space, file space) for a slab of a dataset.
template <class F>
bool with_spaces(hid_t dataset, const slab& part, F transfer) {
  const handle file(H5Dget_space(dataset), H5Sclose);
  const auto first = sizes_of(part.first), extents = sizes_of(part.extents);
  const handle memory(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                      H5Sclose);
  if (!file.good() || !memory.good()) return false;
  if (H5Sselect_hyperslab(file, H5S_SELECT_SET, first.data(), nullptr, extents.data(), nullptr) < 0)
    return false;
  return transfer(static_cast<hid_t>(memory), static_cast<hid_t>(file)) >= 0;
}

class dataset_input final : public field_input {
 public:
  dataset_input(const dataset_path& path, const std::string& argument)
      : path_(path),
        argument_(argument),
        file_(open_file(), H5Fclose),
        dataset_(H5Dopen2(file_, path.dataset.c_str(), H5P_DEFAULT), H5Dclose) {
    if (!dataset_.good()) refuse("has no such dataset");
    read_type();
    read_shape();
  }

  [[nodiscard]] const npy_header& header() const noexcept override { return header_; }
  field_part open(const slab& part) override {
    field_part held = memory_.hold(part, header_.type);
    const bool good = with_spaces(dataset_, part, [&](hid_t memory, hid_t file) {
      return H5Dread(dataset_, native_type(header_.type), memory, file, H5P_DEFAULT, held.data);
    });
    if (!good) throw failure(exit_failure, argument_, text() + " cannot be read");
    return held;
  }
  void release() override {}

 private:
  [[nodiscard]] std::string text() const {
    return fmt::format("'{}:{}'", path_.file, path_.dataset);
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw bad_input(argument_, text() + " " + why);
  }

  hid_t open_file() const {
    prepare();
    std::error_code error;
    if (!std::filesystem::exists(path_.file, error))
      refuse("cannot be read: there is no such file");
    const hid_t id = H5Fopen(path_.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0) refuse("cannot be read: it is no HDF5 file, or is open elsewhere for writing");
    return id;
  }
  void read_type() {
    const handle type(H5Dget_type(dataset_), H5Tclose);
    const auto held = field_type(type);
    if (!held) {
      refuse(
          "does not hold floating-point numbers of 4 or 8 bytes, nor complex ones (a compound "
          "of two such, r and i), which a dataset must");
    }
    header_.type = *held;
  }
  void read_shape() {
    const handle space(H5Dget_space(dataset_), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 0)));
    if (rank < 0 || H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0) {
      refuse("has no shape");
    }
    header_.shape.assign(extents.begin(), extents.end());
  }

  dataset_path path_;
  std::string argument_;
  handle file_, dataset_;
  npy_header header_;
  slab_memory memory_;
};

class dataset_output final : public field_output {
 public:
  dataset_output(const dataset_path& path, const std::string& argument, const npy_header& header)
      : path_(path),
        argument_(argument),
        type_(header.type),
        temporary_(path.file, argument),
        file_(make_file(), H5Fclose),
        dataset_(make_dataset(header), H5Dclose) {}

  field_part open(const slab& part) override { return memory_.hold(part, type_); }
  void close(const slab& part) override {
    const bool good = with_spaces(dataset_, part, [&](hid_t memory, hid_t file) {
      return H5Dwrite(dataset_, native_type(type_), memory, file, H5P_DEFAULT, memory_.data());
    });
    if (!good) fail("cannot be written");
  }
  void commit() override {
    if (dataset_.close() < 0 || file_.close() < 0) fail("cannot be written");
    temporary_.commit();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw failure(exit_failure, argument_,
                  fmt::format("'{}:{}' {}", path_.file, path_.dataset, what));
  }

  /// Makes a new file, or a copy of an existing one (also of its permissions): whatever happens,
  /// the existing one stays whole.
  hid_t make_file() const {
    prepare();
    std::error_code error;
    const bool there = std::filesystem::exists(temporary_.path(), error);
    if (there) {
      std::filesystem::copy_file(temporary_.path(), temporary_.temporary_path(),
                                 std::filesystem::copy_options::overwrite_existing, error);
      if (error) temporary_.fail("cannot be copied", error.value());
    }
    const handle access = file_access();
    const std::string name = temporary_.temporary_path();
    const hid_t id = there ? H5Fopen(name.c_str(), H5F_ACC_RDWR, access)
                           : H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (id < 0 && there) {
      throw bad_input(argument_,
                      fmt::format("'{}' is there, but is no HDF5 file that a dataset can be added "
                                  "to",
                                  path_.file));
    }
    if (id < 0) fail("cannot be created");
    return id;
  }

  /// Returns the driver that can open the file. HDF5's usual driver needs the real path of what it
  /// has opened by a link, and a file without a name has none; the driver on stdio.h does not need
  /// it.
  [[nodiscard]] handle file_access() const {
    handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (!temporary_.has_name()) H5Pset_fapl_stdio(access);
    return access;
  }

  hid_t make_dataset(const npy_header& header) const {
    const auto extents = sizes_of(header.shape);
    const handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                       H5Sclose);
    const handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t id = H5Dcreate2(file_, path_.dataset.c_str(), native_type(header.type), space,
                                links, H5P_DEFAULT, H5P_DEFAULT);
    if (id >= 0) return id;
    throw bad_input(argument_, fmt::format("'{}' has something named {} already: choose another "
                                           "name",
                                           path_.file, path_.dataset));
  }

  dataset_path path_;
  std::string argument_;
  value_type type_;
  temporary_file temporary_;
  handle file_, dataset_;
  slab_memory memory_;
};

}  // namespace

std::unique_ptr<field_input> open_dataset(const dataset_path& path, const std::string& argument) {
  return std::make_unique<dataset_input>(path, argument);
}

std::unique_ptr<field_output> create_dataset(const dataset_path& path, const std::string& argument,
                                             const npy_header& header) {
  return std::make_unique<dataset_output>(path, argument, header);
}

}  // namespace tridia::cli
