#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// The memory layout of a datatype's elements.
struct TypeLayout {
  std::size_t size = 0;     ///< bytes of data in one element
  MPI_Aint extent = 0;      ///< distance between the starts of adjacent elements
  bool contiguous = false;  ///< elements consist of their data, in order and without gaps
  bool gapless = false;     ///< elements have no gaps, but their data may be out of order
  MPI_Aint lower = 0;       ///< offset at which an element's extent begins
  /// The extent of each element contains all its data and little else.
  bool apart = false;
};

/// Throws Error(invalid_argument) if MPI reports an error.
TypeLayout layout_of(MPI_Datatype type);

/// The size that stands for an element whose size MPI_Type_size cannot tell. Cuboid does not serve
/// calls of this length.
inline constexpr std::size_t too_long = std::size_t{1} << 40;

/// The bytes of `count` elements; 0 if the arguments are invalid, and at least too_long if the size
/// of one element does not fit in MPI's int. Fast, because every call uses it.
inline std::size_t bytes_of(int count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return 0;
  int size = 0;
  if (PMPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
  if (size < 0) [[unlikely]]
    return too_long;
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

/// False if the type is a derived type that is not committed yet.
bool is_committed(MPI_Datatype type);

/// Keeps a datatype alive even if its owner frees it. Predefined types are never freed.
class KeptType {
 public:
  KeptType() = default;
  /// @param keep  true if the owner may free the type while it is in use
  KeptType(MPI_Datatype type, bool keep);
  KeptType(KeptType&& other) noexcept;
  KeptType& operator=(KeptType&& other) noexcept;
  ~KeptType();

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

/// Copies elements into adjacent bytes, and back.
void pack(const void* from, int count, MPI_Datatype type, std::byte* to, std::size_t bytes);
void unpack(const std::byte* from, std::size_t bytes, void* to, int count, MPI_Datatype type);

}  // namespace cuboid::detail::drop_in
