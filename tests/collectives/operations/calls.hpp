#pragma once

// One function per collective: makes a call with known contents, and holds what comes of it against
// a sequential reference.

#include <cuboid/collectives.hpp>
#include <cuboid/point_to_point.hpp>
#include <cuboid/window.hpp>

#include "tests/collectives/on_ranks.hpp"
#include "tests/collectives/operations/contributions.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace cuboid::detail {

/// Memory that a test chooses for elements. The host need not be able to touch it.
struct ElementMemory {
  virtual ~ElementMemory() = default;
  virtual void* data() = 0;
  virtual void read(void* to) = 0;
};
/// Makes the memory for elements, with their content, or returns nullptr for ordinary memory. Each
/// rank may set its own.
inline thread_local std::function<std::unique_ptr<ElementMemory>(std::span<const std::byte>)>
    element_memory;

/// Elements and, behind them, some that nobody may touch.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::size_t count) : count_(count), memory_(count + guard_elements) {
    std::memset(static_cast<void*>(memory_.data()), guard, memory_.size() * sizeof(T));
  }
  explicit Guarded(const std::vector<T>& content) : Guarded(content.size()) {
    std::ranges::copy(content, memory_.begin());
  }
  std::span<T> span() {
    if (!placed_ && element_memory) elsewhere_ = element_memory(std::as_bytes(std::span(memory_)));
    placed_ = true;
    return {elsewhere_ ? static_cast<T*>(elsewhere_->data()) : memory_.data(), count_};
  }

  void require_equal(const std::vector<T>& expected, const std::string& what) {
    if (elsewhere_) elsewhere_->read(memory_.data());
    const auto* bytes = reinterpret_cast<const unsigned char*>(memory_.data());
    const auto* wanted = reinterpret_cast<const unsigned char*>(expected.data());
    for (std::size_t i = 0; i < count_ * sizeof(T); ++i)
      require(bytes[i] == wanted[i], "{}: element {} is wrong", what, i / sizeof(T));
    for (std::size_t i = count_ * sizeof(T); i < memory_.size() * sizeof(T); ++i)
      require(bytes[i] == guard, "{}: wrote behind the end", what);
  }

 private:
  static constexpr std::size_t guard_elements = 8;
  static constexpr unsigned char guard = 0xA5;
  std::size_t count_;
  std::vector<T> memory_;
  bool placed_ = false;
  std::unique_ptr<ElementMemory> elsewhere_;
};

/// Elements that nothing has been written to.
template <class T>
std::vector<T> untouched(std::size_t count) {
  std::vector<T> elements(count);
  if (count > 0) std::memset(static_cast<void*>(elements.data()), 0xA5, count * sizeof(T));
  return elements;
}

/// Elements that differ by rank, position and `salt`, whatever their type.
template <class T>
std::vector<T> pattern(int rank, std::size_t count, unsigned salt) {
  std::vector<T> elements(count);
  auto* bytes = reinterpret_cast<unsigned char*>(elements.data());
  for (std::size_t i = 0; i < count * sizeof(T); ++i)
    bytes[i] = static_cast<unsigned char>((i * 31 + i / 251) + static_cast<unsigned>(rank) * 97 +
                                          salt * 13);
  return elements;
}

/// A rank's contribution to a reduction. Sums and products of those of 16 ranks are exact in every
/// type.
template <class T>
std::vector<T> contribution(int rank, std::size_t count, unsigned salt) {
  std::vector<T> elements(count);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (requires { T::of(rank, i); }) {
      elements[i] = T::of(rank, i);
    } else {
      const unsigned mixed = static_cast<unsigned>(rank) + static_cast<unsigned>(i) + salt;
      const bool zero = i % 5 == 4 && rank == 1;
      elements[i] = zero ? T(0) : mixed % 2 == 0 ? T(1) : T(2);
    }
  }
  return elements;
}

/// All ranks' contributions, combined in rank order.
template <class T>
std::vector<T> combined(int ranks, std::size_t count, unsigned salt, const Reduction& reduction) {
  std::vector<T> result = contribution<T>(0, count, salt);
  const CombineFunction combine = reduction.combine_for(datatype_of<T>());
  for (int rank = 1; rank < ranks; ++rank) {
    const auto next = contribution<T>(rank, count, salt);
    combine(result.data(), next.data(), result.data(), count);
  }
  return result;
}

enum class InPlace { no, yes };

template <class T>
std::string describe(const char* operation, std::size_t count, int root, InPlace in_place) {
  return fmt::format("{} of {} {}, root {}, {}in place", operation, count,
                     to_string(datatype_of<T>()), root, in_place == InPlace::yes ? "" : "not ");
}

template <class T>
void check_broadcast(const Communicator& c, std::size_t count, int root, unsigned salt) {
  Guarded<T> buffer(c.rank() == root ? pattern<T>(root, count, salt) : untouched<T>(count));
  broadcast(c, buffer.span(), root);
  buffer.require_equal(pattern<T>(root, count, salt),
                       describe<T>("broadcast", count, root, InPlace::no));
}

template <class T>
void check_reduce(const Communicator& c, std::size_t count, int root, const Reduction& reduction,
                  InPlace in_place, unsigned salt) {
  const std::string what = describe<T>("reduce", count, root, in_place);
  const auto mine = contribution<T>(c.rank(), count, salt);
  Guarded<T> input(mine);
  Guarded<T> output(count);
  const bool is_root = c.rank() == root;
  const bool same = in_place == InPlace::yes && is_root;
  reduce(c, input.span(),
         same      ? input.span()
         : is_root ? output.span()
                   : std::span<T>(),
         reduction, root);
  if (!same) input.require_equal(mine, what + ", input");
  if (is_root)
    (same ? input : output).require_equal(combined<T>(c.size(), count, salt, reduction), what);
}

template <class T>
void check_allreduce(const Communicator& c, std::size_t count, const Reduction& reduction,
                     InPlace in_place, unsigned salt) {
  const std::string what = describe<T>("allreduce", count, 0, in_place);
  const auto mine = contribution<T>(c.rank(), count, salt);
  Guarded<T> input(mine);
  Guarded<T> output(count);
  const bool same = in_place == InPlace::yes;
  allreduce(c, input.span(), (same ? input : output).span(), reduction);
  if (!same) input.require_equal(mine, what + ", input");
  (same ? input : output).require_equal(combined<T>(c.size(), count, salt, reduction), what);
}

template <class T>
void check_scan(const Communicator& c, std::size_t count, const Reduction& reduction,
                InPlace in_place, unsigned salt) {
  const std::string what = describe<T>("scan", count, 0, in_place);
  const auto mine = contribution<T>(c.rank(), count, salt);
  Guarded<T> input(mine);
  Guarded<T> output(count);
  const bool same = in_place == InPlace::yes;
  scan(c, input.span(), (same ? input : output).span(), reduction);
  if (!same) input.require_equal(mine, what + ", input");
  (same ? input : output).require_equal(combined<T>(c.rank() + 1, count, salt, reduction), what);
}

template <class T>
void check_exscan(const Communicator& c, std::size_t count, const Reduction& reduction,
                  InPlace in_place, unsigned salt) {
  const std::string what = describe<T>("exscan", count, 0, in_place);
  const auto mine = contribution<T>(c.rank(), count, salt);
  Guarded<T> input(mine);
  Guarded<T> output(count);
  const bool same = in_place == InPlace::yes;
  exscan(c, input.span(), (same ? input : output).span(), reduction);
  if (!same) input.require_equal(mine, what + ", input");
  const auto expected = c.rank() > 0 ? combined<T>(c.rank(), count, salt, reduction)
                        : same       ? mine
                                     : untouched<T>(count);
  (same ? input : output).require_equal(expected, what);
}

/// Blocks of different lengths in one buffer, in elements.
struct BlockLayout {
  std::vector<std::size_t> counts;
  std::vector<std::size_t> displacements;
  std::size_t total = 0;

  static BlockLayout equal(int ranks, std::size_t count) {
    return from(std::vector<std::size_t>(static_cast<std::size_t>(ranks), count), 0);
  }
  /// About `count` elements each, every third block empty, `gap` elements before each.
  static BlockLayout uneven(int ranks, std::size_t count, std::size_t gap) {
    std::vector<std::size_t> counts;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank)
      counts.push_back(rank % 3 == 1 ? 0 : count + rank % 4);
    return from(std::move(counts), gap);
  }
  static BlockLayout from(std::vector<std::size_t> counts, std::size_t gap) {
    BlockLayout layout{std::move(counts), {}, 0};
    for (const std::size_t count : layout.counts) {
      layout.total += gap;
      layout.displacements.push_back(layout.total);
      layout.total += count;
    }
    return layout;
  }
  template <class T>
  std::span<T> block(std::span<T> buffer, int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return buffer.subspan(displacements[r], counts[r]);
  }
  std::size_t count(int rank) const { return counts[static_cast<std::size_t>(rank)]; }
};

template <class T>
void place(std::vector<T>& buffer, const BlockLayout& layout, int rank,
           const std::vector<T>& block) {
  std::ranges::copy(block, layout.block(std::span<T>(buffer), rank).begin());
}

/// Every rank's block where `layout` says, nothing in the gaps.
template <class T>
std::vector<T> all_blocks(const BlockLayout& layout, unsigned salt) {
  auto all = untouched<T>(layout.total);
  for (int rank = 0; rank < static_cast<int>(layout.counts.size()); ++rank)
    place(all, layout, rank, pattern<T>(rank, layout.count(rank), salt));
  return all;
}

/// `gather_blocks(input, output)` makes the call on every rank that `receives`.
template <class T, class Call>
void check_gathering(const Communicator& c, const BlockLayout& layout, bool receives,
                     InPlace in_place, unsigned salt, const std::string& what, Call call) {
  const auto mine = pattern<T>(c.rank(), layout.count(c.rank()), salt);
  Guarded<T> input(mine);
  const bool same = in_place == InPlace::yes && receives;
  auto before = untouched<T>(receives ? layout.total : 0);
  if (same) place(before, layout, c.rank(), mine);
  Guarded<T> output(before);
  call(same ? layout.block(output.span(), c.rank()) : input.span(), output.span());
  input.require_equal(mine, what + ", input");
  if (receives) output.require_equal(all_blocks<T>(layout, salt), what);
}

template <class T>
void check_allgather(const Communicator& c, std::size_t count, InPlace in_place, unsigned salt) {
  check_gathering<T>(c, BlockLayout::equal(c.size(), count), true, in_place, salt,
                     describe<T>("allgather", count, 0, in_place),
                     [&](std::span<T> input, std::span<T> output) { allgather(c, input, output); });
}

template <class T>
void check_allgatherv(const Communicator& c, const BlockLayout& layout, InPlace in_place,
                      unsigned salt) {
  check_gathering<T>(c, layout, true, in_place, salt,
                     describe<T>("allgatherv", layout.total, 0, in_place),
                     [&](std::span<T> input, std::span<T> output) {
                       allgatherv(c, input, output, layout.counts, layout.displacements);
                     });
}

template <class T>
void check_gather(const Communicator& c, std::size_t count, int root, InPlace in_place,
                  unsigned salt) {
  check_gathering<T>(
      c, BlockLayout::equal(c.size(), count), c.rank() == root, in_place, salt,
      describe<T>("gather", count, root, in_place),
      [&](std::span<T> input, std::span<T> output) { gather(c, input, output, root); });
}

template <class T>
void check_gatherv(const Communicator& c, const BlockLayout& layout, int root, InPlace in_place,
                   unsigned salt) {
  check_gathering<T>(c, layout, c.rank() == root, in_place, salt,
                     describe<T>("gatherv", layout.total, root, in_place),
                     [&](std::span<T> input, std::span<T> output) {
                       gatherv(c, input, output, layout.counts, layout.displacements, root);
                     });
}

template <class T, class Call>
void check_scattering(const Communicator& c, const BlockLayout& layout, int root, InPlace in_place,
                      unsigned salt, const std::string& what, Call call) {
  const bool is_root = c.rank() == root;
  const auto blocks = is_root ? all_blocks<T>(layout, salt) : std::vector<T>();
  Guarded<T> input(blocks);
  Guarded<T> output(layout.count(c.rank()));
  const bool same = in_place == InPlace::yes && is_root;
  call(input.span(), same ? layout.block(input.span(), root) : output.span());
  input.require_equal(blocks, what + ", input");
  if (!same) output.require_equal(pattern<T>(c.rank(), layout.count(c.rank()), salt), what);
}

template <class T>
void check_scatter(const Communicator& c, std::size_t count, int root, InPlace in_place,
                   unsigned salt) {
  check_scattering<T>(
      c, BlockLayout::equal(c.size(), count), root, in_place, salt,
      describe<T>("scatter", count, root, in_place),
      [&](std::span<T> input, std::span<T> output) { scatter(c, input, output, root); });
}

template <class T>
void check_scatterv(const Communicator& c, const BlockLayout& layout, int root, InPlace in_place,
                    unsigned salt) {
  check_scattering<T>(c, layout, root, in_place, salt,
                      describe<T>("scatterv", layout.total, root, in_place),
                      [&](std::span<T> input, std::span<T> output) {
                        scatterv(c, input, layout.counts, layout.displacements, output, root);
                      });
}

template <class T, class Call>
void check_reduce_scattering(const Communicator& c, const BlockLayout& layout,
                             const Reduction& reduction, InPlace in_place, unsigned salt,
                             const std::string& what, Call call) {
  const auto mine = contribution<T>(c.rank(), layout.total, salt);
  auto result = combined<T>(c.size(), layout.total, salt, reduction);
  Guarded<T> input(mine);
  Guarded<T> output(layout.count(c.rank()));
  const auto block = layout.block(std::span<T>(result), c.rank());
  if (in_place == InPlace::yes) {
    call(input.span(), layout.block(input.span(), c.rank()));
    auto expected = mine;
    place(expected, layout, c.rank(), {block.begin(), block.end()});
    input.require_equal(expected, what);
  } else {
    call(input.span(), output.span());
    input.require_equal(mine, what + ", input");
    output.require_equal({block.begin(), block.end()}, what);
  }
}

template <class T>
void check_reduce_scatter(const Communicator& c, std::size_t count, const Reduction& reduction,
                          InPlace in_place, unsigned salt) {
  check_reduce_scattering<T>(c, BlockLayout::equal(c.size(), count), reduction, in_place, salt,
                             describe<T>("reduce_scatter", count, 0, in_place),
                             [&](std::span<T> input, std::span<T> output) {
                               reduce_scatter(c, input, output, reduction);
                             });
}

template <class T>
void check_reduce_scatterv(const Communicator& c, const BlockLayout& layout,
                           const Reduction& reduction, InPlace in_place, unsigned salt) {
  check_reduce_scattering<T>(c, layout, reduction, in_place, salt,
                             describe<T>("reduce_scatterv", layout.total, 0, in_place),
                             [&](std::span<T> input, std::span<T> output) {
                               reduce_scatterv(c, input, output, layout.counts, reduction);
                             });
}

template <class T>
void check_alltoall(const Communicator& c, std::size_t count, unsigned salt) {
  const auto between = [&](int from, int to) {
    return pattern<T>(from * c.size() + to, count, salt);
  };
  std::vector<T> input;
  std::vector<T> expected;
  for (int peer = 0; peer < c.size(); ++peer) {
    std::ranges::copy(between(c.rank(), peer), std::back_inserter(input));
    std::ranges::copy(between(peer, c.rank()), std::back_inserter(expected));
  }
  Guarded<T> output(expected.size());
  Guarded<T> sent(input);
  alltoall(c, sent.span(), output.span());
  output.require_equal(expected, describe<T>("alltoall", count, 0, InPlace::no));
}

/// Rank i sends rank j a block whose length depends on both.
template <class T>
void check_alltoallv(const Communicator& c, std::size_t count, std::size_t gap, unsigned salt) {
  const auto elements = [&](int from, int to) {
    return (from + 2 * to) % 3 == 0 ? 0 : count + static_cast<std::size_t>(from + 5 * to) % 7;
  };
  std::vector<std::size_t> sends;
  std::vector<std::size_t> receives;
  for (int peer = 0; peer < c.size(); ++peer) {
    sends.push_back(elements(c.rank(), peer));
    receives.push_back(elements(peer, c.rank()));
  }
  const auto send = BlockLayout::from(sends, gap);
  const auto receive = BlockLayout::from(receives, 2 * gap);
  auto input = untouched<T>(send.total);
  auto expected = untouched<T>(receive.total);
  for (int peer = 0; peer < c.size(); ++peer) {
    place(input, send, peer, pattern<T>(c.rank() * c.size() + peer, send.count(peer), salt));
    place(expected, receive, peer,
          pattern<T>(peer * c.size() + c.rank(), receive.count(peer), salt));
  }
  Guarded<T> output(receive.total);
  Guarded<T> sent(input);
  alltoallv(c, sent.span(), {send.counts, send.displacements}, output.span(),
            {receive.counts, receive.displacements});
  output.require_equal(expected, describe<T>("alltoallv", count, 0, InPlace::no));
}

/// Every rank puts a pattern into the window of the next.
inline void check_window(const Communicator& c) {
  Window window(c, 1000);
  const auto mine = pattern<std::byte>(c.rank(), 1000, 1);
  window.put(mine, (c.rank() + 1) % c.size(), 0);
  window.fence();
  const auto expected = pattern<std::byte>((c.rank() + c.size() - 1) % c.size(), 1000, 1);
  require(std::ranges::equal(window.local(), expected), "the put is wrong");
}

/// Every rank sends to the next, and receives from the one before.
inline void check_messages(const Communicator& c) {
  const int next = (c.rank() + 1) % c.size();
  const int previous = (c.rank() + c.size() - 1) % c.size();
  for (const std::size_t count : {0, 1, 1000, 300007}) {
    std::vector<double> arrived(count);
    exchange(c, pattern<double>(c.rank(), count, 5), next, arrived, previous);
    require(arrived == pattern<double>(previous, count, 5), "a message of {} is wrong", count);
  }
}

}  // namespace cuboid::detail
