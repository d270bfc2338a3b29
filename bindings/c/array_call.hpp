#pragma once

#include <cuboid/on_stream.hpp>

#include <cstddef>

#include <cuboid.h>

// A collective on arrays that know their lengths. Through it the C interface, and the interfaces to
// other languages above it, use the library's checks.

namespace cuboid {
class Communicator;
}

namespace cuboid::detail::c {

/// Contiguous memory of the caller. If `data` is CUBOID_IN_PLACE, the other array of the call is
/// used in its place; `count` and `type` have no meaning then.
struct Array {
  const void* data = nullptr;
  std::size_t count = 0;
  cuboid_datatype type = CUBOID_BYTE;

  bool in_place() const { return data == CUBOID_IN_PLACE; }
};

/// A number for each rank, or for each neighbour. If `numbers` is null, the list was not given.
struct CountList {
  const std::size_t* numbers = nullptr;
  std::size_t count = 0;

  bool given() const { return numbers != nullptr; }
};

/// The form of a call. It is started if there is a request to fill in, planned if there is a plan
/// to fill in, otherwise blocking.
struct ArrayCallForm {
  cuboid_request* request = nullptr;
  cuboid_plan* plan = nullptr;
  OnStream after = {};  ///< a started call begins after this stream's work
};

/// One call. An operation with counts is in its v-form. Members that an operation does not use are
/// empty.
struct ArrayCall {
  enum class ArrayOperation {
    barrier,
    broadcast,  ///< broadcasts `output`
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
  int root = 0;  ///< the root, or the destination of a message
  int source = 0;
  int number = 0;
  cuboid_neighbourhood neighbourhood = nullptr;
};

/// Makes the call. Throws Error(invalid_argument) if an array is CUBOID_IN_PLACE that may not be,
/// and what the operation throws.
void run(const ArrayCall& call, const Communicator& communicator, const ArrayCallForm& form);

}  // namespace cuboid::detail::c

/// run() for Cuboid's interfaces to other languages, which have the same version. Returns a code of
/// cuboid_code.
extern "C" CUBOID_API int cuboid_call_on_arrays(const cuboid::detail::c::ArrayCall* call,
                                                cuboid_communicator communicator,
                                                const cuboid::detail::c::ArrayCallForm* form);
