#pragma once

#include "models/messages/broadcast_factors.hpp"
#include "models/messages/log_gp.hpp"
#include "models/messages/usual_parameters.hpp"
#include "models/multiplication/product_extents.hpp"
#include "models/multiplication/slab_cut.hpp"

#include <optional>

namespace cuboid::detail {

/// The cost of a multiplication in whole rows and columns for the busiest rank. Words are matrix
/// elements.
struct MultiplicationCost {
  double work = 0;     ///< multiplications
  double a_words = 0;  ///< words of A that it receives, without those that it owns
  double b_words = 0;  ///< words of B that it receives, without those that it owns
  double c_words = 0;  ///< words of the sums of C, which follow at the end
  /// Messages received; a broadcast counts as many as a binomial tree has steps.
  double messages = 0;
  double memory = 0;  ///< words of memory: shares of the matrices, and what is in flight
  double rounds = 1;  ///< steps in which A and B arrive
  /// Rounds in flight at once; if that is all rounds, no product begins before the last has
  /// arrived.
  double under_way = 1;
  double result = 0;    ///< elements of C that a rank adds to in each round
  double operands = 0;  ///< words of A and B that its gemm reads, its own included
  double copied = 0;    ///< words of its own that it copies for other ranks of its node to read
  /// Set if A's rows and B's columns arrive in slabs, whole along the inner dimension, while sums
  /// of C travel.
  std::optional<SlabCut> slabs = std::nullopt;

  double words() const { return a_words + b_words + c_words; }
};

/// The panels of SUMMA, or of HSUMMA with its groups of ranks.
struct PanelWidths {
  double inner = 1;
  double outer = 1;  ///< width of the panels between groups
  double groups_along_rows = 1;
  double groups_along_columns = 1;
  double held = 2;          ///< panels of each operand in memory, of either width
  double put_together = 0;  ///< panels of an operand that stays in place, while the other moves
  /// The broadcast by which one owner at a time sends a panel. Unset: any with as few steps as a
  /// binomial tree.
  std::optional<BroadcastModel> broadcast = std::nullopt;
};

/// SUMMA on a rows × columns grid: a rank receives its rows of A and its columns of B (Quintin et
/// al. 2013, §II-A; Kwasniewski et al. 2019, table 3, 2D, without what it owns). With groups it is
/// HSUMMA (Quintin et al. 2013, §IV-B): the same words, with messages between groups for each outer
/// panel and inside them for each inner panel.
MultiplicationCost summa_cost(const ProductExtents& product, double rows, double columns,
                              const PanelWidths& panels);

/// Time in which HSUMMA's words reach a line of ranks in groups, over the time of the words that a
/// rank does not own: W of Quintin et al. 2013, eq 1, between groups plus inside them.
double broadcast_factor(const BroadcastModel& broadcast, double line, double groups);

/// Time of HSUMMA's words over SUMMA's on a line of ranks that is a line of the network. Between
/// groups data crosses all ranks in between, as many as a group has. On a ring a group is a piece
/// that cannot use both directions.
double crossing_factor(double line, double groups, bool ring);

/// SRUMMA (Krishnan and Nieplocha 2004, §3.1). It has SUMMA's words, and one get per task and
/// operand of another rank. A task ends where a block of A or of B ends, which makes rows + columns
/// − gcd(rows, columns) tasks, and has at most `widest_task` inner indices. Blocks of `buffers`
/// tasks are in memory.
MultiplicationCost srumma_cost(const ProductExtents& product, double rows, double columns,
                               double widest_task, double buffers);

/// SRUMMA within a node: blocks of other ranks are multiplied in place (Krishnan and Nieplocha
/// 2004, §3.1), owner by owner, and nothing is received.
/// @param shared  true if the matrices are in memory that other ranks can read; otherwise the parts
///                that other ranks need are copied there first.
MultiplicationCost srumma_cost_on_node(const ProductExtents& product, double rows, double columns,
                                       bool shared);

/// Cannon's algorithm and SD-Cannon on a rows × columns grid with lcm(rows, columns) steps. A's
/// blocks shift along rows and B's along columns until each rank has had all blocks of its lines;
/// the first shift brings them into place (Solomonik and Demmel 2012, §2). `colours` parts of the
/// inner dimension rotate at once.
MultiplicationCost rotation_cost(const ProductExtents& product, double rows, double columns,
                                 double steps, double colours);

/// Time to shift a line's blocks into place and then round the line, divided by the time of
/// shifting equally many blocks to the next rank. On a ring a block goes into place in the shorter
/// direction; of blocks that go half-way round, half go in each direction.
/// @param at_once  the parts of blocks that shift at the same time over links of their own
///                 (SD-Cannon: both directions of each digit of the line); on their way into place
///                 they share links.
/// @param piece    ranks of the line's longest digit, along which blocks go into place.
double stagger_factor(double line, bool ring, double at_once, double piece);

/// The algorithm within the layers of 2.5D.
struct LayerSteps {
  bool shifts = false;  ///< true: Cannon's algorithm or SD-Cannon; false: SUMMA
  double steps = 1;     ///< steps of the rotation
  double colours = 1;   ///< colours of SD-Cannon, see rotation_cost()
  /// Set: all-gathers of slabs while sums travel, in place of both.
  std::optional<SlabCut> slabs = std::nullopt;
  /// True if A and B are multicast as a whole from layer 0, and C is summed there.
  bool replicated = false;
  double width = 1;         ///< width of SUMMA's panels
  double held = 2;          ///< panels of each operand in memory
  double put_together = 0;  ///< panels of an operand that stays in place, while the other moves
};

/// 2.5D on rows × columns × layers (Solomonik et al. 2011, §3.1.2). Each layer has its slice of A
/// and B and multiplies 1/c of the inner dimension by SUMMA, Cannon's algorithm or SD-Cannon; C is
/// summed over the layers, by shares of whole columns. Kwasniewski et al. 2019, table 3, 2.5D,
/// without what a rank owns. With
/// replicated operands (Solomonik et al. 2011, algorithm 1) all that travels through the layers
/// counts as sums of C: A and B before the layers multiply, and C after it; 2n²c/P + n²c/P words
/// for n×n matrices.
MultiplicationCost layered_cost(const ProductExtents& product, double rows, double columns,
                                double layers, const LayerSteps& inside);

/// The rates of a rank's computing and communicating.
struct RankRates {
  Hockney per_element;
  double multiplications_per_second = usual_core.multiplications_per_second;
  double seconds_per_copy = 0;  ///< seconds to read an element from memory and write it back
  double core_seconds = 0;      ///< core seconds per element received
  /// Share of the time in which messages could travel during multiplications in which they do.
  double overlap = 1;
  double burst_credit_seconds = 0;  ///< the burst credit of an idle link, as seconds of its rate
};

/// The number of links over which a rank's words of A, B and C arrive at once. `apart`: A and B
/// arrive over different links.
struct LinksOfLines {
  /// The links over which the final sums of C travel: links of their own, A's links or B's links.
  enum class Sums { own, of_a, of_b };

  double a = 1;
  double b = 1;
  double c = 1;
  bool apart = false;
  Sums sums = Sums::own;
};

/// Seconds of a multiplication.
struct MultiplicationSeconds {
  double compute = 0;
  double communicate = 0;  ///< communication without overlap
  double total = 0;        ///< from beginning to end
};

/// Predicts the seconds of a multiplication.
///
/// A rank receives its messages one after the other (Hockney, Quintin et al. 2013, §IV), or A's and
/// B's at the same time if they use separate links. A share of 1/rounds arrives before it can
/// begin. The rest arrives during the multiplications, as far as the machine overlaps both;
/// receiving takes CPU time in any case. The last share of the multiplications and the sums of C
/// follow.
///
/// Idle links earn burst credit: afterwards they carry as much more at once, in this or the next
/// multiplication. So the time shrinks by the credit, but not below the time of the busiest link,
/// nor of multiplying and receiving.
///
/// Every round reads and writes the rank's part of C. The gemm's rate includes this once per 256
/// inner indices, and the packing of its operands for blocks of 256 × 256; narrower blocks need
/// more packing, wider blocks less.
MultiplicationSeconds multiplication_seconds(const MultiplicationCost& cost, const RankRates& rates,
                                             const LinksOfLines& links = {});

}  // namespace cuboid::detail
