#pragma once

#include <cuboid/collectives/communicator.hpp>
#include <cuboid/collectives/window.hpp>
#include <cuboid/mm/aligned_memory.hpp>
#include <cuboid/mm/element.hpp>
#include <cuboid/mm/local_view.hpp>
#include <cuboid/mm/slabbed_gemm.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid {

/// Whether blocks that lie in memory shared with us are multiplied there, or fetched like others.
enum class SharedBlocks { in_place, fetched };

/// How the ranks of a line hold an operand, cut into pieces of its inner dimension.
struct OperandPieces {
  struct Piece {
    int owner = 0;            ///< rank in the line
    std::int64_t begin = 0;   ///< where the owner keeps its first inner index
    std::int64_t extent = 0;  ///< inner indices
  };
  std::vector<Piece> pieces;
  std::int64_t slices = 0;  ///< rows of op(A) resp. columns of op(B): all pieces have all of them
  bool tall = true;         ///< stored as slices × inner; else as inner × slices
  Op op = Op::none;         ///< what gemm applies to what is stored
};

/// An operand that the ranks of a line read from each other, piece by piece, without the owners'
/// help: where it lies if memory is shared, else through two buffers by turns.
template <MatrixElement T>
class SharedOperand {
 public:
  /// Makes the memory that others read. Collective over `line`. Throws Error(out_of_memory).
  SharedOperand(const Communicator& line, OperandPieces pieces, SharedBlocks shared);

  /// Makes the two buffers, where any is needed; before the first fetch(). Not collective. Throws
  /// Error(out_of_memory).
  void allocate();

  /// Whether the pieces of a rank of the line need no fetch().
  bool direct(int owner) const { return direct_[static_cast<std::size_t>(owner)]; }
  /// Whether every piece is.
  bool all_direct() const;

  /// Shows the others what this rank owns, which must stay until close(). Collective.
  void open(LocalView<const T> own);
  /// Begins to fetch a piece, unless it is direct; at most one ahead of that in use.
  void fetch(std::size_t piece);
  /// Lets what is on its way make progress.
  void progress();
  /// Waits for what fetch() began.
  void arrive();
  /// A piece that is direct or has arrived.
  Panel<T> panel(std::size_t piece) const;
  /// Waits until no rank reads from this one any more. Collective.
  void close();

 private:
  std::int64_t elements(std::size_t piece) const {
    return pieces_.pieces[piece].extent * pieces_.slices;
  }

  Communicator line_;
  OperandPieces pieces_;
  std::vector<bool> direct_;           // by owner
  std::vector<std::int64_t> offsets_;  // by piece, in its owner's window
  std::optional<Window> window_;       // none where the line is one rank
  std::array<AlignedArray<T>, 2> buffers_;
  std::vector<const T*> fetched_;  // by piece
  std::size_t turn_ = 0;
  LocalView<const T> own_;
};

}  // namespace cuboid
