#pragma once

#include <cuboid/layout.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// How one dimension of a matrix is distributed, whatever the kind of layout: every index belongs
/// to a class, the process of a block-cyclic distribution or the block between two cuts, and has a
/// place within it. The rank that owns an element follows from the classes of its row and column.
using AxisDistribution = std::variant<BlockCyclic<Row>, std::span<const std::int64_t>>;

/// Number of indices, and of classes.
std::int64_t extent_of(const AxisDistribution& axis);
int classes_of(const AxisDistribution& axis);

/// Walks along a dimension from its first index on, run by run: a run is of one class and stored
/// one after the other. Every step takes constant time, which numbers asked for one by one would
/// not.
class AxisWalk {
 public:
  explicit AxisWalk(const AxisDistribution& axis);

  bool done() const { return begin_ >= extent_; }
  std::int64_t end() const { return end_; }
  int index_class() const { return class_; }
  /// Where the class keeps an index of the run.
  std::int64_t local(std::int64_t index) const { return local_ + (index - begin_); }
  void next();

 private:
  void look();

  const AxisDistribution& axis_;
  std::int64_t extent_;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  int class_ = 0;
  std::int64_t local_ = 0;
  std::vector<std::int64_t> held_;  // by process of a block-cyclic distribution, before the run
};

/// Indices that lie one after the other on both sides.
struct AxisRun {
  std::int64_t source = 0;       ///< where the source's class keeps the first of them
  std::int64_t destination = 0;  ///< where the destination's does
  std::int64_t extent = 0;
  std::int64_t offset = 0;  ///< indices of the runs before it
  bool operator==(const AxisRun&) const = default;
};

/// What a class of the source and one of the destination have in common, ascending.
struct SharedIndices {
  std::vector<AxisRun> runs;
  std::int64_t extent() const { return runs.empty() ? 0 : runs.back().offset + runs.back().extent; }
};

/// The classes of a dimension that matter to a rank, by class.
using ClassSet = std::vector<bool>;

/// The indices shared by pairs of classes (of the source, of the destination), of which at least
/// one matters. In time linear in the number of blocks of both. Pure.
class AxisRuns {
 public:
  AxisRuns(const AxisDistribution& source, const AxisDistribution& destination,
           const ClassSet& of_source, const ClassSet& of_destination);

  const SharedIndices& shared(int source, int destination) const;
  /// The destination's classes with which a class of the source that matters shares indices,
  /// ascending; and the other way round.
  std::span<const int> destinations(int source) const;
  std::span<const int> sources(int destination) const;

 private:
  std::map<std::pair<int, int>, SharedIndices> shared_;
  std::map<int, std::vector<int>> destinations_;
  std::map<int, std::vector<int>> sources_;
};

}  // namespace cuboid::detail
