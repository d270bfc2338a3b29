#pragma once

#include <cuboid/shape.hpp>

#include "collectives/schedules/board_plan.hpp"
#include "collectives/schedules/conditions.hpp"
#include "collectives/schedules/parts.hpp"
#include "collectives/schedules/pieces.hpp"
#include "collectives/schedules/rounds.hpp"
#include "collectives/schedules/schedule.hpp"
#include "collectives/schedules/segmentation.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Where one rank keeps the blocks of conditions; nullopt: nowhere.
struct Placing {
  std::vector<std::optional<Address>> before;  ///< by block, before the collective
  std::vector<std::optional<Address>> after;   ///< by block, where it must end
};

/// Where one rank keeps the blocks of a message, told block by block, as a list of all blocks would
/// grow with the number of ranks.
class BlockPlaces {
 public:
  virtual ~BlockPlaces() = default;
  /// The place of a block before the collective, and where it must end; nullopt: nowhere.
  virtual std::optional<Address> before(std::size_t block) const = 0;
  virtual std::optional<Address> after(std::size_t block) const = 0;

  /// A row of blocks: their numbers are `stride` apart. The blocks of a line of a torus are a row.
  struct BlockRow {
    std::size_t first = 0;
    std::size_t times = 1;
    std::size_t stride = 1;
    bool has(std::size_t block) const {
      return block >= first && (block - first) % stride == 0 && (block - first) / stride < times;
    }
  };
  /// True if the places of a row are known to be at equal distances, or if it has none, so that its
  /// first two blocks tell where all are.
  virtual bool even_before(const BlockRow&) const { return false; }
  virtual bool even_after(const BlockRow&) const { return false; }
};

/// The places of blocks that are listed.
class ListedPlaces : public BlockPlaces {
 public:
  explicit ListedPlaces(Placing placing) : placing_(std::move(placing)) {}
  std::optional<Address> before(std::size_t block) const override { return placing_.before[block]; }
  std::optional<Address> after(std::size_t block) const override { return placing_.after[block]; }

 private:
  Placing placing_;
};

/// Compiles a rank's part in a forest. The segments of all trees take turns, so the trees share the
/// rank fairly. A segment is forwarded as soon as it arrives. If contributions are combined,
/// scratch memory holds `segments_in_flight` segments per child; otherwise data goes directly from
/// and to the caller's buffers.
Schedule compile(const ForestPart& part, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

/// Compiles the part of `rank` in rounds; the exchanges of other ranks may be left out. Their
/// blocks are pieces of the blocks whose places are given. Adjacent pieces travel in messages of at
/// most `segment_bytes`, or of one piece, so that a part that has arrived can be forwarded. In
/// packed rounds all pieces of an exchange travel in one message. Packed rounds need scratch memory
/// for all that they send and receive, and for the message itself. Where pieces lie evenly, one
/// step copies or combines many of them. Time and memory do not grow with the number of pieces that
/// always travel together, but for the time of copying them.
Schedule compile(const Rounds& rounds, const Pieces& pieces, const BlockPlaces& places, int rank,
                 const Pipelining& pipelining);
/// The same of whole blocks.
Schedule compile(const Rounds& rounds, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

/// Compiles the part of `rank` in packed rounds of an all-to-all of equal blocks, which are
/// numbered by the distance in the shape from their source to their destination. A rank sends and
/// receives the same blocks in a round. All blocks are first copied into the order of distances, in
/// scratch memory, where rounds exchange them, and at last to the output. Where blocks lie evenly,
/// one step copies many of them.
Schedule compile(const Rounds& rounds, const Shape& shape, std::size_t block_bytes, int rank);

/// Compiles the part of `rank` in a plan for the group's board. The conditions need only have the
/// blocks that the rank has or needs. Segments of a block are as long as Pipelining::segment_bytes,
/// at most longest_segment(plan). A rank writes as many rows ahead as it has. No scratch memory.
Schedule compile(const BoardPlan& plan, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining);

}  // namespace cuboid::detail
