#pragma once

#include <cuboid/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace cuboid::detail {

/// Some neighbouring columns of a face in one step, stored in one piece of memory.
template <class T>
struct FacePiece {
  std::int64_t first_column = 0;  ///< number of its first column in the step
  LocalView<const T> columns;
};

/// Assembles the face of this rank's brick from its shares, step by step. Memory and plans are made
/// once; a step allocates nothing.
template <MatrixElement T>
class FaceExchange {
 public:
  virtual ~FaceExchange() = default;

  /// The memory for this rank's share of a step: rows × its columns.
  virtual LocalView<T> own(std::size_t step) const = 0;
  /// True if own() of every round must be filled before open(). False if own() of a round must be
  /// filled just before its start().
  virtual bool takes_all_rounds_first() const = 0;
  /// Call open() before the first step of a run, and close() after the last. Collective over the
  /// ranks that share the face.
  virtual void open() = 0;
  virtual void close() = 0;

  /// Begins a step. The step before must be finished.
  virtual void start(std::size_t step) = 0;
  /// Progresses the step in flight; returns false if there is none.
  virtual bool progress() = 0;
  /// Waits for the step. Returns its pieces in order. The list is valid until the next step is
  /// started; the memory of the pieces is valid for one step more.
  virtual std::span<const FacePiece<T>> finish() = 0;
};

}  // namespace cuboid::detail
