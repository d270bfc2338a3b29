#include "tools/point_to_point/pair_measurement.hpp"

#include <algorithm>
#include <array>

namespace cuboid::detail::tools {

namespace {

using enum Quantity;

constexpr std::array tests = {
    PairMeasurement{.name = "latency",
                    .help = "Time of one message between ranks 0 and 1: half of a round trip",
                    .osu = "MPI Latency Test",
                    .quantity = latency,
                    .arrival = ArrivalSide::both,
                    .loop = ping_pong},
    PairMeasurement{.name = "bw",
                    .help = "Bandwidth of a window of messages from rank 0 to rank 1",
                    .osu = "MPI Bandwidth Test",
                    .quantity = bandwidth,
                    .arrival = ArrivalSide::second,
                    .windowed = true,
                    .loop = stream},
    PairMeasurement{
        .name = "bibw",
        .help =
            "Bandwidth between ranks 0 and 1 with a window of messages in each direction at once",
        .osu = "MPI Bi-Directional Bandwidth Test",
        .quantity = bandwidth,
        .arrival = ArrivalSide::both,
        .windowed = true,
        .directions = 2,
        .loop = both_ways},
    PairMeasurement{.name = "multi_lat",
                    .help = "Time of one message in many pairs of ranks at once",
                    .osu = "MPI Multi Latency Test",
                    .quantity = latency,
                    .arrival = ArrivalSide::both,
                    .many = true,
                    .loop = ping_pong},
    PairMeasurement{.name = "mbw_mr",
                    .help = "Bandwidth and message rate of many pairs of ranks at once",
                    .osu = "MPI Multiple Bandwidth / Message Rate Test",
                    .quantity = message_rate,
                    .arrival = ArrivalSide::second,
                    .many = true,
                    .windowed = true,
                    .loop = stream},
    PairMeasurement{.name = "put_latency",
                    .help = "Time to write to another rank's memory, until completion",
                    .osu = "MPI_Put Latency Test",
                    .quantity = latency,
                    .arrival = ArrivalSide::put,
                    .loop = put_loop},
    PairMeasurement{.name = "put_bw",
                    .help = "Bandwidth of a window of writes to another rank's memory",
                    .osu = "MPI_Put Bandwidth Test",
                    .quantity = bandwidth,
                    .arrival = ArrivalSide::put,
                    .windowed = true,
                    .loop = put_loop},
    PairMeasurement{.name = "get_latency",
                    .help = "Time to read another rank's memory",
                    .osu = "MPI_Get latency Test",
                    .quantity = latency,
                    .arrival = ArrivalSide::got,
                    .loop = get_loop},
    PairMeasurement{.name = "get_bw",
                    .help = "Bandwidth of a window of reads of another rank's memory",
                    .osu = "MPI_Get Bandwidth Test",
                    .quantity = bandwidth,
                    .arrival = ArrivalSide::got,
                    .windowed = true,
                    .loop = get_loop},
    PairMeasurement{.name = "get_overlap",
                    .help = "Overlap of a read of another rank's memory with computation",
                    .osu = "",
                    .quantity = overlap,
                    .arrival = ArrivalSide::got,
                    .overlapped = get_to_overlap},
    PairMeasurement{.name = "send_overlap",
                    .help = "Overlap of a message with computation on both ranks",
                    .osu = "",
                    .quantity = overlap,
                    .arrival = ArrivalSide::second,
                    .overlapped = message_to_overlap},
    PairMeasurement{
        .name = "direct_read",
        .help = "Bandwidth of adding up numbers in another rank's memory by direct loads",
        .osu = "",
        .quantity = bandwidth,
        .arrival = ArrivalSide::where_it_is,
        .loop = read_direct},
    PairMeasurement{.name = "copied_read",
                    .help = "Bandwidth of adding up numbers in a copy of another rank's memory",
                    .osu = "",
                    .quantity = bandwidth,
                    .arrival = ArrivalSide::got,
                    .loop = read_copied}};

}  // namespace

std::span<const PairMeasurement> pair_measurements() {
  return tests;
}

const PairMeasurement& pair_measurement(std::string_view name) {
  return *std::ranges::find_if(tests,
                               [&](const PairMeasurement& test) { return name == test.name; });
}

}  // namespace cuboid::detail::tools
