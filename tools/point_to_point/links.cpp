#include "tools/point_to_point/links.hpp"

#include <cuboid/collectives.hpp>

#include "base/statistics.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "tools/measurement/world_network.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/progress.hpp"
#include "tools/point_to_point/channel.hpp"
#include "tools/point_to_point/loops.hpp"
#include "tools/point_to_point/pair_buffers.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int windows_by_default = 5;

/// One rank's measurements over one channel.
class LinkVisits {
 public:
  LinkVisits(const LinksOptions& options, const Communicator& world,
             const std::vector<MeasuredLink>& links, Channel& channel)
      : options_(options),
        rank_(world.rank()),
        links_(links),
        channel_(channel),
        buffers_(world, options.memory, options.run.bytes.back()),
        windows_(options.run.iterations.value_or(windows_by_default)) {}

  /// The rate of a link alone, on the sending rank; 0 on others.
  double alone(const MeasuredLink& link) {
    channel_.meet();
    if (rank_ != link.from && rank_ != link.to) return 0;
    const bool first = rank_ == link.from;
    const PairEnd side{channel_,         first ? link.to : link.from, first,
                       buffers_.bytes(), buffers_.out(first),         buffers_.in(first),
                       options_.window};
    stream(side, 1);  // uses up the burst that links may have saved
    const double seconds = median_of(stream, side, 1, windows_);
    return first ? of_window(seconds) : 0;
  }

  /// The rates of all links together, by link, on the receiving rank; 0 on others.
  std::vector<double> together() {
    std::vector<std::vector<double>> seconds(links_.size());
    exchange(seconds);  // uses up the bursts
    for (std::vector<double>& one : seconds) one.clear();
    for (int i = 0; i < windows_; ++i) exchange(seconds);
    std::vector<double> rates;
    for (const std::vector<double>& one : seconds)
      rates.push_back(one.empty() ? 0 : of_window(median(one)));
    return rates;
  }

 private:
  double of_window(double seconds) const {
    return static_cast<double>(buffers_.bytes()) * options_.window / seconds;
  }

  /// Sends a window over every link and appends the seconds until each has arrived.
  void exchange(std::vector<std::vector<double>>& seconds) {
    std::vector<std::size_t> arriving;
    channel_.meet();
    const auto start = Clock::now();
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].to != rank_) continue;
      arriving.push_back(i);
      for (int m = 0; m < options_.window; ++m)
        channel_.start_receive(buffers_.in(false), links_[i].from);
    }
    for (int m = 0; m < options_.window; ++m)
      for (const MeasuredLink& link : links_)
        if (link.from == rank_) channel_.start_send(buffers_.out(true), link.to);
    while (!arriving.empty()) {
      const std::size_t before = arriving.size();
      std::erase_if(arriving, [&](std::size_t i) {
        if (!channel_.received_from(links_[i].from)) return false;
        const std::chrono::duration<double> taken = Clock::now() - start;
        seconds[i].push_back(taken.count());
        return true;
      });
      if (arriving.size() == before) std::this_thread::yield();
    }
    channel_.wait_all();
  }

  const LinksOptions& options_;
  int rank_;
  const std::vector<MeasuredLink>& links_;
  Channel& channel_;
  PairBuffers buffers_;
  int windows_;
};

double median_alone(const LinksResult& result) {
  std::vector<double> rates;
  for (const MeasuredLink& link : result.links) rates.push_back(link.cuboid.alone);
  return median(std::move(rates));
}

void put_rates(nlohmann::ordered_json& row, const std::string& prefix, const LinkRates* rates) {
  const auto put = [&](const char* name, double rate) {
    nlohmann::ordered_json& member = row[prefix + name];
    if (rates) member = rate;
  };
  put("alone_bytes_per_second", rates ? rates->alone : 0);
  put("together_bytes_per_second", rates ? rates->together : 0);
}

}  // namespace

std::vector<MeasuredLink> links_of(const Discovery& network) {
  std::map<int, int> rank_of_node;  // the lowest rank of each node
  for (std::size_t rank = 0; rank < network.node_of_rank.size(); ++rank)
    rank_of_node.try_emplace(network.node_of_rank[rank], static_cast<int>(rank));
  std::map<std::pair<int, int>, MeasuredLink> links;  // by sending and receiving rank
  for (const Link& link : network.network.links()) {
    const auto from = rank_of_node.find(link.from);
    const auto to = rank_of_node.find(link.to);
    if (from == rank_of_node.end() || to == rank_of_node.end()) continue;
    const MeasuredLink one{.from = from->second,
                           .to = to->second,
                           .from_node = network.network.name(link.from),
                           .to_node = network.network.name(link.to),
                           .nominal = link.bytes_per_second};
    const auto [known, is_new] = links.try_emplace({one.from, one.to}, one);
    if (is_new) continue;
    ++known->second.cables;
    known->second.nominal += one.nominal;
  }
  std::vector<MeasuredLink> result;
  for (auto& [ranks, link] : links) result.push_back(std::move(link));
  return result;
}

bool LinksResult::slow(const MeasuredLink& link) const {
  constexpr double least_share = 0.75;
  return link.cuboid.alone < least_share * median_alone(*this);
}

LinksResult run_links(const LinksOptions& options, const Communicator& world) {
  const auto network = network_of(world);
  if (!network) {
    refuse(
        "links: all ranks share a node: start them on several nodes, or set CUBOID_TOPOLOGY to a "
        "network to emulate");
  }
  LinksResult result{.options = options,
                     .ranks = world.size(),
                     .transport = std::string(world.transport()),
                     .links = links_of(*network)};
  if (result.links.empty())
    refuse("links: no cable between nodes with ranks is known: see `cuboid topo`");
  constexpr std::size_t most_in_flight = 256;
  std::map<int, std::size_t> of_rank;
  for (const MeasuredLink& link : result.links) of_rank[link.from] += 2;
  for (const auto& [rank, ends] : of_rank) {
    if (ends * static_cast<std::size_t>(options.window) <= most_in_flight) continue;
    refuse(fmt::format("--window {}: rank {} has {} cables: give at most {}", options.window, rank,
                       ends / 2, most_in_flight / ends));
  }

  const ChannelPair channels(world, {.against_mpi = options.run.against_mpi});
  const std::vector<MeasuredLink> links = result.links;
  std::optional<LinkVisits> ours, theirs;
  collective_try(world, [&] { ours.emplace(options, world, links, *channels.cuboid); });
  if (channels.mpi) theirs.emplace(options, world, links, *channels.mpi);
  Progress progress(static_cast<int>(links.size()) + 1, world.rank() == 0);
  std::vector<double> rates;  // alone and together, of Cuboid and of MPI
  for (const MeasuredLink& link : links) {
    progress.step(fmt::format("{} to {}", link.from_node, link.to_node));
    rates.push_back(ours->alone(link));
    rates.push_back(theirs ? theirs->alone(link) : 0);
  }
  progress.step("all at once");
  const std::vector<double> together = ours->together();
  const std::vector<double> mpi_together =
      theirs ? theirs->together() : std::vector<double>(links.size());
  rates.insert(rates.end(), together.begin(), together.end());
  rates.insert(rates.end(), mpi_together.begin(), mpi_together.end());
  allreduce(world, rates, rates, Reduction::Kind::maximum);
  for (std::size_t i = 0; i < links.size(); ++i) {
    result.links[i].cuboid = {rates[2 * i], rates[2 * links.size() + i]};
    if (theirs) result.links[i].mpi = {rates[2 * i + 1], rates[3 * links.size() + i]};
  }
  return result;
}

nlohmann::ordered_json to_json(const LinksResult& result) {
  nlohmann::ordered_json object = {{"measurement", "links"},
                                   {"ranks", result.ranks},
                                   {"transport", result.transport},
                                   {"bytes", result.options.run.bytes.back()},
                                   {"window", result.options.window},
                                   {"memory", to_string(result.options.memory)},
                                   {"results", nlohmann::ordered_json::array()}};
  for (const MeasuredLink& link : result.links) {
    nlohmann::ordered_json row = {{"from", link.from_node}, {"to", link.to_node},
                                  {"from_rank", link.from}, {"to_rank", link.to},
                                  {"cables", link.cables},  {"nominal_bytes_per_second", nullptr}};
    if (link.nominal > 0) row["nominal_bytes_per_second"] = link.nominal;
    put_rates(row, "", &link.cuboid);
    put_rates(row, "mpi_", link.mpi ? &*link.mpi : nullptr);
    row["slow"] = result.slow(link);
    object["results"].push_back(std::move(row));
  }
  return object;
}

std::string to_text(const LinksResult& result) {
  const auto rate = [](double bytes_per_second) {
    return bytes_per_second > 0 ? fmt::format("{:.2f}", bytes_per_second * 1e-6) : "-";
  };
  std::string text = fmt::format(
      "# {} directions of cables, over {}: windows of {} messages of {} bytes{}\n{:>12} {:>12} "
      "{:>6} "
      "{:>12} {:>12} {:>13}",
      result.links.size(), result.transport, result.options.window, result.options.run.bytes.back(),
      memory_text(result.options.memory), "from", "to", "cables", "nominal MB/s", "alone MB/s",
      "together MB/s");
  if (result.options.run.against_mpi)
    text += fmt::format(" {:>14} {:>17}", "MPI alone MB/s", "MPI together MB/s");
  text += "\n";
  for (const MeasuredLink& link : result.links) {
    text += fmt::format("{:>12} {:>12} {:>6} {:>12} {:>12} {:>13}", link.from_node, link.to_node,
                        link.cables, rate(link.nominal), rate(link.cuboid.alone),
                        rate(link.cuboid.together));
    if (link.mpi)
      text += fmt::format(" {:>14} {:>17}", rate(link.mpi->alone), rate(link.mpi->together));
    text += result.slow(link) ? "  slow\n" : "\n";
  }
  const auto slow = std::ranges::count_if(
      result.links, [&](const MeasuredLink& link) { return result.slow(link); });
  return text +
         fmt::format("{} of {} have less than 75% of the median\n", slow, result.links.size());
}

}  // namespace cuboid::detail::tools
