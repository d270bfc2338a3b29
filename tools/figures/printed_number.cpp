#include "tools/figures/printed_number.hpp"

#include <cuboid/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr std::string_view rectangular = "Solomonik et al. 2011", hsumma = "Quintin et al. 2013",
                           cosma = "Kwasniewski et al. 2019",
                           sd_cannon = "Solomonik and Demmel 2012";

}  // namespace

/// Name, value, what it is, paper, place. Percentages are shares of 1.
struct PrintedNumbers {
  static constexpr PrintedNumber table[] = {
      {"binomial-ring-model", 2.0 / 3, "binomial, longest messages, ring of 8: links, modelled",
       rectangular, "§4.5"},
      {"binomial-ring-measured", 0.5, "binomial, longest messages, ring of 8: links, measured",
       rectangular, "§4.5"},
      {"mm-8192-efficiency", 0.24, "n = 8192: efficiency of 2.5D", rectangular, "§3.2.2"},
      {"mm-8192-speed-up", 8.7, "n = 8192: speed-up of 2.5D over Cannon's algorithm", rectangular,
       "§3.2.2"},
      {"mm-131072-efficiency", 0.76, "n = 131072: efficiency of 2.5D", rectangular, "§3.2.2"},
      {"mm-131072-petaflops", 0.16, "n = 131072: Pflop/s of 2.5D", rectangular, "§3.2.2"},
      {"mm-131072-saved", 0.956, "n = 131072: share of 2D SUMMA's communication that 2.5D saves",
       rectangular, "§3.2.2"},
      {"lu-saved", 0.819, "n = 131072: share of communication saved, no pivoting", rectangular,
       "§3.2.2"},
      {"lu-saved-tournament", 0.859, "n = 131072: share of communication saved, tournament",
       rectangular, "§3.2.2"},
      {"lu-speed-up", 2.1, "n = 131072: speed-up, no pivoting", rectangular, "§3.2.2"},
      {"mm-exascale-2d", 0.80, "efficiency on 64 planes, 2D, binomial", rectangular, "§1"},
      {"mm-exascale-binomial", 0.87, "efficiency on 64 planes, 2.5D, binomial", rectangular, "§1"},
      {"mm-exascale-rectangular", 0.95, "efficiency on 64 planes, 2.5D, rectangular", rectangular,
       "§1"},
      {"lu-exascale-2d", 0.20, "efficiency on 64 planes, 2D, binomial", rectangular, "§1"},
      {"lu-exascale-binomial", 0.42, "efficiency on 64 planes, 2.5D, binomial", rectangular, "§1"},
      {"lu-exascale-rectangular", 0.80, "efficiency on 64 planes, 2.5D, rectangular", rectangular,
       "§1"},
      {"lu-exascale-speed-up", 4.5, "speed-up of 2.5D rectangular over 2D", rectangular, "§5.4"},
      {"lu-exascale-saved", 0.95, "share of 2D's communication that 2.5D rectangular saves",
       rectangular, "§5.4"},

      {"groups-2048", 2.08, "reduction of communication, 2048 cores, measured", hsumma, "abstract"},
      {"groups-16384", 5.89, "reduction of communication, 16384 cores, measured", hsumma,
       "abstract"},

      {"idle-ranks", 64, "ranks used of 65", cosma, "figure 5"},
      {"idle-words", 0.36, "share of words saved by one idle rank", cosma, "figure 5"},
      {"tile-10-megabytes", 0.0003, "sequential schedule with 10 MB: words beyond the bound", cosma,
       "abstract"},
      {"cosma-4096-peak", 0.35, "n = 16384, 4096 cores: COSMA's share of peak", cosma, "§9"},
      {"cosma-9216-seconds", 0.142, "n = 16384, 9216 cores: COSMA, seconds", cosma, "§9"},
      {"ctf-9216-seconds", 0.600, "n = 16384, 9216 cores: CTF, seconds", cosma, "§9"},
      {"ctf-9217-seconds", 1.613, "n = 16384, 9217 cores: CTF, seconds", cosma, "§9"},
      {"square-recursive", 1.7320508075688772, "square, limited memory: recursive over COSMA",
       cosma, "table 3's caption: √3"},
      {"tall-recursive", 1.08, "tall, extra memory: recursive over COSMA", cosma,
       "table 3's caption: 8%"},
      {"tall-cosma", 0.69, "tall, extra memory: COSMA's words over p", cosma, "table 3"},
      {"square-scalapack", 203, "square, strong scaling: ScaLAPACK, MB", cosma, "table 4"},
      {"square-ctf", 222, "square, strong scaling: CTF, MB", cosma, "table 4"},
      {"square-carma", 195, "square, strong scaling: CARMA, MB", cosma, "table 4"},
      {"square-cosma", 107, "square, strong scaling: COSMA, MB", cosma, "table 4"},
      {"largeK-scalapack", 2636, "largeK, strong scaling: ScaLAPACK, MB", cosma, "table 4"},
      {"largeK-ctf", 2278, "largeK, strong scaling: CTF, MB", cosma, "table 4"},
      {"largeK-carma", 659, "largeK, strong scaling: CARMA, MB", cosma, "table 4"},
      {"largeK-cosma", 545, "largeK, strong scaling: COSMA, MB", cosma, "table 4"},
      {"largeM-scalapack", 3507, "largeM, strong scaling: ScaLAPACK, MB", cosma, "table 4"},
      {"largeM-ctf", 2024, "largeM, strong scaling: CTF, MB", cosma, "table 4"},
      {"largeM-carma", 541, "largeM, strong scaling: CARMA, MB", cosma, "table 4"},
      {"largeM-cosma", 410, "largeM, strong scaling: COSMA, MB", cosma, "table 4"},
      {"flat-scalapack", 134, "flat, strong scaling: ScaLAPACK, MB", cosma, "table 4"},
      {"flat-ctf", 68, "flat, strong scaling: CTF, MB", cosma, "table 4"},
      {"flat-carma", 10, "flat, strong scaling: CARMA, MB", cosma, "table 4"},
      {"flat-cosma", 7, "flat, strong scaling: COSMA, MB", cosma, "table 4"},

      {"sd-cannon-speed-up", 1.5, "Cannon's time over SD-Cannon's on 8x8 nodes, at most, measured",
       sd_cannon, "§4"},
  };
};

std::span<const PrintedNumber> printed_numbers() {
  return PrintedNumbers::table;
}

const PrintedNumber& printed(std::string_view name) {
  const auto all = printed_numbers();
  const auto found = std::ranges::find(all, name, &PrintedNumber::name);
  if (found == all.end())
    throw Error(ErrorCode::internal,
                fmt::format("no paper's number '{}' is listed: add it to the table", name));
  return *found;
}

}  // namespace cuboid::detail::tools
