#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// How elements of a datatype lie in memory.
struct TypeLayout {
  std::size_t size = 0;     ///< bytes of data in one element
  MPI_Aint extent = 0;      ///< from one element to the next
  bool contiguous = false;  ///< elements are their data, in order and without gaps
  bool gapless = false;     ///< no gaps, though perhaps out of order
  MPI_Aint lower = 0;       ///< where an element's extent begins
  /// The extent of each element holds all its data, and little else.
  bool apart = false;
};

/// Throws Error(invalid_argument) where MPI does not tell.
TypeLayout layout_of(MPI_Datatype type);

/// Of an element that is too long for MPI_Type_size: more than Cuboid is asked to carry.
inline constexpr std::size_t too_long = std::size_t{1} << 40;

/// Bytes of `count` elements; 0 where these are no valid arguments, at least too_long where MPI's
/// int does not hold those of one. Quick: every call asks.
inline std::size_t bytes_of(int count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  int size = 0;
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
  if (size < 0) [[unlikely]]
    return too_long;
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

/// A datatype kept alive though its owner may free it; predefined ones need no keeping.
class KeptType {
 public:
  KeptType() = default;
  /// @param keep  whether the owner may free it while this one is in use
  KeptType(MPI_Datatype type, bool keep);
  KeptType(KeptType&& other) noexcept;
  KeptType& operator=(KeptType&& other) noexcept;
  ~KeptType();

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

/// Copies elements to bytes one behind the other, and back.
void pack(const void* from, int count, MPI_Datatype type, std::byte* to, std::size_t bytes);
void unpack(const std::byte* from, std::size_t bytes, void* to, int count, MPI_Datatype type);

}  // namespace cuboid::detail::drop_in
