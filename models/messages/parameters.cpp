#include "models/messages/parameters.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace cuboid::detail {

LogGP MeasuredMessages::log_gp() const {
  const auto or_none = [](const std::optional<Measured>& number) {
    return number ? number->value : 0;
  };
  const double overheads = or_none(send_overhead) + or_none(receive_overhead);
  return {.latency = latency ? latency->value : std::max(0.0, alpha.value - overheads),
          .send_overhead = or_none(send_overhead),
          .receive_overhead = or_none(receive_overhead),
          .gap = or_none(gap),
          .byte_gap = beta.value};
}

double byte_seconds(std::span<const MessageSample> sizes, double bytes) {
  if (sizes.empty() || bytes <= 0) return 0;
  const auto bytes_of = [](const MessageSample& one) { return static_cast<double>(one.bytes); };
  const double start = sizes.front().seconds;
  const auto per_byte = [&](double seconds, double of) {
    return std::max(seconds - start, 0.0) / of;
  };
  const auto next =
      std::ranges::find_if(sizes, [&](const MessageSample& one) { return bytes_of(one) >= bytes; });
  if (next == sizes.begin()) return 0;
  const MessageSample& before = *std::prev(next);
  if (next == sizes.end()) return per_byte(before.seconds, bytes_of(before));
  const double way = (bytes - bytes_of(before)) / (bytes_of(*next) - bytes_of(before));
  return per_byte(before.seconds + way * (next->seconds - before.seconds), bytes);
}

double quickest_size(std::span<const MessageSample> sizes) {
  double quickest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const MessageSample& one : sizes) {
    if (one.seconds < 2 * sizes.front().seconds) continue;
    const auto bytes = static_cast<double>(one.bytes);
    const double each = (one.seconds - sizes.front().seconds) / bytes;
    if (each <= 0 || each >= least) continue;
    quickest = bytes;
    least = each;
  }
  return quickest;
}

double MeasuredMessages::flowing_byte_seconds(double bytes) const {
  return byte_seconds(std::max(bytes, quickest_size(sizes)));
}

double MeasuredMessages::handling_seconds(double bytes) const {
  const double quickest = quickest_size(sizes);
  if (bytes >= quickest) return 0;
  return bytes * std::max(byte_seconds(bytes) - byte_seconds(quickest), 0.0);
}

double MeasuredMessages::byte_seconds(double bytes) const {
  return sizes.size() > 1 && bytes > 0 ? detail::byte_seconds(sizes, bytes) : beta.value;
}

ParametersKey parameters_key(std::span<const std::string> host_of_rank, const Network* network) {
  std::map<std::string, int> ranks;
  for (const std::string& host : host_of_rank) ++ranks[host];
  ParametersKey key;
  for (const auto& [name, count] : ranks) key.hosts.push_back({name, count});
  for (int cable = 0; network != nullptr && cable < network->cables(); ++cable) {
    const Link& link = network->links()[2 * static_cast<std::size_t>(cable)];
    std::string from = network->name(link.from);
    std::string to = network->name(link.to);
    if (to < from) std::swap(from, to);
    key.cables.push_back({std::move(from), std::move(to), link.bytes_per_second});
  }
  std::ranges::sort(key.cables);
  return key;
}

}  // namespace cuboid::detail
