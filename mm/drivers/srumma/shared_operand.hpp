#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/window.hpp>

#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// The way in which blocks in shared memory are multiplied: in place, or after they were fetched
/// like other blocks.
enum class SharedBlocks { in_place, fetched };

/// The pieces of an operand, cut along its inner dimension, and their owners on a line of ranks.
struct OperandPieces {
  struct OperandPiece {
    int owner = 0;            ///< rank in the line
    std::int64_t begin = 0;   ///< the owner's local index of its first inner index
    std::int64_t extent = 0;  ///< inner indices
  };
  std::vector<OperandPiece> pieces;
  std::int64_t vectors = 0;  ///< rows of op(A) or columns of op(B); every piece has all of them
  bool tall = true;  ///< true if it is stored as vectors × inner, false if as inner × vectors
  Op op = Op::none;  ///< the op that gemm applies to the stored elements
};

/// An operand that the ranks of a line read from each other one-sidedly, piece by piece. If the
/// line is on one node and the matrix in shared memory (Matrix::shared), it is read in place and
/// nothing is copied. Otherwise every rank exposes a copy of its part. Others read the copy in
/// place if they share its memory, otherwise through a cycle of buffers.
template <MatrixElement T>
class SharedOperand {
 public:
  /// @param ranks  the ranks of the line in the matrix's communicator.
  SharedOperand(const Communicator& line, std::vector<int> ranks, OperandPieces pieces,
                SharedBlocks shared);

  /// Prepares for matrices of one kind. Makes the memory that others read if it must be a copy.
  /// Call it first. Collective over `line`. Throws Error(out_of_memory).
  /// @param readable_on_node  Matrix::is_readable_on_node() of the matrices.
  void prepare(bool readable_on_node);
  /// Makes buffers for as many pieces at once, if any are needed. Call it after prepare(). Not
  /// collective. Throws Error(out_of_memory).
  void allocate(std::size_t pieces_at_once);

  /// True if the pieces of a rank of the line need no fetch().
  bool direct(int owner) const { return direct_[static_cast<std::size_t>(owner)]; }
  /// True if no piece needs fetch().
  bool all_direct() const;

  /// Exposes this rank's part of a matrix, which must not change until close(). Collective.
  void open(const Matrix<T>& stored);
  /// Begins to fetch a piece into a free buffer, unless the piece is direct. There must be a free
  /// buffer.
  void fetch(std::size_t piece);
  /// Progresses the pieces in flight.
  void progress();
  /// Waits for a piece that fetch() began to fetch; returns at once for a direct piece.
  void arrive(std::size_t piece);
  /// Makes progress. Returns true if arrive() would return at once.
  bool has_arrived(std::size_t piece);
  /// A piece that is direct or has arrived.
  Panel<T> panel(std::size_t piece) const;
  /// Frees the buffer of a piece that is not used any more, if it was fetched.
  void release(std::size_t piece);
  /// Waits until no rank reads from this one any more. Collective.
  void close();

  /// The bytes that all calls of open() have copied.
  std::uint64_t bytes_copied() const { return bytes_copied_; }

 private:
  std::int64_t elements(std::size_t piece) const {
    return pieces_.pieces[piece].extent * pieces_.vectors;
  }

  /// The memory of a rank's own part.
  struct SharedPart {
    const T* data = nullptr;
    std::int64_t leading_dimension = 1;
  };

  /// The address of a piece in its owner's part.
  const T* piece_of(const SharedPart& part, std::size_t piece) const;

  Communicator line_;
  std::vector<int> ranks_;
  OperandPieces pieces_;
  SharedBlocks shared_;
  bool in_place_ = false;              // true if nothing is copied
  std::vector<SharedPart> parts_;      // parts to read in place, by owner
  std::vector<bool> direct_;           // by owner
  std::vector<std::int64_t> owned_;    // elements that a rank owns, by owner
  std::vector<std::int64_t> offsets_;  // place in the owner's window, by piece
  std::vector<AlignedArray<T>> buffers_;
  std::vector<T*> free_;  // the free buffers of `buffers_`
  // The window of copies; none if the line is one rank. It is destroyed before the buffers to which
  // its gets write.
  std::optional<Window> window_;
  std::uint64_t bytes_copied_ = 0;
  struct Fetched {
    T* data = nullptr;
    Window::GetNumber get{};
  };
  std::vector<Fetched> fetched_;  // by piece
  LocalView<const T> own_;
};

}  // namespace cuboid::detail
