#include "collectives/calibration/pair_samples.hpp"

#include <cuboid/collectives.hpp>

#include "collectives/calibration/probe.hpp"
#include "collectives/operations/vectors.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace cuboid::detail {

namespace {

constexpr std::size_t short_bytes = Burst{}.bytes;
constexpr std::size_t longest = std::size_t{4} << 20;
/// Half a stream of long messages carries at least this many bytes: more than policers and socket
/// buffers let through before the network's rate shows.
constexpr std::size_t least_stream = 256 << 10;
/// The number of short messages in flight: enough to hide the start of the first message, few
/// enough for any queue.
constexpr std::size_t short_messages = 64;

/// Each number is measured in this many rounds. A round takes the median of some repetitions. If
/// the number is the difference of two times, a round takes the fastest repetition, because other
/// work of the machine can only make a message slower.
constexpr int rounds = 5;

/// Limits in seconds: for a size with all its repetitions, for a burst that is still worth trying,
/// for a stream, and for all streams.
constexpr double seconds_per_size = 0.04;
constexpr double most_seconds_per_burst = 0.1;
constexpr double seconds_per_stream = 0.3;
constexpr double most_seconds_of_streams = 1.2;

double quickest(const std::vector<BurstSeconds>& bursts) {
  return std::ranges::min(bursts, {}, &BurstSeconds::total).total;
}

double usual(const std::vector<BurstSeconds>& bursts) {
  std::vector<double> totals;
  for (const BurstSeconds& burst : bursts) totals.push_back(burst.total);
  return median_of(totals).value;
}

int repetitions_in(double seconds, double each, int least, int most) {
  return static_cast<int>(std::clamp(seconds / std::max(each, 1e-9), static_cast<double>(least),
                                     static_cast<double>(most)));
}

double interval(Prober& prober, const Burst& whole, int repetitions) {
  const Burst half{whole.messages / 2, whole.bytes};
  const double begun = quickest(prober.burst(half, repetitions));
  const double all = quickest(prober.burst(whole, repetitions));
  return interval_in_flow(begun, all, whole.messages);
}

/// Measures single messages of all sizes. A short message takes `back` seconds.
void measure_sizes(Prober& prober, Where where, double back, PairSamples& samples) {
  const std::size_t most = where == Where::within_a_node ? longest_in_memory : longest;
  double each = 2 * back;
  for (std::size_t bytes = short_bytes; bytes <= most; bytes *= 2) {
    const int repetitions = repetitions_in(seconds_per_size, each, 3, 30);
    each = usual(prober.burst({1, bytes}, repetitions));
    // The answer is a short message. It takes at most as long as the message that it answers.
    samples.single.push_back({bytes, std::max(each - back, each / 2)});
    if (each > most_seconds_per_burst) break;
  }
}

std::vector<double> measure_one_way(Prober& prober) {
  constexpr int of_short_ones = 100;
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round)
    seconds.push_back(usual(prober.burst({1, short_bytes}, of_short_ones)) / 2);
  return seconds;
}

void measure_singles(Prober& prober, Where where, PairSamples& samples) {
  samples.one_way = measure_one_way(prober);
  const double back = median_of(samples.one_way).value;
  // a pass takes little time within a node
  const int passes = where == Where::within_a_node ? 3 : 1;
  for (int pass = 0; pass < passes; ++pass) measure_sizes(prober, where, back, samples);
}

void measure_streams(Prober& prober, PairSamples& samples) {
  double spent = 0;
  double per_byte = 0;  // unknown before the first size
  for (std::size_t bytes = 16 << 10; bytes <= longest; bytes *= 4) {
    const std::size_t half = std::max<std::size_t>(least_stream / bytes, 2);
    const double expected = 3 * static_cast<double>(half * bytes) * per_byte;
    const bool makes_a_line = samples.streamed.size() > 1;
    if (makes_a_line && spent + expected > most_seconds_of_streams) break;
    const int times = per_byte > 0 ? repetitions_in(seconds_per_stream, expected, 1, 25) : 1;
    double least = 0;
    for (int round = 0; round < std::min(times, rounds); ++round) {
      const double seconds = interval(prober, {2 * half, bytes}, std::max(times / rounds, 1));
      samples.streamed.push_back({bytes, seconds});
      least = round == 0 ? seconds : std::min(least, seconds);
    }
    per_byte = least / static_cast<double>(bytes);
    spent += 3 * static_cast<double>(half * bytes) * per_byte * times;
  }
}

/// Measures the burst of an idle link in bytes: the head start of a message that is sent after a
/// pause. Less than a tenth of the message counts as 0.
void measure_catching_up(Prober& prober, PairSamples& samples) {
  constexpr std::chrono::milliseconds pause{100};
  constexpr int pauses = 3;
  constexpr Burst stream{64, 16 << 10};
  constexpr double bytes = static_cast<double>(stream.messages * stream.bytes);
  const double per_byte = beta_of(samples.streamed).value;
  for (int round = 0; round < pauses; ++round) {
    std::this_thread::sleep_for(pause);
    const double seconds = prober.burst(stream, 1).front().total - median_of(samples.one_way).value;
    const double ahead = bytes - seconds / per_byte;
    samples.caught_up.push_back(ahead > bytes / 10 ? ahead : 0);
  }
}

void measure_overheads(Prober& prober, PairSamples& samples) {
  constexpr int repetitions = 6;
  const Burst many{short_messages, short_bytes};
  for (int round = 0; round < rounds; ++round) {
    const auto bursts = prober.burst(many, repetitions);
    samples.send_overheads.push_back(
        std::ranges::min(bursts, {}, &BurstSeconds::handing_over).handing_over / short_messages);
    samples.receive_overheads.push_back(
        std::ranges::min(prober.take_in(short_messages, repetitions)));
    samples.gaps.push_back(interval(prober, {2 * many.messages, many.bytes}, repetitions));
  }
}

void broadcast_samples(const Communicator& world, PairSamples& samples, int root) {
  broadcast_vector(world, samples.one_way, root);
  broadcast_vector(world, samples.single, root);
  broadcast_vector(world, samples.streamed, root);
  broadcast_vector(world, samples.send_overheads, root);
  broadcast_vector(world, samples.receive_overheads, root);
  broadcast_vector(world, samples.gaps, root);
  broadcast_vector(world, samples.caught_up, root);
}

/// Runs `measure` on the asking rank while the answering ranks answer; all other ranks wait.
template <class Measure>
void at_place(const Communicator& world, const ProbePlace& place, const Measure& measure) {
  barrier(world);
  if (world.rank() == place.asking) {
    Prober prober(world, place.answering);
    measure(prober);
  } else if (std::ranges::count(place.answering, world.rank()) > 0) {
    answer(world, place.asking);
  }
}

}  // namespace

double interval_in_flow(double first_half_seconds, double whole_seconds, std::size_t messages) {
  const double each = whole_seconds / static_cast<double>(messages);
  const double second_half_seconds = whole_seconds - first_half_seconds;
  if (second_half_seconds <= each) return each;
  return second_half_seconds / static_cast<double>(messages / 2);
}

/// On a busy machine noise can exceed the time of the bytes. Then only an upper limit is known: the
/// time per byte of the message that takes the least time per byte.
Measured beta_of(const std::vector<MessageSample>& samples) {
  const auto per_byte = [](const MessageSample& sample) {
    return sample.seconds / static_cast<double>(sample.bytes);
  };
  const double bound = per_byte(std::ranges::min(samples, {}, per_byte));
  const Measured beta = measure_line(samples).beta;
  if (beta.value > 0) return beta;
  return {bound, 0, std::max(bound, beta.most)};
}

void PairSamples::add(const PairSamples& other) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(one_way, other.one_way);
  append(single, other.single);
  append(streamed, other.streamed);
  append(send_overheads, other.send_overheads);
  append(receive_overheads, other.receive_overheads);
  append(gaps, other.gaps);
  append(caught_up, other.caught_up);
}

PairSamples samples_of(const Communicator& world, const ProbePlace& place, Where where) {
  PairSamples samples;
  at_place(world, place, [&](Prober& prober) {
    measure_singles(prober, where, samples);
    measure_overheads(prober, samples);
    // On a node the receiver copies one message after the other, so a stream is no faster than
    // single messages.
    if (where == Where::between_nodes) {
      measure_streams(prober, samples);
      measure_catching_up(prober, samples);
    }
  });
  broadcast_samples(world, samples, place.asking);
  return samples;
}

std::vector<double> one_way_seconds(const Communicator& world, const ProbePlace& place) {
  std::vector<double> seconds;
  at_place(world, place, [&](Prober& prober) { seconds = measure_one_way(prober); });
  broadcast_vector(world, seconds, place.asking);
  return seconds;
}

std::vector<double> rates_to_all(const Communicator& world, const ProbePlace& place) {
  constexpr Burst stream{16, 64 << 10};
  constexpr int streams = 3;
  constexpr int repetitions = 3;
  std::vector<double> rates;
  at_place(world, place, [&](Prober& prober) {
    const auto peers = static_cast<double>(place.answering.size());
    for (int i = 0; i < streams; ++i)
      rates.push_back(peers * static_cast<double>(stream.bytes) /
                      interval(prober, stream, repetitions));
  });
  broadcast_vector(world, rates, place.asking);
  return rates;
}

std::vector<MessageSample> rounds_of(double (*work)(std::size_t bytes)) {
  std::vector<MessageSample> samples;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t bytes = 1 << 10; bytes <= longest_in_memory; bytes *= 2)
      samples.push_back({bytes, work(bytes)});
  }
  return samples;
}

}  // namespace cuboid::detail
