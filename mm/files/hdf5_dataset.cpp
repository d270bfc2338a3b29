#include "mm/files/hdf5_dataset.hpp"

#include <cuboid/error.hpp>

#include "mm/files/hdf5_attributes.hpp"
#include "mm/files/hdf5_elements.hpp"
#include "mm/files/hdf5_library.hpp"
#include "mm/local/trial.hpp"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

constexpr int dimensions = 2;
using Extents = std::array<hsize_t, dimensions>;

[[noreturn]] void fail(ErrorCode code, const std::string& path, const std::string& what) {
  throw Error(code, fmt::format("{}: {}", path, what));
}

void require_name(const std::string& file, const std::string& dataset) {
  if (dataset.size() > 1) return;
  fail(ErrorCode::invalid_argument, file,
       fmt::format("an HDF5 file holds many matrices: name one, as in {}:/A", file));
}

/// Throws if another program has the file open for writing. HDF5 locks a file that it writes,
/// unless it is told not to. Data that a program writes to a file that is being replaced would be
/// lost, and half-written data cannot be read.
void require_no_writer(const std::string& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool written =
      opened >= 0 && ::flock(opened, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (opened >= 0) ::close(opened);
  if (written) fail(ErrorCode::io, file, "another program has it open to write: close it there");
}

/// The property with which the library opens files: without locks. Many file systems lack locks,
/// and the new version of a file has Cuboid's own lock.
Hdf5Handle without_locks(const Hdf5Library& hdf5) {
  Hdf5Handle access(hdf5.Pcreate(hdf5.file_access), hdf5.Pclose);
  hdf5.Pset_file_locking(access.get(), false, true);
  return access;
}

Hdf5Handle open_file(const Hdf5Library& hdf5, const Hdf5Turn& turn, const std::string& file,
                     unsigned how) {
  const Hdf5Handle access = without_locks(hdf5);
  Hdf5Handle opened(hdf5.Fopen(file.c_str(), how, access.get()), hdf5.Fclose);
  if (!opened.is_open())
    fail(ErrorCode::parse, file, fmt::format("not a whole HDF5 file: {}", turn.reason()));
  return opened;
}

Extents extents_of(const Hdf5Library& hdf5, hid_t space, const std::string& path) {
  if (const int has = hdf5.Sget_simple_extent_ndims(space); has != dimensions) {
    fail(ErrorCode::parse, path,
         fmt::format("has {} dimension{}: store it as m x n, a vector with m or n = 1", has,
                     has == 1 ? "" : "s"));
  }
  Extents extents{};
  hdf5.Sget_simple_extent_dims(space, extents.data(), nullptr);
  if (extents[1] > 0 && extents[0] > static_cast<hsize_t>(INT64_MAX) / extents[1] / 16)
    fail(ErrorCode::parse, path, "larger than 64-bit sizes can say");
  return extents;
}

bool is_dataset(const Hdf5Library& hdf5, hid_t file, const std::string& name) {
  return Hdf5Handle(hdf5.Dopen2(file, name.c_str(), H5P_DEFAULT), hdf5.Dclose).is_open();
}

/// True if a dataset of that name exists. Throws Error(invalid_argument) if there cannot be one of
/// that name.
bool is_taken(const Hdf5Library& hdf5, hid_t opened, const std::string& file,
              const std::string& dataset) {
  for (std::size_t slash = dataset.find('/', 1);; slash = dataset.find('/', slash + 1)) {
    const std::string part = dataset.substr(0, slash);
    if (hdf5.Lexists(opened, part.c_str(), H5P_DEFAULT) <= 0) return false;
    const bool whole = slash == dataset.npos;
    if (is_dataset(hdf5, opened, part) != whole)
      fail(ErrorCode::invalid_argument, file + ":" + dataset,
           fmt::format("{} is {} there: give the dataset another name", part,
                       whole ? "no dataset" : "a dataset"));
    if (whole) return true;
  }
}

/// Removes a dataset, so that the next dataset can use its space, and keeps its attributes.
void take_away(const Hdf5Library& hdf5, const Hdf5Turn& turn, hid_t opened, const std::string& file,
               const std::string& dataset, Hdf5Attributes& attributes) {
  const Hdf5Handle old(hdf5.Dopen2(opened, dataset.c_str(), H5P_DEFAULT), hdf5.Dclose);
  // The library trusts the lengths that it finds in the file's heap. The heap holds the values of
  // attributes without a fixed length, such as h5py's texts. In a damaged file the library crashes
  // there or never ends; in thousands of files damaged at random, no other call made here did. So a
  // child process reads the attributes first. Leaving them out instead would lose all these texts.
  const auto read_all = [&] {
    Hdf5Attributes trial(hdf5);
    if (!trial.read_from(old.get())) throw Error(ErrorCode::io, dataset);
  };
  constexpr unsigned int most_seconds = 2;  // they are few and small, and the file was just copied
  const bool readable = hdf5.Aget_num_attrs(old.get()) == 0 || survives(read_all, most_seconds);
  if (!readable)
    fail(
        ErrorCode::io, file,
        fmt::format("cannot replace {}: a child process could not read its attributes: the file is "
                    "damaged, or no process can be started: write to another dataset or file",
                    dataset));
  if (!attributes.read_from(old.get()) || hdf5.Ldelete(opened, dataset.c_str(), H5P_DEFAULT) < 0)
    fail(ErrorCode::io, file, fmt::format("cannot replace {}: {}", dataset, turn.reason()));
}

}  // namespace

struct Hdf5Dataset::Open {
  const Hdf5Library& hdf5 = Hdf5Library::get();
  std::string path;
  Hdf5Handle file, dataset;
  NumbersInMemory elements;
  Hdf5Description description;

  static std::unique_ptr<Open> at(const std::string& file_path, const std::string& wanted) {
    require_name(file_path, wanted);
    require_no_writer(file_path);
    const Hdf5Library& hdf5 = Hdf5Library::get();
    const Hdf5Turn turn(hdf5);
    const std::string name = file_path + ":" + wanted;
    Hdf5Handle file = open_file(hdf5, turn, file_path, H5F_ACC_RDONLY);
    Hdf5Handle dataset(hdf5.Dopen2(file.get(), wanted.c_str(), H5P_DEFAULT), hdf5.Dclose);
    if (!dataset.is_open())
      fail(ErrorCode::io, name, fmt::format("no such dataset: {}", turn.reason()));
    const Hdf5Handle space(hdf5.Dget_space(dataset.get()), hdf5.Sclose);
    const auto [rows, columns] = extents_of(hdf5, space.get(), name);
    const Hdf5Handle stored(hdf5.Dget_type(dataset.get()), hdf5.Tclose);
    const auto type = element_type_of_hdf5(hdf5, stored.get());
    if (!type) {
      fail(ErrorCode::parse, name,
           fmt::format("holds {}: store real or complex numbers of at most 64 bits each, or "
                       "integers",
                       words_for_elements(hdf5, stored.get())));
    }
    return std::unique_ptr<Open>(
        new Open{hdf5,
                 name,
                 std::move(file),
                 std::move(dataset),
                 numbers_in_memory(hdf5, *type, stored.get()),
                 {*type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}});
  }
};

Hdf5Dataset::Hdf5Dataset(const std::string& file, const std::string& dataset)
    : open_(Open::at(file, dataset)) {}

Hdf5Dataset::~Hdf5Dataset() {
  const Hdf5Turn turn(open_->hdf5);
  open_.reset();
}

const Hdf5Description& Hdf5Dataset::description() const {
  return open_->description;
}

void Hdf5Dataset::read(std::span<std::byte> elements, std::int64_t first) const {
  const Hdf5Library& hdf5 = open_->hdf5;
  const Hdf5Turn turn(hdf5);
  const auto bytes = bytes_of(open_->description.type);
  const std::span<std::byte> all = elements;
  const Hdf5Handle space(hdf5.Dget_space(open_->dataset.get()), hdf5.Sclose);
  for (const Rectangle& part : rectangles_of(
           first, static_cast<std::int64_t>(elements.size() / bytes), open_->description.columns)) {
    const Extents begin = {static_cast<hsize_t>(part.row), static_cast<hsize_t>(part.column)};
    const Extents size = {static_cast<hsize_t>(part.rows), static_cast<hsize_t>(part.columns)};
    const Hdf5Handle memory(hdf5.Screate_simple(dimensions, size.data(), nullptr), hdf5.Sclose);
    hdf5.Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, size.data(),
                           nullptr);
    if (hdf5.Dread(open_->dataset.get(), open_->elements.type.get(), memory.get(), space.get(),
                   H5P_DEFAULT, elements.data()) < 0)
      fail(ErrorCode::io, open_->path, fmt::format("cannot be read: {}", turn.reason()));
    elements = elements.subspan(static_cast<std::size_t>(part.rows * part.columns) * bytes);
  }
  try {
    convert_in_place(open_->elements.stored, all);
  } catch (const Error& error) {
    fail(error.code(), open_->path, error.what());
  }
}

std::uint64_t create_hdf5_dataset(const std::string& file, const std::string& dataset,
                                  const Hdf5Description& description) {
  const Hdf5Library& hdf5 = Hdf5Library::get();
  const Hdf5Turn turn(hdf5);
  Hdf5Handle opened = open_file(hdf5, turn, file, H5F_ACC_RDWR);
  Hdf5Attributes attributes(hdf5);
  if (is_taken(hdf5, opened.get(), file, dataset)) {
    take_away(hdf5, turn, opened.get(), file, dataset, attributes);
  }
  const Extents extents = {static_cast<hsize_t>(description.rows),
                           static_cast<hsize_t>(description.columns)};
  const Hdf5Handle space(hdf5.Screate_simple(dimensions, extents.data(), nullptr), hdf5.Sclose);
  const Hdf5Handle groups(hdf5.Pcreate(hdf5.link_creation), hdf5.Pclose);
  hdf5.Pset_create_intermediate_group(groups.get(), 1);
  // The space is reserved now, and only the ranks write to it.
  const Hdf5Handle storage(hdf5.Pcreate(hdf5.dataset_creation), hdf5.Pclose);
  hdf5.Pset_alloc_time(storage.get(), H5D_ALLOC_TIME_EARLY);
  hdf5.Pset_fill_time(storage.get(), H5D_FILL_TIME_NEVER);
  const Hdf5Handle type = type_in_memory(hdf5, description.type, H5I_INVALID_HID);
  Hdf5Handle created(hdf5.Dcreate2(opened.get(), dataset.c_str(), type.get(), space.get(),
                                   groups.get(), storage.get(), H5P_DEFAULT),
                     hdf5.Dclose);
  if (!created.is_open())
    fail(ErrorCode::io, file, fmt::format("cannot make dataset {}: {}", dataset, turn.reason()));
  if (!attributes.write_to(created.get()))
    fail(ErrorCode::io, file, fmt::format("cannot keep attributes: {}", turn.reason()));
  const bool empty = description.rows == 0 || description.columns == 0;
  const haddr_t offset = empty ? 0 : hdf5.Dget_offset(created.get());
  if (offset == HADDR_UNDEF || !created.close() || !opened.close())
    fail(ErrorCode::io, file, fmt::format("cannot be written: {}", turn.reason()));
  return offset;
}

void create_hdf5_file(const std::string& file) {
  const Hdf5Library& hdf5 = Hdf5Library::get();
  const Hdf5Turn turn(hdf5);
  const Hdf5Handle access = without_locks(hdf5);
  Hdf5Handle created(hdf5.Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                     hdf5.Fclose);
  if (!created.is_open() || !created.close())
    fail(ErrorCode::io, file, fmt::format("cannot be written: {}", turn.reason()));
}

void check_hdf5_writable(const std::string& file, const std::string& dataset) {
  require_name(file, dataset);
  const Hdf5Library& hdf5 = Hdf5Library::get();
  if (::access(file.c_str(), F_OK) != 0) return;
  require_no_writer(file);
  const Hdf5Turn turn(hdf5);
  const Hdf5Handle opened = open_file(hdf5, turn, file, H5F_ACC_RDONLY);
  is_taken(hdf5, opened.get(), file, dataset);
}

}  // namespace cuboid::detail
