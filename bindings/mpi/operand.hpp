#pragma once

#include "bindings/mpi/blocks.hpp"
#include "bindings/mpi/elements.hpp"
#include "bindings/mpi/types.hpp"

#include <cstddef>
#include <memory>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Elements that a reduction reads or writes. Elements without gaps are used in the program's
/// memory. Elements with gaps are copied, because the gaps in the program's memory must not be
/// changed.
class ReductionOperand {
 public:
  ReductionOperand(void* base, std::size_t count, MPI_Datatype type, const Elements& elements,
                   ByteBlocks::Life life);

  void* data() const { return copy_ ? copy_.get() : base_; }
  bool is_copy() const { return copy_ != nullptr; }
  /// Copies the elements from the program's memory.
  void load();
  /// Copies the elements to the program's memory.
  void store();

 private:
  std::byte* base_;
  int count_;
  TypeLayout layout_;
  KeptType type_;
  std::unique_ptr<std::byte[]> copy_;
};

}  // namespace cuboid::detail::drop_in
