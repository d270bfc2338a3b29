#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/panels.hpp"
#include "mm/drivers/summa/line_broadcasts.hpp"
#include "mm/drivers/summa/tall_operand.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Consecutive panels: first <= number < last.
struct PanelSpan {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const PanelSpan&) const = default;
};

/// Groups panels into outer panels of at most `outer_width` each. An outer panel has at least one
/// panel.
std::vector<PanelSpan> outer_panels(std::span<const PanelRanges> panels, std::int64_t outer_width);

/// A line of ranks, divided into groups of equal size: ranks 0 … s-1 are group 0, and so on.
class GroupedLine {
 public:
  /// Collective over `line`. Throws Error(invalid_argument) if `groups` does not divide its
  /// size.
  GroupedLine(const Communicator& line, int groups);

  /// The ranks with this rank's position in their groups, ordered by group.
  const Communicator& between() const { return between_; }
  /// The ranks of this rank's group, ordered by position.
  const Communicator& inside() const { return inside_; }

  int rank() const { return rank_; }
  int group_of(int rank) const { return rank / inside_.size(); }
  int place_of(int rank) const { return rank % inside_.size(); }

 private:
  int rank_;
  Communicator inside_;
  Communicator between_;
};

/// Brings an operand's panels to all ranks of a line in HSUMMA's two phases (Quintin et al. 2013,
/// §III). First, owners broadcast outer panels to the ranks of equal position in all groups. Then
/// each of these ranks broadcasts the panels inside it to the rest of its group. Panels are tall
/// (see TallOperand). There are buffers for two outer and two inner panels: the next panel is in
/// flight while one is multiplied.
template <MatrixElement T>
class GroupedFeed {
 public:
  /// @param inner    tells which rank of the line owns which inner indices.
  /// @param vectors  the number of vectors on this rank; equal on all ranks of the line.
  /// @param panels   all panels; they are grouped into `outers`.
  /// The constructor plans broadcasts, but does not communicate. Throws Error(out_of_memory).
  GroupedFeed(GroupedLine line, const BlockCyclic<Inner>& inner, std::int64_t vectors,
              std::span<const PanelRanges> panels, std::span<const PanelSpan> outers);

  /// Starts to bring an outer panel to all groups. At most one outer panel may be started beyond
  /// the last one whose panels are finished. Collective over the line.
  void start_between(std::int64_t outer, const TallOperand<T>& operand);
  /// Starts to bring a panel to the ranks of this group once it has arrived from the other groups.
  /// At most one panel may be started beyond the last finished one.
  void start_inside(std::int64_t step);
  /// Progresses the panels in flight; true while there are some.
  bool progress();
  /// Waits for the panel of a step. The panel stays valid until step + 2 is started.
  Panel<T> finish(std::int64_t step, const TallOperand<T>& operand);

 private:
  /// The part of a panel that one owner stores.
  struct GroupPiece {
    int owner;
    Local<Inner> local;  ///< where the owner stores it
    std::int64_t width;
    std::int64_t outer;     ///< the outer panel that contains it
    std::size_t message;    ///< the message of the outer panel
    std::int64_t at_outer;  ///< its first column in the outer panel
    std::int64_t at_panel;  ///< its first column in the panel
    std::size_t broadcast;  ///< the broadcast inside the group
  };
  /// The part of an outer panel that one owner sends to the other groups.
  struct PanelMessage {
    int owner;
    std::int64_t begin;
    std::int64_t width = 0;
    std::size_t broadcast = 0;  ///< the broadcast between groups
  };
  struct PanelArrival {
    std::size_t message;
    Request broadcast;
  };

  void list_pieces(const BlockCyclic<Inner>& inner, std::span<const PanelRanges> panels,
                   std::span<const PanelSpan> outers);
  void plan_broadcasts();
  bool passes_on(int owner) const { return line_.place_of(owner) == line_.place_of(line_.rank()); }
  /// Starts, in order, the broadcasts that have nothing left to wait for.
  void advance();
  void send_inside(std::int64_t step, const GroupPiece& piece);
  Request* arrival(const GroupPiece& piece);

  T* outer_column(std::int64_t outer, std::int64_t column) const {
    return outer_memory_[static_cast<std::size_t>(outer % 2)].data() + column * vectors_;
  }
  T* panel_column(std::int64_t step, std::int64_t column) const {
    return panel_memory_[static_cast<std::size_t>(step % 2)].data() + column * vectors_;
  }

  GroupedLine line_;
  std::int64_t vectors_;
  std::vector<std::vector<GroupPiece>> pieces_;      // by step
  std::vector<std::vector<PanelMessage>> messages_;  // by outer panel
  std::vector<PanelSpan> outers_;
  std::array<AlignedArray<T>, 2> outer_memory_, panel_memory_;
  LineBroadcasts broadcasts_between_, broadcasts_inside_;
  std::array<std::vector<PanelArrival>, 2> between_;  // by buffer of outer panels
  std::array<std::vector<Request>, 2> inside_;        // by buffer of panels
  /// Pieces that have not been sent inside the group yet.
  struct PendingPanel {
    std::int64_t step;
    std::size_t piece;
  };
  std::vector<PendingPanel> waiting_;
};

}  // namespace cuboid::detail
