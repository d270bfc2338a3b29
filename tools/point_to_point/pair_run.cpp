#include "tools/point_to_point/pair_run.hpp"

#include <cuboid/collectives.hpp>

#include "base/statistics.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/progress.hpp"
#include "tools/point_to_point/channel.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::byte byte_sent(int rank, std::size_t i) {
  constexpr std::size_t prime = 113;
  return static_cast<std::byte>((static_cast<std::size_t>(rank) * 31 + i * 7 + i / prime) % prime);
}

double of_all(const Communicator& world, double mine, Reduction::Kind kind) {
  std::array value = {mine};
  allreduce(world, value, value, kind);
  return value[0];
}

/// One rank's run of a measurement.
class PairRun {
 public:
  PairRun(const PairOptions& options, const Communicator& world)
      : options_(options),
        test_(*options.test),
        world_(world),
        pairs_(pairs_of(options, world.size())),
        memory_(memory_for(options)),
        channels_(world, {.window_bytes = test_.one_sided() ? memory_ : 0,
                          .against_mpi = options.run.against_mpi,
                          .direct = test_.direct()}),
        out_(memory_),
        in_(memory_) {
    const int rank = world.rank();
    if (rank < 2 * pairs_) peer_ = rank < pairs_ ? rank + pairs_ : rank - pairs_;
    collective_try(world, [&] {
      if (test_.direct() && first() && channels_.cuboid->direct(peer_).empty())
        refuse(fmt::format("{}: ranks {} and {} share no memory: start them on one node",
                           test_.name, rank, peer_));
    });
  }

  PairResult run(const std::function<void(const PairResult&)>& grown) {
    PairResult result{.test = &test_,
                      .options = options_.run,
                      .ranks = world_.size(),
                      .pairs = pairs_,
                      .window = test_.windowed ? options_.window : 1,
                      .transport = std::string(world_.transport()),
                      .rows = {}};
    Progress progress(static_cast<int>(options_.run.bytes.size()), world_.rank() == 0);
    const auto show = [&] {
      if (world_.rank() == 0) progress.without_bar([&] { grown(result); });
    };
    for (const std::size_t bytes : options_.run.bytes) {
      progress.step(fmt::format("{} of {} bytes", test_.name, bytes));
      result.rows.push_back(measure(bytes));
      show();
    }
    return result;
  }

 private:
  static constexpr double default_seconds = 0.5;
  static constexpr int default_warmup = 10;
  static constexpr int least_iterations = 2;
  static constexpr int most_iterations = 10000;
  /// The number of alternations of Cuboid and MPI: other work on the machine affects both alike.
  static constexpr int turns = 20;
  static constexpr std::byte untouched{0xA5};
  /// The copies of a window use different memory if all of them need no more than this.
  static constexpr std::size_t most_memory = 64 << 20;

  static std::size_t memory_for(const PairOptions& options) {
    const std::size_t greatest = std::max<std::size_t>(options.run.bytes.back(), 1);
    if (!options.test->windowed || !options.test->one_sided()) return greatest;
    const std::size_t all = greatest * static_cast<std::size_t>(options.window);
    return std::max(greatest, std::min(all, most_memory));
  }
  bool first() const { return peer_ > world_.rank(); }
  PairEnd side(Channel& channel, std::size_t bytes) {
    return {channel, peer_, first(), bytes, out_, in_, test_.windowed ? options_.window : 1};
  }

  PairRow measure(std::size_t bytes) {
    PairRow row{.bytes = bytes, .iterations = 0, .cuboid = {}, .mpi = {}, .errors = {}};
    const PairEnd ours = side(*channels_.cuboid, bytes);
    std::optional<PairEnd> theirs;
    if (channels_.mpi) theirs.emplace(side(*channels_.mpi, bytes));
    const auto both = [&](const auto& call) {
      call(ours, row.cuboid);
      if (theirs) call(*theirs, row.mpi ? *row.mpi : row.mpi.emplace());
    };
    row.iterations = options_.run.iterations.value_or(warm_up(ours));
    if (theirs) warm_up(*theirs);
    if (test_.quantity == Quantity::overlap) {
      both([&](const PairEnd& mine, PairFigures& figures) {
        figures.overlap = overlap(mine, row.iterations);
      });
    } else {
      std::vector<PairTimes> our_parts;
      std::vector<PairTimes> their_parts;
      // Percentiles are those of iterations, so each is a part of its own.
      const int parts =
          options_.run.percentiles.empty() ? std::min(turns, row.iterations) : row.iterations;
      for (int turn = 0; turn < parts; ++turn) {
        const int part = row.iterations / parts + (turn < row.iterations % parts ? 1 : 0);
        our_parts.push_back(times(ours, part));
        if (theirs) their_parts.push_back(times(*theirs, part));
      }
      row.cuboid.times = summary(std::move(our_parts));
      if (theirs) row.mpi.emplace().times = summary(std::move(their_parts));
    }
    if (options_.run.validate) row.errors = errors(ours);
    return row;
  }

  /// The seconds of one iteration; 0 if this rank is in no pair. All ranks synchronise before and
  /// after.
  double iterate(const PairEnd& side, int iterations) const {
    if (test_.overlapped) return measure_overlap(call_of(side), work_, iterations).overall;
    side.channel.meet();
    const double seconds = peer_ >= 0 ? test_.loop(side, iterations) : 0;
    side.channel.meet();
    return seconds;
  }

  /// The call to measure; a rank in no pair only synchronises.
  OverlappedCall call_of(const PairEnd& side) const {
    if (peer_ >= 0) return test_.overlapped(side);
    return {.meet = [&side] { side.channel.meet(); }, .start = [] {}, .wait = [] {}};
  }

  /// Warms up and returns the number of iterations that fit in the default time. All ranks agree on
  /// it.
  int warm_up(const PairEnd& side) const {
    const int first_calls =
        options_.run.warmup.value_or(std::min(fitting(side, 1), default_warmup));
    if (first_calls > 0) iterate(side, first_calls);
    return fitting(side, std::clamp(first_calls, 1, default_warmup));
  }
  /// The number of iterations that fit in the default time.
  int fitting(const PairEnd& side, int tries) const {
    const double seconds = of_all(world_, iterate(side, tries), Reduction::Kind::maximum);
    const double number = default_seconds / std::max(seconds, default_seconds / most_iterations);
    return std::clamp(static_cast<int>(number), least_iterations, most_iterations);
  }

  /// The times of a part of the iterations, over the pairs.
  PairTimes times(const PairEnd& side, int iterations) const {
    const double mine = iterate(side, iterations);
    // The minimum is the negated maximum of the negated values.
    std::array both = {first() ? mine : 0, first() ? -mine : -1e300};
    allreduce(world_, both, both, Reduction::Kind::maximum);
    const double sum = of_all(world_, first() ? mine : 0, Reduction::Kind::sum);
    return {.mean = sum / pairs_, .median = 0, .min = -both[1], .max = both[0]};
  }

  static PairTimes summary(std::vector<PairTimes> parts) {
    PairTimes all = parts.front();
    std::vector<double> means;
    for (const PairTimes& part : parts) {
      means.push_back(part.mean);
      all.min = std::min(all.min, part.min);
      all.max = std::max(all.max, part.max);
    }
    all.mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size());
    all.median = median(means);
    all.of_parts = std::move(means);
    return all;
  }

  /// The mean over the ranks that communicate: for a get the first rank, else both.
  Overlap overlap(const PairEnd& side, int iterations) const {
    const Overlap mine = measure_overlap(call_of(side), work_, iterations);
    return over_ranks(world_, mine, first() || (peer_ >= 0 && !test_.one_sided()));
  }

  /// The number of wrong bytes on all ranks after one iteration.
  std::uint64_t errors(const PairEnd& side) {
    const Memory window = side.channel.window();
    for (std::size_t i = 0; i < side.bytes; ++i) {
      out_[i] = byte_sent(world_.rank(), i);
      if (test_.one_sided())
        window[i] = test_.arrival == ArrivalSide::put ? untouched : byte_sent(world_.rank(), i);
    }
    std::ranges::fill(side.in(), untouched);
    iterate(side, 1);
    std::array wrong = {arrived_wrong(side, window)};
    allreduce(world_, wrong, wrong, Reduction::Kind::sum);
    return wrong[0];
  }
  std::uint64_t arrived_wrong(const PairEnd& side, Bytes window) const {
    if (peer_ < 0) return 0;
    const auto wrong_in = [&](Bytes bytes) {
      std::uint64_t wrong = 0;
      for (std::size_t i = 0; i < side.bytes; ++i) wrong += bytes[i] != byte_sent(peer_, i);
      return wrong;
    };
    switch (test_.arrival) {
      case ArrivalSide::both: return wrong_in(side.in());
      case ArrivalSide::second: return first() ? 0 : wrong_in(side.in());
      case ArrivalSide::put: return first() ? 0 : wrong_in(window);
      case ArrivalSide::got: return first() ? wrong_in(side.in()) : 0;
      case ArrivalSide::where_it_is: return first() ? wrong_in(side.channel.direct(peer_)) : 0;
    }
    return 0;
  }

  const PairOptions& options_;
  const PairMeasurement& test_;
  const Communicator& world_;
  int pairs_;
  std::size_t memory_;  ///< bytes of each buffer
  ChannelPair channels_;
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  DummyWork work_;
  int peer_ = -1;
};

}  // namespace

int pairs_of(const PairOptions& options, int ranks) {
  const PairMeasurement& test = *options.test;
  if (ranks < 2)
    refuse(fmt::format("--ranks {}: {} measures between ranks: give at least 2", ranks, test.name));
  if (!test.many) return 1;
  const int pairs = options.pairs.value_or(ranks / 2);
  if (2 * pairs > ranks)
    refuse(fmt::format("--pairs {}: {} ranks make at most {} pairs", pairs, ranks, ranks / 2));
  return pairs;
}

PairResult run_pairs(const PairOptions& options, const Communicator& world,
                     const std::function<void(const PairResult&)>& grown) {
  return PairRun(options, world).run(grown);
}

}  // namespace cuboid::detail::tools
