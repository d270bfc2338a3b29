#include "bindings/mpi/types.hpp"

#include <cuboid/error.hpp>

#include "bindings/mpi/self.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cuboid::detail::drop_in {

namespace {

void require(int status, const char* what) {
  if (status != MPI_SUCCESS) {
    throw Error(ErrorCode::invalid_argument, std::string("the native MPI refused ") + what);
  }
}

constexpr std::size_t most_at_once = std::numeric_limits<int>::max();

/// Calls `part(first element, number of elements, bytes before them, their bytes)` for as many
/// elements at a time as MPI can pack.
template <class Part>
void in_parts(int count, std::size_t bytes, const Part& part) {
  const std::size_t one = bytes / static_cast<std::size_t>(count);
  if (one > most_at_once)
    throw Error(ErrorCode::unsupported, "MPI cannot pack elements of more than 2 GiB");
  const int most = static_cast<int>(most_at_once / one);
  for (int first = 0; first < count; first += std::min(most, count - first)) {
    const int number = std::min(most, count - first);
    part(first, number, static_cast<std::size_t>(first) * one,
         static_cast<int>(static_cast<std::size_t>(number) * one));
  }
}

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  require(PMPI_Type_get_extent(type, &lower, &extent), "to tell a datatype's extent");
  return extent;
}

int combiner_of(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  require(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner),
          "to tell how a datatype was made");
  return combiner;
}

bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER ||
         combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX;
}

/// True if the data of a gapless type is in the order of addresses. This is found out only for
/// predefined types and contiguous sequences of them; for other types the result is false.
bool in_order(MPI_Datatype type) {
  const int combiner = combiner_of(type);
  if (is_predefined(combiner)) return true;
  if (combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_CONTIGUOUS) {
    int count = 0;
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    require(PMPI_Type_get_contents(type, combiner == MPI_COMBINER_DUP ? 0 : 1, 0, 1, &count,
                                   nullptr, &inner),
            "to tell what a datatype is made of");
    const bool ordered = in_order(inner);
    if (!is_predefined(combiner_of(inner))) PMPI_Type_free(&inner);
    return ordered;
  }
  return false;
}

}  // namespace

TypeLayout layout_of(MPI_Datatype type) {
  TypeLayout layout;
  MPI_Count size = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  require(PMPI_Type_size_x(type, &size), "to tell a datatype's size");
  require(PMPI_Type_get_extent(type, &layout.lower, &layout.extent), "to tell a datatype's extent");
  require(PMPI_Type_get_true_extent(type, &true_lower, &true_extent),
          "to tell a datatype's true extent");
  layout.size = static_cast<std::size_t>(size);
  layout.gapless = layout.lower == 0 && true_lower == 0 && size > 0 && layout.extent == size &&
                   true_extent == size;
  layout.apart = size > 0 && true_lower >= layout.lower &&
                 true_lower + true_extent <= layout.lower + layout.extent &&
                 layout.extent <= 4 * size;
  layout.contiguous = layout.gapless && in_order(type);
  return layout;
}

bool is_committed(MPI_Datatype type) {
  if (is_predefined(combiner_of(type))) return true;
  // MPI tells this only by the return code of a call that needs a committed type.
  static const MPI_Comm quiet = [] {
    MPI_Comm made = make_self();
    PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
  }();
  std::byte nothing = {};
  int position = 0;
  return PMPI_Pack(&nothing, 0, type, &nothing, 1, &position, quiet) == MPI_SUCCESS;
}

KeptType::KeptType(MPI_Datatype type, bool keep) : type_(type) {
  if (!keep || is_predefined(combiner_of(type))) return;
  require(PMPI_Type_dup(type, &type_), "to duplicate a datatype");
  owned_ = true;
}

KeptType::KeptType(KeptType&& other) noexcept
    : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)),
      owned_(std::exchange(other.owned_, false)) {}

KeptType& KeptType::operator=(KeptType&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(owned_, other.owned_);
  return *this;
}

KeptType::~KeptType() {
  if (owned_) PMPI_Type_free(&type_);
}

void pack(const void* from, int count, MPI_Datatype type, std::byte* to, std::size_t bytes) {
  if (bytes == 0) return;
  const MPI_Aint extent = extent_of(type);
  in_parts(count, bytes, [&](int first, int number, std::size_t before, int its_bytes) {
    int position = 0;
    require(PMPI_Pack(static_cast<const std::byte*>(from) + first * extent, number, type,
                      to + before, its_bytes, &position, MPI_COMM_SELF),
            "to pack");
  });
}

void unpack(const std::byte* from, std::size_t bytes, void* to, int count, MPI_Datatype type) {
  if (bytes == 0) return;
  const MPI_Aint extent = extent_of(type);
  in_parts(count, bytes, [&](int first, int number, std::size_t before, int its_bytes) {
    int position = 0;
    require(PMPI_Unpack(from + before, its_bytes, &position,
                        static_cast<std::byte*>(to) + first * extent, number, type, MPI_COMM_SELF),
            "to unpack");
  });
}

}  // namespace cuboid::detail::drop_in
