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

/// Whether blocks in shared memory are multiplied in place or fetched like others.
enum class SharedBlocks { in_place, fetched };

/// The pieces of an operand, cut along its inner dimension, and their owners on a line of ranks.
struct OperandPieces {
  struct OperandPiece {
    int owner = 0;            ///< rank in the line
    std::int64_t begin = 0;   ///< where the owner keeps its first inner index
    std::int64_t extent = 0;  ///< inner indices
  };
  std::vector<OperandPiece> pieces;
  std::int64_t vectors = 0;  ///< rows of op(A) resp. columns of op(B): all pieces have all of them
  bool tall = true;          ///< stored as vectors × inner; else as inner × vectors
  Op op = Op::none;          ///< what gemm applies to what is stored
};

/// An operand that the ranks of a line read from each other one-sidedly, piece by piece. If the
/// line is on one node and the matrix in shared memory (Matrix::shared), it is read in place and
/// nothing is copied. Otherwise every rank exposes a copy of its part, which others read in place
/// if memory is shared, and through a cycle of buffers if not.
template <MatrixElement T>
class SharedOperand {
 public:
  /// @param ranks  those of the line in the matrix's communicator.
  SharedOperand(const Communicator& line, std::vector<int> ranks, OperandPieces pieces,
                SharedBlocks shared);

  /// Makes ready for matrices of one kind, and the memory that others read where that takes a copy;
  /// before all else. Collective over `line`. Throws Error(out_of_memory).
  /// @param readable_on_node  the matrices', as they say.
  void prepare(bool readable_on_node);
  /// Then makes buffers for so many pieces at once, where any is needed. Not collective. Throws
  /// Error(out_of_memory).
  void allocate(std::size_t pieces_at_once);

  /// Whether the pieces of a rank of the line need no fetch().
  bool direct(int owner) const { return direct_[static_cast<std::size_t>(owner)]; }
  /// Whether every piece is.
  bool all_direct() const;

  /// Shows the others what this rank owns of a matrix, which must stay until close(). Collective.
  void open(const Matrix<T>& stored);
  /// Begins to fetch a piece, unless it is direct, into a buffer that is free: there must be one.
  void fetch(std::size_t piece);
  /// Progresses the pieces in flight.
  void progress();
  /// Waits for a piece that fetch() began to fetch, if any is fetched.
  void arrive(std::size_t piece);
  /// Makes progress and returns whether arrive() would return at once.
  bool has_arrived(std::size_t piece);
  /// A piece that is direct or has arrived.
  Panel<T> panel(std::size_t piece) const;
  /// Frees the buffer of a piece that is not used any more, if it was fetched.
  void release(std::size_t piece);
  /// Waits until no rank reads from this one any more. Collective.
  void close();

  /// Bytes that open() has copied so far.
  std::uint64_t bytes_copied() const { return bytes_copied_; }

 private:
  std::int64_t elements(std::size_t piece) const {
    return pieces_.pieces[piece].extent * pieces_.vectors;
  }

  /// What a rank of the line owns, where it lies.
  struct SharedPart {
    const T* data = nullptr;
    std::int64_t leading_dimension = 1;
  };

  /// Where a piece begins in its owner's part.
  const T* piece_of(const SharedPart& part, std::size_t piece) const;

  Communicator line_;
  std::vector<int> ranks_;
  OperandPieces pieces_;
  SharedBlocks shared_;
  bool in_place_ = false;              // nothing is copied
  std::vector<SharedPart> parts_;      // then, by owner
  std::vector<bool> direct_;           // by owner
  std::vector<std::int64_t> owned_;    // elements, by owner
  std::vector<std::int64_t> offsets_;  // by piece, in its owner's window
  std::vector<AlignedArray<T>> buffers_;
  std::vector<T*> free_;  // of buffers_
  // Of copies; none where the line is one rank. Ends before the buffers that it gets into.
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
