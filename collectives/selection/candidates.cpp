#include "collectives/selection/candidates.hpp"

#include "collectives/evaluation/segments.hpp"
#include "collectives/selection/evaluator.hpp"
#include "collectives/selection/modelled_call.hpp"
#include "collectives/selection/schedule_sizes.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace cuboid::detail {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// How much of a schedule is simulated: everything, or only the beginning of long pipelines, which
// go on as they began, with segments of lengths around the best.
enum class Extent { beginning, whole };

// The limit of transfers of one simulation. Pipelines through many ranks fill only after many
// segments; but with few messages there is time for the best candidates only, in look_closer().
constexpr double most_transfers_of_the_best = 6000;
double most_transfers(const Call& call, Extent extent) {
  if (extent == Extent::whole) return 1e6;
  return call.ranks() <= most_ranks_simulated ? 1200 : most_transfers_of_the_best;
}

// A candidate must gain more than this to be simulated.
constexpr double hardly_less(Extent extent) {
  return extent == Extent::beginning ? 0.99 : 1;
}

// The limit of simulated operations: they take some tens of milliseconds in groups of which
// everything is simulated, some hundreds in others. Then the best candidate so far is taken.
std::size_t most_operations(const Call& call) {
  return call.ranks() <= most_ranks_simulated ? 200'000 : 800'000;
}

struct Segments {
  Pipelining pipelining;
  double least_seconds = 0;
  std::optional<double> seconds = {};
};

struct BuiltSchedule {
  Conditions conditions = {};
  ForestOrRounds how = {};
  std::size_t longest_exchange = 0;  ///< of rounds, in bytes
};

struct Candidate {
  const Algorithm* algorithm = nullptr;
  Settings settings = {};
  std::shared_ptr<const BuiltSchedule> built = {};  ///< null before it is needed
  double least_seconds = 0;
  double seconds = never;
  /// Of trees: all segments worth trying, the longest first. Empty before the first is tried.
  std::vector<Segments> segments = {};
  /// Seconds that were predicted otherwise, for a candidate that takes too long to simulate.
  std::optional<double> predicted = {};

  const Conditions& conditions() const { return built->conditions; }
  const ForestOrRounds& how() const { return built->how; }
};

// True if two candidates with the same rounds cut no message, and so are the same.
bool cut_nothing(const Candidate& one, const Candidate& other) {
  Pipelining pipelining = other.settings.pipelining;
  const std::size_t longest = one.built->longest_exchange;
  const std::size_t bytes =
      std::exchange(pipelining.segment_bytes, one.settings.pipelining.segment_bytes);
  return pipelining == one.settings.pipelining &&
         std::min(bytes, pipelining.segment_bytes) >= longest;
}

// True if two candidates differ in nothing but the segments into which messages of rounds are cut.
bool have_the_same_rounds(const Candidate& built, const Candidate& other) {
  if (built.algorithm != other.algorithm || !built.built) return false;
  if (!std::holds_alternative<Rounds>(built.how())) return false;
  Settings settings = other.settings;
  settings.pipelining = built.settings.pipelining;
  return settings == built.settings;
}

// Trees with more messages of one segment, and rounds of more exchanges, take too long to simulate,
// even the beginning or a shorter call.
constexpr double most_of_a_segment = 10'000;
constexpr std::size_t most_exchanges = 25'000;

bool is_large(const Candidate& candidate) {
  if (const auto* forest = std::get_if<Forest>(&candidate.how())) {
    constexpr std::size_t most_at_once = 1'000;  // they share links with each other
    return (messages_of_a_segment(*forest) > most_of_a_segment && !are_chains(*forest)) ||
           edges_at_roots(*forest) > most_at_once;
  }
  const auto* rounds = std::get_if<Rounds>(&candidate.how());
  return rounds != nullptr && exchanges_of(*rounds) > most_exchanges;
}

// True if one rank's part already shows that. Such a candidate is built only if it may win.
bool is_large(const RankPart& part, int ranks) {
  if (const auto* forest = std::get_if<ForestPart>(&part)) {
    const double messages = static_cast<double>(forest->trees.size()) * (ranks - 1);
    return messages > most_of_a_segment &&
           std::ranges::any_of(forest->trees, [](const TreePart& tree) {
             return tree.neighbours.children.size() > 1;  // not a chain
           });
  }
  // Each exchange is in the parts of two ranks.
  const auto* rounds = std::get_if<Rounds>(&part);
  return rounds != nullptr &&
         exchanges_of(*rounds) * static_cast<std::size_t>(ranks) / 2 > most_exchanges;
}

// True if other settings of the candidate's algorithm can be simulated, too.
bool is_small(const Candidate& candidate, int ranks) {
  if (const auto* forest = std::get_if<Forest>(&candidate.how()))
    return messages_of_a_segment(*forest) <= 2.0 * ranks;
  constexpr std::size_t most_messages = 10'000;
  const auto* rounds = std::get_if<Rounds>(&candidate.how());
  return rounds == nullptr ||
         messages_of(*rounds, candidate.conditions(), candidate.settings.pipelining,
                     most_messages) <= most_messages;
}

class Candidates {
 public:
  Candidates(const Call& call, Extent extent)
      : call_(call), extent_(extent), evaluator_(call, most_transfers(call, extent)) {}

  void add(const Algorithm& algorithm) {
    const Conditions conditions = conditions_of(call_, algorithm);
    for (const Settings& settings : algorithm.settings(call_))
      add(algorithm, settings, conditions, std::nullopt);
  }

  /// Adds a choice, whose predicted seconds count if it takes too long to simulate. If the first
  /// choice of an algorithm has many messages, its later choices are left out.
  void add(const Choice& choice) {
    const Algorithm& algorithm = *choice.algorithm;
    const auto [first, is_first] = first_is_small_.try_emplace(&algorithm, false);
    if (!is_first && !first->second) return;
    const Conditions conditions = conditions_of(call_, algorithm);
    const int root = call_.collective.root;
    if (!algorithm.on_board &&
        is_large(algorithm.part(call_, conditions, choice.settings, root), call_.ranks())) {
      all_.push_back({.algorithm = &algorithm,
                      .settings = choice.settings,
                      .least_seconds = choice.seconds,
                      .predicted = choice.seconds});
    } else {
      add(algorithm, choice.settings, conditions, choice.seconds);
    }
    if (is_first) first->second = !all_.back().predicted && is_small(all_.back(), call_.ranks());
  }

  // The most promising candidate of every algorithm is tried first, with the most promising
  // segments. Then the other segments are tried, those of the fastest candidate first, and then the
  // other candidates; they must be faster.
  std::optional<Choice> fastest() {
    std::ranges::stable_sort(all_, {}, &Candidate::least_seconds);
    std::vector<Candidate*> firsts;
    std::vector<Candidate*> others;
    std::set<const Algorithm*> begun;
    for (Candidate& candidate : all_) {
      const bool is_first = begun.insert(candidate.algorithm).second;
      (is_first ? firsts : others).push_back(&candidate);
      if (is_first && !candidate.predicted) try_out(candidate, &Candidates::with_likely_segments);
    }
    std::ranges::stable_sort(firsts, {}, &Candidate::seconds);
    for (Candidate* candidate : firsts) try_out(*candidate, &Candidates::with_best_segments);
    for (Candidate* candidate : others) try_out(*candidate, &Candidates::with_best_segments);
    if (extent_ == Extent::beginning) look_closer();
    const auto best = first_of_the_fastest();
    if (best == all_.end()) return std::nullopt;
    if (call_.collective.stream_length > 1 && !best->segments.empty()) lengthen_for_stream(*best);
    return Choice{best->algorithm, best->settings, best->seconds};
  }

 private:
  // A candidate that takes too long to simulate is left out, unless its seconds were predicted.
  void add(const Algorithm& algorithm, const Settings& settings, const Conditions& conditions,
           std::optional<double> predicted) {
    Candidate candidate{&algorithm, settings};
    build(candidate, conditions);
    if (is_there(candidate)) return;
    if (extent_ == Extent::beginning && is_large(candidate)) {
      if (!predicted) return;
      candidate.predicted = predicted;
    }
    const auto alike = std::ranges::find(all_, candidate.built, &Candidate::built);
    candidate.least_seconds = alike != all_.end() ? alike->least_seconds : least_of(candidate);
    all_.push_back(std::move(candidate));
  }

  void build(Candidate& candidate, const Conditions& conditions) {
    const auto alike = std::ranges::find_if(
        all_, [&](const Candidate& earlier) { return have_the_same_rounds(earlier, candidate); });
    if (alike != all_.end()) {
      candidate.built = alike->built;
      return;
    }
    const Algorithm& algorithm = *candidate.algorithm;
    auto built = std::make_shared<BuiltSchedule>();
    built->conditions = in_pieces_of(algorithm, call_, conditions, candidate.settings);
    built->how = algorithm.build(call_, conditions, candidate.settings);
    if (const auto* rounds = std::get_if<Rounds>(&built->how))
      built->longest_exchange = longest_exchange(*rounds, built->conditions);
    candidate.built = std::move(built);
  }

  bool is_there(const Candidate& candidate) const {
    return std::holds_alternative<Rounds>(candidate.how()) &&
           std::ranges::any_of(all_, [&](const Candidate& earlier) {
             return earlier.built == candidate.built && cut_nothing(earlier, candidate);
           });
  }

  // A candidate of an algorithm that comes before the best one's in the table need only be about as
  // fast; see first_of_the_fastest().
  double must_be_less_than(const Candidate& candidate) const {
    const bool comes_first = candidate.algorithm < best_algorithm_;
    return comes_first ? bar_ / hardly_less(extent_) : bar_ * hardly_less(extent_);
  }

  void try_out(Candidate& candidate, double (Candidates::*of_forest)(Candidate&)) {
    if (candidate.least_seconds >= must_be_less_than(candidate)) return;
    if (candidate.predicted) {
      if (!candidate.built) build(candidate, conditions_of(call_, *candidate.algorithm));
      candidate.least_seconds = least_with_segments(candidate);
      candidate.seconds = std::max(*candidate.predicted, candidate.least_seconds);
      return;
    }
    if (std::holds_alternative<Forest>(candidate.how())) {
      candidate.seconds = (this->*of_forest)(candidate);
    } else if (candidate.seconds == never && !is_late()) {
      candidate.least_seconds = least_with_segments(candidate);
      if (candidate.least_seconds >= must_be_less_than(candidate)) return;
      candidate.seconds = evaluate(candidate);
    }
    if (candidate.seconds >= bar_) return;
    bar_ = candidate.seconds;
    best_algorithm_ = candidate.algorithm;
  }

  std::vector<Candidate>::iterator fastest_so_far() {
    const auto best = std::ranges::min_element(all_, {}, &Candidate::seconds);
    return best == all_.end() || best->seconds == never ? all_.end() : best;
  }

  // No prediction is exact to a percent. Among candidates within a percent of the fastest, the
  // first in the table is taken.
  std::vector<Candidate>::iterator first_of_the_fastest() {
    auto best = fastest_so_far();
    if (best == all_.end() || extent_ == Extent::whole) return best;
    const double as_fast = best->seconds / hardly_less(extent_);
    for (auto other = all_.begin(); other != all_.end(); ++other) {
      if (other->seconds <= as_fast && other->algorithm < best->algorithm) best = other;
    }
    return best;
  }

  // Simulates a longer beginning of the pipeline that has won. If it then loses, looks at the next
  // winner in the same way.
  void look_closer() {
    constexpr int most_looked_at = 4;
    Evaluator closer(call_, most_transfers_of_the_best);
    std::set<const Candidate*> seen;
    while (seen.size() < most_looked_at) {
      const auto best = fastest_so_far();
      if (best == all_.end() || !seen.insert(&*best).second) return;
      const auto* forest = std::get_if<Forest>(&best->how());
      const Pipelining& pipelining = best->settings.pipelining;
      if (forest == nullptr || best->predicted || evaluator_.is_of_all(*forest, pipelining)) return;
      best->seconds = closer.seconds(*forest, pipelining);
    }
  }

  // True if nothing more is to be simulated.
  bool is_late() const {
    return extent_ == Extent::beginning && bar_ < never &&
           evaluator_.operations() > most_operations(call_);
  }

  double least_of(const Candidate& candidate) {
    if (const auto* forest = std::get_if<Forest>(&candidate.how()))
      return evaluator_.least_seconds(*forest);
    if (const auto* rounds = std::get_if<Rounds>(&candidate.how()))
      return evaluator_.least_seconds(*rounds, candidate.conditions());
    return 0;  // of a BoardPlan, which takes little time to evaluate
  }

  double least_with_segments(const Candidate& candidate) {
    const auto* rounds = std::get_if<Rounds>(&candidate.how());
    if (rounds == nullptr) return least_of(candidate);
    return evaluator_.least_seconds(*rounds, candidate.conditions(), candidate.settings.pipelining);
  }

  double evaluate(const Candidate& candidate) {
    if (const auto* rounds = std::get_if<Rounds>(&candidate.how()))
      return evaluator_.seconds(*rounds, candidate.conditions(), candidate.settings.pipelining);
    return evaluator_.seconds(std::get<BoardPlan>(candidate.how()), candidate.conditions(),
                              candidate.settings.pipelining);
  }

  // Whole slices, halves, quarters and so on.
  std::vector<Segments> segments_of(const Forest& forest, const Pipelining& usual) {
    const std::size_t slice = std::max<std::size_t>(longest_slice(forest), 1);
    const std::size_t least = std::max(least_segment_of(call_), slice / most_segments);
    const bool nobody_passes_on =
        std::ranges::all_of(forest.trees, [](const Tree& tree) { return tree.edges.size() < 2; });
    std::vector<Segments> all;
    for (std::size_t bytes = std::min(slice, greatest_segment_of(call_));; bytes /= 2) {
      Segments& segments = all.emplace_back(Segments{in_segments(call_, usual, slice, bytes)});
      segments.least_seconds = evaluator_.least_seconds(forest, segments.pipelining);
      if (bytes / 2 < least || nobody_passes_on) return all;
    }
  }

  // The seconds with such segments, if they can be less than the bar.
  double seconds_of(const Forest& forest, Segments& segments) {
    if (segments.seconds) return *segments.seconds;
    if (segments.least_seconds >= bar_ || is_late()) return never;
    segments.seconds = evaluator_.seconds(forest, segments.pipelining);
    return *segments.seconds;
  }

  // The middle one of the segments that have the least lower bound.
  static std::vector<Segments>::iterator most_promising(std::vector<Segments>& all) {
    constexpr double rounding = 1 + 1e-3;
    const auto first = std::ranges::min_element(all, {}, &Segments::least_seconds);
    const auto end = std::find_if(first, all.end(), [&](const Segments& one) {
      return one.least_seconds > rounding * first->least_seconds;
    });
    return first + (end - first) / 2;
  }

  double with_likely_segments(Candidate& candidate) {
    const auto& forest = std::get<Forest>(candidate.how());
    candidate.segments = segments_of(forest, candidate.settings.pipelining);
    Segments& likely = *most_promising(candidate.segments);
    candidate.settings.pipelining = likely.pipelining;
    return seconds_of(forest, likely);
  }

  // Finds the best segments. Longer segments take longer to fill the pipeline, shorter segments
  // take longer to be handled. The search starts where the lower bound is least and goes on while
  // it gains.
  double with_best_segments(Candidate& candidate) {
    const auto& forest = std::get<Forest>(candidate.how());
    if (candidate.segments.empty())
      candidate.segments = segments_of(forest, candidate.settings.pipelining);
    std::vector<Segments>& all = candidate.segments;
    const auto seconds_of = [&](Segments& one) { return this->seconds_of(forest, one); };
    auto best = most_promising(all);
    double least = seconds_of(*best);
    if (extent_ == Extent::whole) {
      for (auto one = all.begin(); one != all.end(); ++one) {
        if (seconds_of(*one) < seconds_of(*best)) best = one;
      }
      least = seconds_of(*best);
    }
    const auto go = [&](auto step) {
      constexpr int patience = 2;
      bool gone = false;
      int in_vain = 0;
      for (auto next = best; in_vain < patience;) {
        if (step > 0 ? next + 1 == all.end() : next == all.begin()) break;
        next += step;
        const double seconds = seconds_of(*next);
        ++in_vain;
        if (seconds >= least) continue;
        least = seconds;
        best = next;
        gone = true;
        in_vain = 0;
      }
      return gone;
    };
    if (!go(-1)) go(1);
    candidate.settings.pipelining = best->pipelining;
    return least;
  }

  // A stream of calls fills its pipelines once, but every message takes time of cores that have
  // other work. So a stream takes the longest segments that cost hardly more.
  void lengthen_for_stream(Candidate& candidate) {
    constexpr double hardly_more = 1.1;
    constexpr std::size_t long_segment = 64 << 10;
    const auto& forest = std::get<Forest>(candidate.how());
    std::vector<Segments>& all = candidate.segments;
    const std::size_t bytes = candidate.settings.pipelining.segment_bytes;
    const auto cost = [&](Segments& one) {
      if (!one.seconds) one.seconds = evaluator_.seconds(forest, one.pipelining);
      return *one.seconds / call_.collective.stream_length +
             call_.cost_model.core_seconds(messages_of(forest, one.pipelining), bytes_of(forest));
    };
    const auto has_best = [&](const Segments& one) {
      return one.pipelining.segment_bytes == bytes;
    };
    auto longer = std::ranges::find_if(all, has_best);
    double least = cost(*longer);
    while (longer != all.begin()) {
      --longer;
      const double costs = cost(*longer);
      if (longer->pipelining.segment_bytes > long_segment || costs > hardly_more * least) return;
      least = std::min(least, costs);
      candidate.settings.pipelining = longer->pipelining;
    }
  }

  const Call& call_;
  Extent extent_;
  Evaluator evaluator_;
  std::vector<Candidate> all_;
  std::map<const Algorithm*, bool> first_is_small_ = {};
  double bar_ = never;  ///< the seconds of the best candidate so far
  const Algorithm* best_algorithm_ = nullptr;
};

std::optional<Choice> fastest(const Call& call, std::span<const Algorithm* const> algorithms,
                              Extent extent) {
  Candidates candidates(call, extent);
  for (const Algorithm* algorithm : algorithms) candidates.add(*algorithm);
  return candidates.fastest();
}

}  // namespace

bool are_few_messages(const Call& call) {
  constexpr int most_ranks_with_blocks = 32;
  if (call.ranks() < 2) return false;
  switch (call.operation()) {
    case Operation::gather:
    case Operation::scatter: return false;
    case Operation::alltoall:
      if (!call.collective.equal_blocks) return false;
      [[fallthrough]];
    case Operation::allgather:
    case Operation::reduce_scatter:
      return call.bytes() > 0 && call.ranks() <= most_ranks_with_blocks;
    case Operation::barrier: return call.ranks() <= most_ranks_simulated;
    default: return call.bytes() > 0 && call.ranks() <= most_ranks_simulated;
  }
}

bool are_moderately_many_messages(const Call& call) {
  constexpr int most_ranks = 512;
  switch (call.operation()) {
    case Operation::gather:
    case Operation::scatter:
    case Operation::alltoall:  // all messages at once share links with many others
    case Operation::barrier: return false;
    default: return call.bytes() > 0 && !are_few_messages(call) && call.ranks() <= most_ranks;
  }
}

Choice fastest_of(const Call& call, std::span<const Choice> predicted) {
  Candidates candidates(call, Extent::beginning);
  for (const Choice& choice : predicted) candidates.add(choice);
  return candidates.fastest().value();
}

std::vector<Choice> best_of_each(const Call& call, std::span<const Algorithm* const> algorithms) {
  std::vector<Choice> all;
  for (const Algorithm* algorithm : algorithms) {
    Candidates candidates(call, Extent::beginning);
    candidates.add(*algorithm);
    if (const auto best = candidates.fastest()) all.push_back(*best);
  }
  std::ranges::stable_sort(all, {}, &Choice::seconds);
  return all;
}

std::optional<Choice> fastest(const Call& call, std::span<const Algorithm* const> algorithms) {
  return fastest(call, algorithms, Extent::beginning);
}

std::optional<Choice> fastest_in_whole(const Call& call,
                                       std::span<const Algorithm* const> algorithms) {
  return fastest(call, algorithms, Extent::whole);
}

double seconds_in_whole(const Call& call, const Choice& choice) {
  Evaluator evaluator(call, most_transfers(call, Extent::whole));
  const Conditions whole = conditions_of(call, *choice.algorithm);
  const Conditions conditions = in_pieces_of(*choice.algorithm, call, whole, choice.settings);
  const ForestOrRounds how = choice.algorithm->build(call, whole, choice.settings);
  if (const auto* forest = std::get_if<Forest>(&how))
    return evaluator.seconds(*forest, choice.settings.pipelining);
  if (const auto* plan = std::get_if<BoardPlan>(&how))
    return evaluator.seconds(*plan, conditions, choice.settings.pipelining);
  return evaluator.seconds(std::get<Rounds>(how), conditions, choice.settings.pipelining);
}

}  // namespace cuboid::detail
