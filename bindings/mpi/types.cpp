#include "bindings/mpi/types.hpp"

#include <cuboid/error.hpp>

#include <limits>
#include <utility>

namespace cuboid::detail::drop_in {

namespace {

void require(int status, const char* what) {
  if (status != MPI_SUCCESS) {
    throw Error(ErrorCode::invalid_argument, std::string("the MPI beneath refused ") + what);
  }
}

int as_int(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(ErrorCode::unsupported, "MPI cannot pack more than 2 GiB at once");
  }
  return static_cast<int>(bytes);
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

/// Whether the data of a gapless type come in the order of their addresses. Said of predefined
/// types and rows of such; of others it is not found out.
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
  int size = 0;
  MPI_Aint lower = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  require(PMPI_Type_size(type, &size), "to tell a datatype's size");
  require(PMPI_Type_get_extent(type, &lower, &layout.extent), "to tell a datatype's extent");
  require(PMPI_Type_get_true_extent(type, &true_lower, &true_extent),
          "to tell a datatype's true extent");
  layout.size = static_cast<std::size_t>(size);
  layout.gapless =
      lower == 0 && true_lower == 0 && size > 0 && layout.extent == size && true_extent == size;
  layout.contiguous = layout.gapless && in_order(type);
  return layout;
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
  int position = 0;
  require(PMPI_Pack(from, count, type, to, as_int(bytes), &position, MPI_COMM_SELF), "to pack");
}

void unpack(const std::byte* from, std::size_t bytes, void* to, int count, MPI_Datatype type) {
  if (bytes == 0) return;
  int position = 0;
  require(PMPI_Unpack(from, as_int(bytes), &position, to, count, type, MPI_COMM_SELF), "to unpack");
}

}  // namespace cuboid::detail::drop_in
