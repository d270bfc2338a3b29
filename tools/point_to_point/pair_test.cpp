#include "tools/point_to_point/pair_test.hpp"

#include <algorithm>
#include <array>

namespace cuboid::detail::tools {

namespace {

using enum Quantity;

constexpr std::array tests = {
    PairTest{.name = "latency",
             .help = "Time of one message between ranks 0 and 1: half of a round trip",
             .osu = "MPI Latency Test",
             .quantity = latency,
             .arrival = Arrival::both,
             .loop = ping_pong},
    PairTest{.name = "bw",
             .help = "Bandwidth of a window of messages from rank 0 to rank 1",
             .osu = "MPI Bandwidth Test",
             .quantity = bandwidth,
             .arrival = Arrival::second,
             .windowed = true,
             .loop = stream},
    PairTest{
        .name = "bibw",
        .help =
            "Bandwidth between ranks 0 and 1 with a window of messages in each direction at once",
        .osu = "MPI Bi-Directional Bandwidth Test",
        .quantity = bandwidth,
        .arrival = Arrival::both,
        .windowed = true,
        .directions = 2,
        .loop = both_ways},
    PairTest{.name = "multi_lat",
             .help = "Time of one message in many pairs of ranks at once",
             .osu = "MPI Multi Latency Test",
             .quantity = latency,
             .arrival = Arrival::both,
             .many = true,
             .loop = ping_pong},
    PairTest{.name = "mbw_mr",
             .help = "Bandwidth and message rate of many pairs of ranks at once",
             .osu = "MPI Multiple Bandwidth / Message Rate Test",
             .quantity = message_rate,
             .arrival = Arrival::second,
             .many = true,
             .windowed = true,
             .loop = stream},
    PairTest{.name = "put_latency",
             .help = "Time to write to another rank's memory, until completion",
             .osu = "MPI_Put Latency Test",
             .quantity = latency,
             .arrival = Arrival::put,
             .loop = put_loop},
    PairTest{.name = "put_bw",
             .help = "Bandwidth of a window of writes to another rank's memory",
             .osu = "MPI_Put Bandwidth Test",
             .quantity = bandwidth,
             .arrival = Arrival::put,
             .windowed = true,
             .loop = put_loop},
    PairTest{.name = "get_latency",
             .help = "Time to read another rank's memory",
             .osu = "MPI_Get latency Test",
             .quantity = latency,
             .arrival = Arrival::got,
             .loop = get_loop},
    PairTest{.name = "get_bw",
             .help = "Bandwidth of a window of reads of another rank's memory",
             .osu = "MPI_Get Bandwidth Test",
             .quantity = bandwidth,
             .arrival = Arrival::got,
             .windowed = true,
             .loop = get_loop},
    PairTest{.name = "get_overlap",
             .help = "Overlap of a read of another rank's memory with computation",
             .osu = "",
             .quantity = overlap,
             .arrival = Arrival::got,
             .overlapped = get_to_overlap},
    PairTest{.name = "send_overlap",
             .help = "Overlap of a message with computation on both ranks",
             .osu = "",
             .quantity = overlap,
             .arrival = Arrival::second,
             .overlapped = message_to_overlap},
    PairTest{.name = "direct_read",
             .help = "Bandwidth of adding up numbers in another rank's memory by direct loads",
             .osu = "",
             .quantity = bandwidth,
             .arrival = Arrival::where_it_is,
             .loop = read_direct},
    PairTest{.name = "copied_read",
             .help = "Bandwidth of adding up numbers in a copy of another rank's memory",
             .osu = "",
             .quantity = bandwidth,
             .arrival = Arrival::got,
             .loop = read_copied}};

}  // namespace

std::span<const PairTest> pair_tests() {
  return tests;
}

const PairTest& pair_test(std::string_view name) {
  return *std::ranges::find_if(tests, [&](const PairTest& test) { return name == test.name; });
}

}  // namespace cuboid::detail::tools
