#pragma once

#include <cuboid/layout.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// The distribution of one dimension of a matrix, for any kind of layout. Every index belongs to a
/// class and has a place within its class. The class is a process of a block-cyclic distribution,
/// or a block between two cuts. The classes of its row and its column determine the owner of an
/// element.
using AxisDistribution = std::variant<BlockCyclic<Row>, std::span<const std::int64_t>>;

/// The number of indices, and the number of classes.
std::int64_t extent_of(const AxisDistribution& axis);
int classes_of(const AxisDistribution& axis);

/// Walks along a dimension from its first index on, run by run. A run belongs to one class and is
/// stored contiguously. Every step takes constant time, while looking up single indices would not.
class AxisWalk {
 public:
  explicit AxisWalk(const AxisDistribution& axis);

  bool done() const { return begin_ >= extent_; }
  std::int64_t end() const { return end_; }
  int index_class() const { return class_; }
  /// The place of an index of the run in its class.
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
  // Indices before the run, by process of a block-cyclic distribution.
  std::vector<std::int64_t> held_;
};

/// A run of indices that is contiguous in the source and in the destination.
struct AxisRun {
  std::int64_t source = 0;       ///< place of the first one in the source's class
  std::int64_t destination = 0;  ///< place of the first one in the destination's class
  std::int64_t extent = 0;
  std::int64_t offset = 0;  ///< number of indices in the runs before it
  bool operator==(const AxisRun&) const = default;
};

/// The indices that a class of the source and a class of the destination share, in ascending order.
struct SharedIndices {
  std::vector<AxisRun> runs;
  std::int64_t extent() const { return runs.empty() ? 0 : runs.back().offset + runs.back().extent; }
};

/// The classes of a dimension that matter to a rank, by class.
using ClassSet = std::vector<bool>;

/// The indices shared by pairs of classes (one of the source, one of the destination) of which at
/// least one matters to a rank. Takes time linear in the number of blocks of both distributions.
/// Pure.
class AxisRuns {
 public:
  AxisRuns(const AxisDistribution& source, const AxisDistribution& destination,
           const ClassSet& of_source, const ClassSet& of_destination);

  const SharedIndices& shared(int source, int destination) const;
  /// destinations(): the destination's classes with which a class of the source that matters shares
  /// indices, in ascending order. sources(): the reverse.
  std::span<const int> destinations(int source) const;
  std::span<const int> sources(int destination) const;

 private:
  std::map<std::pair<int, int>, SharedIndices> shared_;
  std::map<int, std::vector<int>> destinations_;
  std::map<int, std::vector<int>> sources_;
};

}  // namespace cuboid::detail
