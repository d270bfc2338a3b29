#pragma once

#include "models/messages/broadcast_factors.hpp"
#include "models/messages/hockney.hpp"
#include "models/messages/usual_parameters.hpp"
#include "models/multiplication/product_extents.hpp"
#include "models/multiplication/slab_cut.hpp"

#include <optional>

namespace cuboid::detail {

/// The cost of a multiplication, as it is run in whole rows and columns, for the busiest rank;
/// words are matrix elements.
struct MultiplicationCost {
  double work = 0;       ///< multiplications
  double a_words = 0;    ///< received of A, less what the rank owns
  double b_words = 0;    ///< of B
  double c_words = 0;    ///< sums of C, which follow at the end
  double messages = 0;   ///< received; a broadcast counts as many as a binomial tree has steps
  double memory = 0;     ///< words held: shares of the matrices and what is in flight
  double rounds = 1;     ///< steps in which A and B arrive
  double under_way = 1;  ///< of them at once: where that is all, none is multiplied before the last
  double result = 0;     ///< elements of C that a rank adds to in each of them
  double operands = 0;   ///< words of A and B that its gemm reads, its own ones as well
  double copied = 0;     ///< of these own ones, what it copies for others of its node to read
  /// Where A's rows and B's columns come in slabs, whole along the inner dimension, and C's sums
  /// travel under them.
  std::optional<SlabCut> slabs = std::nullopt;

  double words() const { return a_words + b_words + c_words; }
};

/// SUMMA's panels, or HSUMMA's in groups × groups of ranks.
struct PanelWidths {
  double inner = 1;
  double outer = 1;  ///< between groups
  double groups_along_rows = 1;
  double groups_along_columns = 1;
  double held = 2;          ///< panels in memory of each operand, of either width
  double put_together = 0;  ///< of an operand that needs not move, while the other does
  /// What one owner at a time sends a panel by. Unset: whatever has as few steps as a binomial
  /// tree.
  std::optional<BroadcastModel> broadcast = std::nullopt;
};

/// SUMMA on a rows × columns grid: a rank sees its rows of A and its columns of B (Quintin et al.
/// 2013, §II-A; Kwasniewski et al. 2019, table 3, 2D, less what it owns). With groups HSUMMA
/// (Quintin et al. 2013, §IV-B): the same words, messages between groups for each outer panel,
/// inside them for each inner one.
MultiplicationCost summa_cost(const ProductExtents& product, double rows, double columns,
                              const PanelWidths& panels);

/// How many times as long HSUMMA's words take to reach a line of ranks, in groups, as the words
/// that a rank does not own: W of Quintin et al. 2013, eq 1, between groups and inside them.
double broadcast_factor(const BroadcastModel& broadcast, double line, double groups);

/// How many times as long HSUMMA's words take as SUMMA's on a line of ranks that is a line of the
/// network: between groups data cross all ranks in between, as many as a group has; and of a ring
/// that goes both ways round, a group has a piece, which goes one way.
double crossing_factor(double line, double groups, bool ring);

/// SRUMMA (Krishnan and Nieplocha 2004, §3.1): the same words, one get per task and operand of
/// another rank; tasks end where a block of A or of B does, rows + columns − gcd(rows, columns) of
/// them, and have at most `widest_task` inner indices; blocks of `buffers` of them buffered.
MultiplicationCost srumma_cost(const ProductExtents& product, double rows, double columns,
                               double widest_task, double buffers);

/// SRUMMA within a node, where blocks of others are multiplied where they lie (Krishnan and
/// Nieplocha 2004, §3.1), owner by owner: nothing is received.
/// @param shared  whether the matrices are in memory that others can read; else what they need of
///                it is copied there first.
MultiplicationCost srumma_cost_on_node(const ProductExtents& product, double rows, double columns,
                                       bool shared);

/// Cannon's and SD-Cannon's on a rows × columns grid with lcm(rows, columns) steps: A's blocks
/// shift along rows and B's along columns until each rank has had all of its line, the first time
/// into place (Solomonik and Demmel 2012, §2). `colours` rotate at once, each with its part of the
/// inner dimension.
MultiplicationCost rotation_cost(const ProductExtents& product, double rows, double columns,
                                 double steps, double colours);

/// How many times as long as a block's shift to the next rank it takes to shift a ring's blocks
/// round and, first, into place, by blocks received. Into place they go by the shorter way, from
/// half way round half of them by either. `both_ways`: blocks are halves that shift at once, one
/// each way (SD-Cannon), which share a way then.
double stagger_factor(double line, bool both_ways);

/// What multiplies in the layers of 2.5D.
struct LayerSteps {
  bool shifts = false;  ///< Cannon's or SD-Cannon's, else SUMMA's
  double steps = 1;     ///< of shifts
  double colours = 1;   ///< of SD-Cannon, see rotation_cost()
  /// Instead, all-gathers of slabs with sums under them.
  std::optional<SlabCut> slabs = std::nullopt;
  /// Whether A and B are multicast whole from layer 0, and C is summed there.
  bool replicated = false;
  double width = 1;         ///< of SUMMA's panels
  double held = 2;          ///< of them in memory, of each operand
  double put_together = 0;  ///< of an operand that needs not move, while the other does
};

/// 2.5D on rows × columns × layers (Solomonik et al. 2011, §3.1.2), each layer given its slice of A
/// and B: SUMMA, Cannon's or SD-Cannon's of 1/c of the inner dimension in each, C summed over them.
/// Kwasniewski et al. 2019, table 3, 2.5D, less what a rank owns. With replicated operands
/// (Solomonik et al. 2011, algorithm 1), what travels through the layers, A and B before the layers
/// multiply and C after it, counts as sums of C: 2n²c/P + n²c/P words for n×n matrices.
MultiplicationCost layered_cost(const ProductExtents& product, double rows, double columns,
                                double layers, const LayerSteps& inside);

/// COSMA and CARMA with the work cut into rows × columns × layers of bricks, each rank owning an
/// equal share of its brick's faces (Kwasniewski et al. 2019, §3, §7.6): a rank gets the rest of
/// A's and B's face in `rounds` rounds, and gives what is not its own of C's away.
MultiplicationCost brick_cost(const ProductExtents& product, double rows, double columns,
                              double layers, double rounds);

/// What a rank computes and communicates with.
struct RankRates {
  Hockney per_element;
  double multiplications_per_second = usual_core.multiplications_per_second;
  double seconds_per_copy = 0;  ///< to read an element from memory and write it there
  double core_seconds = 0;      ///< that an element received takes of what ranks multiply with
  /// Of the time that messages could travel while it multiplies, the share in which they do.
  double overlap = 1;
  double burst_credit_seconds = 0;  ///< of a link's time that it makes up for once it has rested
};

/// Over how many links at once a rank's words come, and whether A's and B's are different ones.
struct LinksOfLines {
  /// Whose links the sums of C that follow at the end travel over.
  enum class Sums { own, of_a, of_b };

  double a = 1;
  double b = 1;
  double c = 1;
  bool apart = false;
  bool followed = false;  ///< link by link: what they make up for after a rest is in these numbers
  Sums sums = Sums::own;
};

/// Seconds of a multiplication.
struct MultiplicationSeconds {
  double compute = 0;
  double communicate = 0;  ///< if nothing hid it
  double total = 0;        ///< from beginning to end
};

/// The time of a multiplication.
///
/// A rank receives its messages one after the other (Hockney, Quintin et al. 2013, §IV), or A's and
/// B's at the same time if they use separate links. A share of 1/rounds arrives before it can
/// begin. The rest arrives under the multiplications, except for the CPU time that receiving takes,
/// as far as the machine overlaps both. The last share of the multiplications and the sums of C
/// follow. While links rest, they come to carry as much more at once afterwards, in this or the
/// next multiplication, unless they were followed link by link: so they make up for rests as far as
/// neither the busiest of them nor the multiplications and receiving take that long by themselves.
/// Where sums have links of their own, the number of links must contain what A's and B's make up
/// for meanwhile.
///
/// Every round reads and writes the rank's part of C. The gemm's rate includes this once per 256
/// inner indices, and the packing of its operands for blocks of 256 × 256; narrower blocks need
/// more packing, wider ones less.
MultiplicationSeconds multiplication_seconds(const MultiplicationCost& cost, const RankRates& rates,
                                             const LinksOfLines& links = {});

}  // namespace cuboid::detail
