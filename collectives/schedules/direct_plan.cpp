#include "collectives/schedules/direct_plan.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

namespace {

constexpr auto given = DirectPlan::Which::given, wanted = DirectPlan::Which::wanted;

class DirectPlanner {
 public:
  DirectPlanner(const Collective& collective, int ranks, int rank)
      : collective_(collective),
        ranks_(ranks),
        rank_(rank),
        element_(collective.type.bytes()),
        bytes_(collective.count * element_),
        with_(static_cast<std::size_t>(ranks)) {
    plan_.type = collective.type;
    plan_.rounds.emplace_back();
  }

  std::optional<DirectPlan> plan() && {
    if (collective_.reduction) {
      if (collective_.reduction->kind() == Reduction::Kind::user) return std::nullopt;
      plan_.combination = collective_.reduction->kind();
    }
    switch (collective_.operation) {
      case Operation::barrier: return std::nullopt;
      case Operation::broadcast: broadcast(); break;
      case Operation::reduce: reduce(); break;
      case Operation::allreduce: allreduce(); break;
      case Operation::allgather: allgather(); break;
      case Operation::reduce_scatter: reduce_scatter(); break;
      case Operation::gather: gather(); break;
      case Operation::scatter: scatter(); break;
      case Operation::alltoall:
        if (!collective_.equal_blocks) return std::nullopt;
        alltoall();
        break;
      case Operation::scan:
      case Operation::exscan:
        // A result would replace a contribution that other ranks have yet to read.
        if (collective_.in_place) return std::nullopt;
        prefix();
        break;
    }
    if (plan_.given.bytes + plan_.wanted.bytes == 0 && !has_blocks(collective_.operation))
      return std::nullopt;
    for (int peer = 0; peer < ranks_; ++peer) {
      PeerTraffic& traffic = with_[static_cast<std::size_t>(peer)];
      traffic.peer = peer;
      if (peer != rank_ && traffic.messages_sent + traffic.messages_received > 0)
        plan_.traffic.push_back(traffic);
    }
    return std::move(plan_);
  }

 private:
  using SharedPlace = DirectPlan::SharedPlace;

  static Address input(std::size_t offset = 0) { return {Area::input, offset}; }
  static Address output(std::size_t offset = 0) { return {Area::output, offset}; }
  static constexpr bool only_here = true;
  bool is_root() const { return rank_ == collective_.root; }
  std::size_t offset_in(const BlockList& blocks, int rank) const {
    return blocks.displacement(static_cast<std::size_t>(rank)) * element_;
  }
  std::size_t bytes_in(const BlockList& blocks, int rank) const {
    return blocks.count(static_cast<std::size_t>(rank)) * element_;
  }
  /// The bytes from a buffer's beginning to the end of its last block.
  std::size_t extent(const BlockList& blocks) const {
    std::size_t end = 0;
    for (int rank = 0; rank < ranks_; ++rank)
      end = std::max(end, offset_in(blocks, rank) + bytes_in(blocks, rank));
    return end;
  }

  void copy(SharedPlace from, SharedPlace to, std::size_t bytes, std::size_t round = 0) {
    if (bytes == 0) return;
    plan_.rounds[round].push_back({{from}, to, bytes});
    note_received(from.rank, bytes);
    note_sent(to.rank, bytes);
  }
  void note_received(int peer, std::size_t bytes) {
    if (bytes == 0) return;
    with_[static_cast<std::size_t>(peer)].bytes_received += bytes;
    ++with_[static_cast<std::size_t>(peer)].messages_received;
  }
  void note_sent(int peer, std::size_t bytes) {
    if (bytes == 0) return;
    with_[static_cast<std::size_t>(peer)].bytes_sent += bytes;
    ++with_[static_cast<std::size_t>(peer)].messages_sent;
  }
  /// Combines the contributions of the ranks before `end` at an offset of theirs.
  void combine(int end, std::size_t offset, SharedPlace to, std::size_t bytes) {
    if (bytes == 0 || end == 0) return;
    std::vector<SharedPlace> from;
    for (int rank = 0; rank < end; ++rank) {
      from.push_back({rank, given, offset});
      note_received(rank, bytes);
    }
    plan_.rounds[0].push_back({std::move(from), to, bytes});
  }
  /// Calls act(rank) for all other ranks, beginning behind this one: not all read from the same
  /// rank at once.
  template <class Act>
  void for_each_other(const Act& act) const {
    for (int distance = 1; distance < ranks_; ++distance) act((rank_ + distance) % ranks_);
  }

  void broadcast() {
    plan_.call_bytes = bytes_;
    if (is_root()) {
      plan_.given = {output(), bytes_};
      for_each_other([&](int rank) { note_sent(rank, bytes_); });
    } else {
      plan_.wanted = {output(), bytes_, only_here};
      copy({collective_.root, given, 0}, {rank_, wanted, 0}, bytes_);
    }
  }

  void reduce() {
    plan_.call_bytes = bytes_;
    plan_.given = {collective_.in_place && is_root() ? output() : input(), bytes_};
    if (!is_root()) return note_sent(collective_.root, bytes_);
    plan_.wanted = {output(), bytes_};
    combine(ranks_, 0, {rank_, wanted, 0}, bytes_);
  }

  /// Each rank combines a part, and copies the parts of others. In place, too: a part is written by
  /// the one rank that reads it.
  void allreduce() {
    plan_.call_bytes = bytes_;
    plan_.given = {collective_.in_place ? output() : input(), bytes_};
    plan_.wanted = {output(), bytes_};
    plan_.rounds.emplace_back();
    const auto begin_of_part = [this](int part) {
      const auto all = static_cast<std::size_t>(ranks_), number = static_cast<std::size_t>(part);
      const std::size_t each = collective_.count / all, rest = collective_.count % all;
      return (number * each + std::min(number, rest)) * element_;
    };
    const std::size_t begin = begin_of_part(rank_), own = begin_of_part(rank_ + 1) - begin;
    combine(ranks_, begin, {rank_, wanted, begin}, own);
    for_each_other([&](int owner) {
      const std::size_t from = begin_of_part(owner), part = begin_of_part(owner + 1) - from;
      copy({owner, wanted, from}, {rank_, wanted, from}, part, 1);
      note_sent(owner, part);
      note_sent(owner, own);
    });
  }

  void allgather() {
    const BlockList& blocks = collective_.output_blocks;
    const std::size_t own = offset_in(blocks, rank_);
    for (int rank = 0; rank < ranks_; ++rank) plan_.call_bytes += bytes_in(blocks, rank);
    plan_.given = {collective_.in_place ? output(own) : input(), bytes_in(blocks, rank_)};
    plan_.wanted = {output(), extent(blocks), only_here};
    if (!collective_.in_place) copy({rank_, given, 0}, {rank_, wanted, own}, plan_.given.bytes);
    for_each_other([&](int rank) {
      copy({rank, given, 0}, {rank_, wanted, offset_in(blocks, rank)}, bytes_in(blocks, rank));
      note_sent(rank, plan_.given.bytes);
    });
  }

  void reduce_scatter() {
    const BlockList& blocks = collective_.input_blocks;
    plan_.call_bytes = extent(blocks);
    plan_.given = {input(), plan_.call_bytes};
    plan_.wanted = {output(), bytes_in(blocks, rank_)};
    combine(ranks_, offset_in(blocks, rank_), {rank_, wanted, 0}, plan_.wanted.bytes);
    for_each_other([&](int rank) { note_sent(rank, bytes_in(blocks, rank)); });
  }

  void gather() {
    const BlockList& blocks = collective_.output_blocks;
    if (!is_root()) {
      plan_.given = {input(), bytes_};
      return note_sent(collective_.root, bytes_);
    }
    if (!collective_.in_place) {
      plan_.given = {input(), bytes_, only_here};
      copy({rank_, given, 0}, {rank_, wanted, offset_in(blocks, rank_)}, bytes_);
    }
    plan_.wanted = {output(), extent(blocks), only_here};
    for_each_other([&](int rank) {
      copy({rank, given, 0}, {rank_, wanted, offset_in(blocks, rank)}, bytes_in(blocks, rank));
    });
  }

  /// The root alone knows where blocks begin, so it writes them to the others.
  void scatter() {
    const BlockList& blocks = collective_.input_blocks;
    if (!is_root()) {
      plan_.wanted = {output(), bytes_};
      return note_received(collective_.root, bytes_);
    }
    plan_.given = {input(), extent(blocks)};
    for_each_other([&](int rank) {
      copy({rank_, given, offset_in(blocks, rank)}, {rank, wanted, 0}, bytes_in(blocks, rank));
    });
    if (collective_.in_place) return;
    plan_.wanted = {output(), bytes_, only_here};
    copy({rank_, given, offset_in(blocks, rank_)}, {rank_, wanted, 0}, bytes_);
  }

  void alltoall() {
    const BlockList& sent = collective_.input_blocks;
    const BlockList& received = collective_.output_blocks;
    plan_.given = {input(), extent(sent)};
    plan_.wanted = {output(), extent(received), only_here};
    plan_.call_bytes = plan_.given.bytes;
    const auto take_from = [&](int rank) {
      copy({rank, given, offset_in(sent, rank_)}, {rank_, wanted, offset_in(received, rank)},
           bytes_in(received, rank));
    };
    for_each_other([&](int rank) {
      take_from(rank);
      note_sent(rank, bytes_in(sent, rank));
    });
    take_from(rank_);
  }

  void prefix() {
    plan_.call_bytes = bytes_;
    plan_.given = {input(), bytes_};
    const int end = collective_.operation == Operation::scan ? rank_ + 1 : rank_;
    if (end > 0) plan_.wanted = {output(), bytes_};
    combine(end, 0, {rank_, wanted, 0}, bytes_);
    for (int rank = rank_ + 1; rank < ranks_; ++rank) note_sent(rank, bytes_);
  }

  const Collective& collective_;
  int ranks_;
  int rank_;
  std::size_t element_;
  std::size_t bytes_;
  std::vector<PeerTraffic> with_;  // by rank; what goes from this rank to itself does not count
  DirectPlan plan_;
};

}  // namespace

std::optional<DirectPlan> direct_plan(const Collective& collective, int ranks, int rank) {
  constexpr int most_ranks = 128;  // each waits for each, and a kernel takes an operand of each
  if (ranks > most_ranks) return std::nullopt;
  return DirectPlanner(collective, ranks, rank).plan();
}

}  // namespace cuboid::detail
