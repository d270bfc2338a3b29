#include "tools/output/run_summary.hpp"

#include "tools/output/number.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

std::string bytes_text(std::uint64_t count) {
  return bytes_to_string(static_cast<double>(count));
}

std::string ranks_line(const RunSummary& run) {
  return fmt::format("ranks       {}, {} thread{} each\n", run.ranks, run.threads,
                     run.threads == 1 ? "" : "s");
}

std::string time_line(const RunSummary& run, double gflops) {
  return fmt::format("time        {:.4f} s{}, {:.1f} GFLOP/s\n", run.seconds,
                     run.repeats > 1 ? fmt::format(" (median of {})", run.repeats) : "", gflops);
}

std::string traffic_line(const RunSummary& run, const std::string& more) {
  return fmt::format("traffic     {} sent in total; busiest rank: {} sent in {} messages{}\n",
                     bytes_text(run.bytes_sent_total), bytes_text(run.bytes_sent_max),
                     run.messages_max, more);
}

std::string memory_line(const RunSummary& run, const std::string& more) {
  return fmt::format("memory      peak of {} per rank{}{}\n", bytes_text(run.peak_memory_bytes_max),
                     run.ranks_in_process > 1 ? ", an equal share of the process's peak" : "",
                     more);
}

void put_ranks(nlohmann::ordered_json& object, const RunSummary& run) {
  object["ranks"] = run.ranks;
  object["ranks_per_process"] = run.ranks_in_process;
  object["threads"] = run.threads;
  object["transport"] = run.transport;
}

void put_time(nlohmann::ordered_json& object, const RunSummary& run, double gflops) {
  object["repeats"] = run.repeats;
  object["seconds"] = run.seconds;
  object["gflops"] = gflops;
}

}  // namespace cuboid::detail::tools
