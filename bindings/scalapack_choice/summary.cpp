#include "bindings/scalapack_choice/summary.hpp"

#include "bindings/mpi_choice/followed.hpp"

#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail::scalapack {

namespace {

using Side = drop_in::Contest::Side;

struct Tally {
  std::size_t calls = 0;
  double seconds = 0;
  double saved = 0;
};

using Key = std::tuple<CallClass, Side, Reason>;

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
    case Reason::not_served: return "not served";
    case Reason::nothing_to_gain: return "nothing to gain";
    case Reason::too_soon: return "too little time spent yet";
    case Reason::contest: return "by turns, to see who is quicker";
    case Reason::quicker: return "quicker so";
    case Reason::forced: return "forced";
  }
  return "";
}

std::string extents_of(const CallClass& its_class) {
  std::string text;
  for (const int logarithm : its_class.extents) {
    if (logarithm >= 0) text += fmt::format("{}{}", text.empty() ? "" : "x", 1LL << logarithm);
  }
  return text;
}

void print() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  std::string text =
      "cuboid-scalapack: calls of rank 0, of extents from those said to twice that:\n";
  double saved = 0;
  for (const auto& [key, tally] : counts().by_kind) {
    const auto& [its_class, side, reason] = key;
    text += fmt::format(
        "cuboid-scalapack: p{}{:12} {:>18} on {}x{} {:>6} times {:10} {:9.3g} s ({})\n",
        its_class.type, name_of(its_class.routine), extents_of(its_class), its_class.grid[0],
        its_class.grid[1], tally.calls, side == Side::ours ? "taken over" : "handed on",
        tally.seconds, text_of(reason));
    saved += tally.saved;
  }
  text += fmt::format("cuboid-scalapack: {:.3g} s saved, as the first calls of each kind predict\n",
                      saved);
  std::fputs(text.c_str(), stderr);
}

}  // namespace

void count(const CallClass& its_class, const Decision& decision, double seconds) {
  Counts& all = counts();
  const std::lock_guard lock(all.mutex);
  if (!std::exchange(all.announced, true)) drop_in::at_finalize(&print);
  Tally& tally = all.by_kind[{its_class, decision.side, decision.reason}];
  ++tally.calls;
  tally.seconds += seconds;
  if (decision.contest != nullptr) tally.saved += decision.contest->saves();
}

}  // namespace cuboid::detail::scalapack
