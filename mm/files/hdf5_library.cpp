#include "mm/files/hdf5_library.hpp"

#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::string_view oldest = "Cuboid needs HDF5 1.10.7 or later";

hid_t number(const SharedLibrary& library, const char* name) {
  hid_t* value = nullptr;
  library.require(value, name, oldest);
  return *value;
}

/// The one that the process's variable names, else the one that Cuboid was built for.
SharedLibrary load_hdf5() {
  return SharedLibrary(Environment::read().hdf5.value_or(present_library(CUBOID_HDF5_LIBRARY)),
                       Symbols::own,
                       "set CUBOID_HDF5 to an HDF5 library, e.g. libhdf5_openmpi.so.103 of "
                       "Debian's package libhdf5-openmpi-103");
}

std::mutex& turns() {
  static std::mutex one;
  return one;
}

/// The message about a failed call, and the part of the library whose messages are ignored.
struct Reason {
  std::string text;
  hid_t ignored_part;
};

/// Keeps the message of the deepest call, which comes first.
herr_t keep_first(unsigned, const H5E_error2_t* error, void* said) {
  auto& [text, ignored_part] = *static_cast<Reason*>(said);
  if (text.empty() && error->desc != nullptr && error->maj_num != ignored_part) text = error->desc;
  return 0;
}

}  // namespace

Hdf5Library::Hdf5Library() : library_(load_hdf5()) {
#define CUBOID_FIND(NAME) library_.require(NAME, "H5" #NAME, oldest);
  CUBOID_FOR_HDF5_FUNCTIONS(CUBOID_FIND)
#undef CUBOID_FIND
  // No object is left open, and at exit MPI has already ended.
  dont_atexit();
  if (open() < 0)
    throw Error(ErrorCode::unsupported, fmt::format("{} does not start", library_.path()));
  native_float = number(library_, "H5T_NATIVE_FLOAT_g");
  native_double = number(library_, "H5T_NATIVE_DOUBLE_g");
  native_int64 = number(library_, "H5T_NATIVE_INT64_g");
  native_uint64 = number(library_, "H5T_NATIVE_UINT64_g");
  file_access = number(library_, "H5P_CLS_FILE_ACCESS_ID_g");
  dataset_creation = number(library_, "H5P_CLS_DATASET_CREATE_ID_g");
  link_creation = number(library_, "H5P_CLS_LINK_CREATE_ID_g");
  plugins = number(library_, "H5E_PLUGIN_g");
}

const Hdf5Library& Hdf5Library::get() {
  static const Hdf5Library library;
  return library;
}

Hdf5Turn::Hdf5Turn(const Hdf5Library& library) : library_(library), lock_(turns()) {
  library_.Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  library_.Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Turn::~Hdf5Turn() {
  library_.Eset_auto2(H5E_DEFAULT, printer_, printer_data_);
}

std::string Hdf5Turn::reason() const {
  Reason said{{}, library_.plugins};
  library_.Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &keep_first, &said);
  return said.text.empty() ? "HDF5 gives no reason" : said.text;
}

}  // namespace cuboid::detail
