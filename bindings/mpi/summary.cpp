#include "bindings/mpi/summary.hpp"

#include "bindings/mpi_choice/followed.hpp"

#include <bit>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail::drop_in {

namespace {

struct Tally {
  std::size_t calls = 0;
  double saved = 0;
};

using Key = std::tuple<Called, int, Contest::Side, Reason>;

struct Counts {
  std::mutex mutex;
  std::map<Key, Tally> by_kind;
  bool announced = false;
};

Counts& counts() {
  static Counts& one = *new Counts;
  return one;
}

const char* text_of(Reason reason) {
  switch (reason) {
    case Reason::short_message: return "short";
    case Reason::not_wanted: return "not wanted";
    case Reason::not_served: return "not served";
    case Reason::nothing_to_gain: return "nothing to gain";
    case Reason::too_soon: return "too little time spent yet";
    case Reason::contest: return "by turns, to see who is quicker";
    case Reason::quicker: return "quicker so";
    case Reason::forced: return "forced";
  }
  return "";
}

void print() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  std::string text = "cuboid-mpi: calls of rank 0, those of fewer bytes than the second number:\n";
  double saved = 0;
  for (const auto& [key, tally] : counts().by_kind) {
    const auto& [called, width, side, reason] = key;
    text += fmt::format("cuboid-mpi: {:21} {:>10} {:>9} times {:10} ({})\n",
                        std::string("MPI_") + std::string(name_of(called)), std::size_t{1} << width,
                        tally.calls, side == Contest::Side::ours ? "taken over" : "handed on",
                        text_of(reason));
    saved += tally.saved;
  }
  text +=
      fmt::format("cuboid-mpi: {:.3g} s saved, as the first calls of each kind predict\n", saved);
  std::fputs(text.c_str(), stderr);
}

}  // namespace

void count(Called called, std::size_t bytes, const Decision& decision) {
  if (!has_world()) return;
  Counts& all = counts();
  const std::lock_guard lock(all.mutex);
  if (!std::exchange(all.announced, true)) at_finalize(&print);
  Tally& tally = all.by_kind[{called, static_cast<int>(std::bit_width(bytes)), decision.side,
                              decision.reason}];
  ++tally.calls;
  if (decision.contest != nullptr) tally.saved += decision.contest->saves();
}

}  // namespace cuboid::detail::drop_in
