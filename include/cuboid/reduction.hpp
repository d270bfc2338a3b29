#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/export.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace cuboid {

/// result[i] = left[i] op right[i] for `count` elements. `result` may equal `left` or `right`, but
/// does not overlap them in any other way. Buffers hold elements of the collective's type.
using CombineFunction =
    std::function<void(const void* left, const void* right, void* result, std::size_t count)>;

/// Tells if the operands of an operation may change places.
enum class Commutative : bool { no, yes };

/// An operation that combines elements. The order of combination is fixed and does not depend on
/// the order in which messages arrive: every rank and every run gets the same bits.
class CUBOID_API Reduction {
 public:
  enum class Kind {
    sum,
    product,
    minimum,
    maximum,
    logical_and,
    logical_or,
    logical_xor,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    /// For Located elements: the least (greatest) value with its index; of equal values, the one
    /// with the lower index.
    minimum_location,
    maximum_location,
    /// The sum divided by the number of ranks, for floating point and complex types, in reduce,
    /// allreduce and reduce_scatter. The sum is formed first, so it may overflow.
    average,
    user,
  };

  /// A built-in operation. Minimum, maximum, logical and bitwise operations are undefined for
  /// complex types. Bitwise operations are undefined for floating point. All operations are
  /// undefined for bytes and user types. The operations with locations are defined for Located
  /// elements alone. 16-bit numbers are combined in float, and each result is rounded. A collective
  /// throws Error(invalid_argument) if the operation is undefined for its type.
  Reduction(Kind kind) : kind_(kind) {}

  /// A user's operation on any type. It must be associative. If it is not commutative, operands are
  /// combined in rank order. With CUBOID_PROGRESS=thread Cuboid's own thread may call it. If the
  /// operation throws, this rank's wait throws the same; the waits of all other ranks throw
  /// Error(peer_failed), which names the rank and the reason. Throws Error(invalid_argument) for an
  /// empty function.
  static Reduction user(CombineFunction combine, Commutative commutative);

  Kind kind() const { return kind_; }
  /// True if operands may be combined in another order than that of the ranks.
  bool commutative() const { return commutative_; }
  /// True if elements of `type` can be combined; a user's operation takes any type.
  bool defined_for(Datatype type) const;

  /// The function that combines elements of `type`. Throws Error(invalid_argument) if the operation
  /// is undefined for the type.
  CombineFunction combine_for(Datatype type) const;

  /// Equal reductions may share a plan.
  bool operator==(const Reduction& other) const {
    return kind_ == other.kind_ && combine_ == other.combine_;
  }

 private:
  Kind kind_;
  bool commutative_ = true;
  std::shared_ptr<const CombineFunction> combine_;
};

/// The name of an operation, e.g. "sum" or "bitwise and".
CUBOID_API std::string to_string(Reduction::Kind kind);

}  // namespace cuboid
