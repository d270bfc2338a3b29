#pragma once

#include <cstddef>

#include <cuboid.h>

// A collective on arrays that know their lengths: how the C interface, and languages above it,
// reach the library's checks.

namespace cuboid {
class Communicator;
}

namespace cuboid::detail::c {

/// Contiguous memory of the caller. `data` is CUBOID_IN_PLACE where the other array of the call has
/// what this one stands for; `count` and `type` then say nothing.
struct Array {
  const void* data = nullptr;
  std::size_t count = 0;
  cuboid_datatype type = CUBOID_BYTE;

  bool in_place() const { return data == CUBOID_IN_PLACE; }
};

/// A number for each rank, or each neighbour; without `numbers` it was not given.
struct CountList {
  const std::size_t* numbers = nullptr;
  std::size_t count = 0;

  bool given() const { return numbers != nullptr; }
};

/// The form of a call: started if there is a request to fill, planned if there is a plan, else
/// blocking.
struct ArrayCallForm {
  cuboid_request* request = nullptr;
  cuboid_plan* plan = nullptr;
};

/// One call. An operation with counts is its v-form. What an operation does not have stays empty.
struct ArrayCall {
  enum class ArrayOperation {
    barrier,
    broadcast,  ///< of `output`
    reduce,
    allreduce,
    reduce_scatter,
    allgather,
    gather,
    scatter,
    alltoall,
    scan,
    exscan,
    neighbour_allgather,
    neighbour_alltoall,
    send,
    receive,
    exchange,
  };

  ArrayOperation operation;
  Array input = {};
  Array output = {};
  CountList input_counts = {};
  CountList input_displacements = {};
  CountList output_counts = {};
  CountList output_displacements = {};
  cuboid_reduction reduction = nullptr;
  int root = 0;  ///< also the destination of a message
  int source = 0;
  int number = 0;
  cuboid_neighbourhood neighbourhood = nullptr;
};

/// Makes the call. Throws Error(invalid_argument) for CUBOID_IN_PLACE where it stands for nothing,
/// and what the operation throws.
void run(const ArrayCall& call, const Communicator& communicator, const ArrayCallForm& form);

}  // namespace cuboid::detail::c

/// The same; returns a code of cuboid_code. For Cuboid's own interfaces to other languages, of
/// the same version.
extern "C" CUBOID_API int cuboid_call_on_arrays(const cuboid::detail::c::ArrayCall* call,
                                                cuboid_communicator communicator,
                                                const cuboid::detail::c::ArrayCallForm* form);
