#pragma once

#include "base/shared_library.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

// The constants of HDF5's header would call the library, to which Cuboid is not linked.
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

namespace cuboid::detail {

/// The functions of the HDF5 library that Cuboid uses, by their names without "H5".
#define CUBOID_FOR_HDF5_FUNCTIONS(VISIT) \
  VISIT(open)                            \
  VISIT(dont_atexit)                     \
  VISIT(Aclose)                          \
  VISIT(Acreate2)                        \
  VISIT(Aget_name)                       \
  VISIT(Aget_num_attrs)                  \
  VISIT(Aget_space)                      \
  VISIT(Aget_type)                       \
  VISIT(Aopen_by_idx)                    \
  VISIT(Aread)                           \
  VISIT(Awrite)                          \
  VISIT(Dclose)                          \
  VISIT(Dcreate2)                        \
  VISIT(Dget_offset)                     \
  VISIT(Dget_space)                      \
  VISIT(Dget_type)                       \
  VISIT(Dopen2)                          \
  VISIT(Dread)                           \
  VISIT(Dvlen_reclaim)                   \
  VISIT(Eget_auto2)                      \
  VISIT(Eset_auto2)                      \
  VISIT(Ewalk2)                          \
  VISIT(Fclose)                          \
  VISIT(Fcreate)                         \
  VISIT(Fopen)                           \
  VISIT(Ldelete)                         \
  VISIT(Lexists)                         \
  VISIT(Pclose)                          \
  VISIT(Pcreate)                         \
  VISIT(Pset_alloc_time)                 \
  VISIT(Pset_create_intermediate_group)  \
  VISIT(Pset_file_locking)               \
  VISIT(Pset_fill_time)                  \
  VISIT(Sclose)                          \
  VISIT(Screate_simple)                  \
  VISIT(Sget_simple_extent_dims)         \
  VISIT(Sget_simple_extent_ndims)        \
  VISIT(Sget_simple_extent_npoints)      \
  VISIT(Sselect_hyperslab)               \
  VISIT(Tclose)                          \
  VISIT(Tcreate)                         \
  VISIT(Tget_class)                      \
  VISIT(Tget_member_name)                \
  VISIT(Tget_member_type)                \
  VISIT(Tget_native_type)                \
  VISIT(Tget_sign)                       \
  VISIT(Tget_nmembers)                   \
  VISIT(Tget_size)                       \
  VISIT(Tinsert)                         \
  VISIT(free_memory)

/// The HDF5 library. It is loaded at run time with the first HDF5 file. A program that has its own
/// HDF5 keeps it, and neither library sees the other.
class Hdf5Library {
 public:
  /// Throws Error(unsupported).
  static const Hdf5Library& get();

#define CUBOID_DECLARE(NAME) decltype(&::H5##NAME) NAME = nullptr;
  CUBOID_FOR_HDF5_FUNCTIONS(CUBOID_DECLARE)
#undef CUBOID_DECLARE
  /// The library's numbers for types and kinds of property lists.
  hid_t native_float = H5I_INVALID_HID;
  hid_t native_double = H5I_INVALID_HID;
  hid_t native_int64 = H5I_INVALID_HID;
  hid_t native_uint64 = H5I_INVALID_HID;
  hid_t file_access = H5I_INVALID_HID;
  hid_t dataset_creation = H5I_INVALID_HID;
  hid_t link_creation = H5I_INVALID_HID;
  /// The library's number for its part that looks for plugins with filters.
  hid_t plugins = H5I_INVALID_HID;

 private:
  Hdf5Library();
  SharedLibrary library_;
};

/// While an object of this class lives, only this thread uses the library, which is not
/// thread-safe, and the library prints no errors.
class Hdf5Turn {
 public:
  explicit Hdf5Turn(const Hdf5Library& library);
  ~Hdf5Turn();
  Hdf5Turn(const Hdf5Turn&) = delete;
  Hdf5Turn& operator=(const Hdf5Turn&) = delete;

  /// The library's message about the last call that failed. Messages about missing plugins are
  /// ignored.
  std::string reason() const;

 private:
  const Hdf5Library& library_;
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

/// An open object of the library. It must be closed in an Hdf5Turn.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }

  bool is_open() const { return id_ >= 0; }
  hid_t get() const { return id_; }
  /// Closes the object now. Returns true if that succeeded.
  bool close() { return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_;
  Close close_;
};

}  // namespace cuboid::detail
