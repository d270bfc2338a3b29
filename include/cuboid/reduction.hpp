#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/export.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace cuboid {

/// result[i] = left[i] op right[i] for count elements. `result` may be `left` or `right` itself,
/// and overlaps them in no other way.
using CombineFunction =
    std::function<void(const void* left, const void* right, void* result, std::size_t count)>;

/// How elements are combined. Combination is always in one fixed order of ranks, whatever order
/// messages arrive in: the same bits on every rank and in every run.
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
    user,
  };

  /// A built-in operation. minimum, maximum, logical and bitwise are not defined for complex,
  /// bitwise not for floating point, none for bytes and users' types: Error(invalid_argument) when
  /// used so.
  Reduction(Kind kind) : kind_(kind) {}

  /// A user's operation on any type. It must be associative; where it is not commutative, say so:
  /// operands are then combined in rank order. With CUBOID_PROGRESS=thread it may be called by
  /// Cuboid's own thread. What it throws is an error of the operation: Error(invalid_argument).
  /// Throws Error(invalid_argument) for an empty function.
  static Reduction user(CombineFunction combine, bool commutative);

  Kind kind() const { return kind_; }
  bool commutative() const { return commutative_; }
  bool defined_for(Datatype type) const;

  /// The function that combines elements of `type`. Throws Error(invalid_argument) where it is not
  /// defined.
  CombineFunction combine_for(Datatype type) const;

  /// Two reductions are the same when a plan made for one serves the other.
  bool operator==(const Reduction& other) const {
    return kind_ == other.kind_ && combine_ == other.combine_;
  }

 private:
  Kind kind_;
  bool commutative_ = true;
  std::shared_ptr<const CombineFunction> combine_;
};

CUBOID_API std::string to_string(Reduction::Kind kind);

}  // namespace cuboid
