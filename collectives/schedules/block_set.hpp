#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Numbers of blocks in an order, held as ascending progressions. A line of a torus, or every
/// second block of it, is one progression, however long it is.
class BlockSet {
 public:
  struct Progression {
    int first = 0;
    int count = 1;
    int stride = 1;
    int at(int index) const { return first + index * stride; }
    int last() const { return at(count - 1); }
  };

  class NumberIterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = int;

    NumberIterator() = default;
    explicit NumberIterator(const Progression* progression) : progression_(progression) {}
    int operator*() const { return progression_->at(index_); }
    NumberIterator& operator++() {
      if (++index_ == progression_->count) {
        ++progression_;
        index_ = 0;
      }
      return *this;
    }
    NumberIterator operator++(int) {
      NumberIterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const NumberIterator&) const = default;

   private:
    const Progression* progression_ = nullptr;
    int index_ = 0;
  };

  BlockSet() = default;
  BlockSet(std::initializer_list<int> blocks) : BlockSet(std::span(blocks.begin(), blocks.end())) {}
  explicit BlockSet(std::span<const int> blocks);
  static BlockSet consecutive(int first, int count);

  /// Adds a number, or a progression, at the end.
  void push_back(int block);
  void push_back(const Progression& progression);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  int front() const { return progressions().front().first; }
  int back() const { return progressions().back().last(); }
  NumberIterator begin() const { return NumberIterator(progressions().data()); }
  NumberIterator end() const { return NumberIterator(std::to_address(progressions().end())); }
  bool operator==(const BlockSet& other) const {
    return size_ == other.size_ && std::ranges::equal(*this, other);
  }

  std::span<const Progression> progressions() const {
    if (several_.empty()) return {&only_, empty() ? std::size_t{0} : std::size_t{1}};
    return several_;
  }

 private:
  void append(const Progression& progression);
  Progression& last() { return several_.empty() ? only_ : several_.back(); }

  // Most sets are one progression, which takes no memory of its own.
  Progression only_;
  std::vector<Progression> several_;
  std::size_t size_ = 0;
};

}  // namespace cuboid::detail
