#include "tools/point_to_point/all_pairs.hpp"

#include <cuboid/collectives.hpp>

#include "base/page_text.hpp"
#include "base/statistics.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "tools/output/progress.hpp"
#include "tools/point_to_point/channel.hpp"
#include "tools/point_to_point/loops.hpp"
#include "tools/point_to_point/pair_buffers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr int tries_by_default = 3;
constexpr int round_trips = 5;  ///< round trips per try

/// One rank's measurements over one channel.
class PairVisits {
 public:
  PairVisits(const AllPairsOptions& options, const Communicator& world, Channel& channel)
      : options_(options),
        world_(world),
        channel_(channel),
        buffers_(world, options.memory, options.run.bytes.back()) {}

  /// Measures the latency between two ranks and the bandwidth in both directions. The table's
  /// entries are set on these two ranks and 0 on others.
  void visit(int a, int b, AllPairsResult& result, PairTable& table) {
    const int rank = world_.rank();
    channel_.meet();
    if (rank != a && rank != b) return;
    const int peer = rank == a ? b : a;
    const auto end = [&](bool first, std::size_t bytes, int window) {
      return PairEnd{channel_, peer, first, bytes, buffers_.out(first), buffers_.in(first), window};
    };
    const PairEnd side = end(rank == a, 1, 1);
    ping_pong(side, 2);
    const int tries = options_.run.iterations.value_or(tries_by_default);
    const double latency = median_of(ping_pong, side, round_trips, tries);
    if (rank == a) table.latency[result.at(a, b)] = table.latency[result.at(b, a)] = latency;
    for (const int from : {a, b}) {
      const PairEnd one_way = end(rank == from, buffers_.bytes(), options_.window);
      stream(one_way, 1);  // uses up the burst that links may have saved
      const double seconds = median_of(stream, one_way, 1, tries);
      if (one_way.first) {
        table.bandwidth[result.at(rank, peer)] =
            static_cast<double>(one_way.bytes) * one_way.window / seconds;
      }
    }
  }

 private:
  const AllPairsOptions& options_;
  const Communicator& world_;
  Channel& channel_;
  PairBuffers buffers_;
};

void sum_up(const Communicator& world, PairTable& table) {
  for (PairMatrix* matrix : {&table.latency, &table.bandwidth})
    allreduce(world, *matrix, *matrix, Reduction::Kind::sum);
}

void put_table(nlohmann::ordered_json& row, const std::string& prefix, const PairTable* table,
               std::size_t at) {
  const auto put = [&](const char* name, const PairMatrix* matrix) {
    nlohmann::ordered_json& member = row[prefix + name];
    if (matrix) member = (*matrix)[at];
  };
  put("latency_seconds", table ? &table->latency : nullptr);
  put("bandwidth_bytes_per_second", table ? &table->bandwidth : nullptr);
}

std::string matrix_text(const AllPairsResult& result, const PairMatrix& matrix, double scale,
                        const std::string& title) {
  std::string text = fmt::format("{}\n{:>9}", title, "from \\ to");
  for (int to = 0; to < result.ranks; ++to) text += fmt::format(" {:>7}", to);
  text += "\n";
  for (int from = 0; from < result.ranks; ++from) {
    text += fmt::format("{:>9}", from);
    for (int to = 0; to < result.ranks; ++to) {
      text += from == to ? fmt::format(" {:>7}", "-")
                         : fmt::format(" {:>7.4g}", matrix[result.at(from, to)] * scale);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

double median_of_pairs(const PairMatrix& matrix, int ranks) {
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.size(); ++i)
    if (i % (static_cast<std::size_t>(ranks) + 1) != 0) values.push_back(matrix[i]);
  return median(std::move(values));
}

std::vector<SlowPair> slow_pairs(const AllPairsResult& result) {
  constexpr double least_share = 0.75;
  const double median = median_of_pairs(result.cuboid.bandwidth, result.ranks);
  std::vector<SlowPair> slow;
  for (int from = 0; from < result.ranks; ++from) {
    for (int to = 0; to < result.ranks; ++to) {
      const double bandwidth = result.cuboid.bandwidth[result.at(from, to)];
      if (from != to && bandwidth < least_share * median) slow.push_back({from, to, bandwidth});
    }
  }
  std::ranges::stable_sort(slow, {}, &SlowPair::bandwidth);
  return slow;
}

AllPairsResult run_all_pairs(const AllPairsOptions& options, const Communicator& world) {
  AllPairsResult result;
  result.options = options;
  result.ranks = world.size();
  result.transport = world.transport();
  for (int rank = 0; rank < world.size(); ++rank) result.hosts.push_back(world.host(rank));
  const auto ranks = static_cast<std::size_t>(world.size());
  const PairTable nothing{PairMatrix(ranks * ranks), PairMatrix(ranks * ranks)};
  result.cuboid = nothing;
  const ChannelPair channels(world, {.against_mpi = options.run.against_mpi});
  std::optional<PairVisits> ours, theirs;
  collective_try(world, [&] { ours.emplace(options, world, *channels.cuboid); });
  if (channels.mpi) {
    result.mpi = nothing;
    theirs.emplace(options, world, *channels.mpi);
  }
  Progress progress(world.size() * (world.size() - 1) / 2, world.rank() == 0);
  for (int a = 0; a < world.size(); ++a) {
    for (int b = a + 1; b < world.size(); ++b) {
      progress.step(fmt::format("ranks {} and {}", a, b));
      ours->visit(a, b, result, result.cuboid);
      if (theirs) theirs->visit(a, b, result, *result.mpi);
    }
  }
  sum_up(world, result.cuboid);
  if (result.mpi) sum_up(world, *result.mpi);
  return result;
}

nlohmann::ordered_json to_json(const AllPairsResult& result) {
  nlohmann::ordered_json object = {{"measurement", "pairs"},
                                   {"ranks", result.ranks},
                                   {"transport", result.transport},
                                   {"bytes", result.options.run.bytes.back()},
                                   {"window", result.options.window},
                                   {"memory", to_string(result.options.memory)},
                                   {"results", nlohmann::ordered_json::array()}};
  for (int from = 0; from < result.ranks; ++from) {
    for (int to = 0; to < result.ranks; ++to) {
      if (from == to) continue;
      nlohmann::ordered_json row = {{"from", from},
                                    {"to", to},
                                    {"from_host", result.hosts[static_cast<std::size_t>(from)]},
                                    {"to_host", result.hosts[static_cast<std::size_t>(to)]}};
      put_table(row, "", &result.cuboid, result.at(from, to));
      put_table(row, "mpi_", result.mpi ? &*result.mpi : nullptr, result.at(from, to));
      object["results"].push_back(std::move(row));
    }
  }
  return object;
}

std::string to_text(const AllPairsResult& result) {
  const auto summary = [&](const char* name, const PairTable& table) {
    return fmt::format("# {}: median of all pairs {:.2f} us, {:.2f} MB/s\n", name,
                       median_of_pairs(table.latency, result.ranks) * 1e6,
                       median_of_pairs(table.bandwidth, result.ranks) * 1e-6);
  };
  constexpr std::size_t indent = 2;
  std::string text = folded(
      fmt::format("# all pairs of {} ranks, one after the other, over {}: round trips of 1 byte; "
                  "windows of {} messages of {} bytes{}\n",
                  result.ranks, result.transport, result.options.window,
                  result.options.run.bytes.back(), memory_text(result.options.memory)),
      indent);
  text += summary("Cuboid", result.cuboid);
  if (result.mpi) text += summary("MPI", *result.mpi);
  constexpr int most_ranks = 16;  // --csv and --svg show wider tables
  if (result.ranks <= most_ranks) {
    text += matrix_text(result, result.cuboid.latency, 1e6, "latency, us");
    text += matrix_text(result, result.cuboid.bandwidth, 1e-6, "bandwidth, MB/s");
  }
  const std::vector<SlowPair> slow = slow_pairs(result);
  if (slow.empty()) return text + "no pair has less than 75% of the median bandwidth\n";
  text += fmt::format("{} pairs have less than 75% of the median bandwidth; the slowest:\n",
                      slow.size());
  constexpr std::size_t most_pairs = 10;
  for (const SlowPair& pair : std::span(slow).first(std::min(slow.size(), most_pairs))) {
    text += fmt::format("  {} to {}: {:.2f} MB/s ({} to {})\n", pair.from, pair.to,
                        pair.bandwidth * 1e-6, result.hosts[static_cast<std::size_t>(pair.from)],
                        result.hosts[static_cast<std::size_t>(pair.to)]);
  }
  return text;
}

}  // namespace cuboid::detail::tools
