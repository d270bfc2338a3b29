#include "tools/experiment/outcome.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double flops_of_a_gigaflop = 1e9, bytes_of_a_word = 8;

/// Errors of the JSON library name neither the command nor the remedy.
template <class Read>
void reading(const Row& row, const Read& read) {
  try {
    read();
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::parse,
                fmt::format("{}: not what this cuboid prints ({}): give another --output",
                            row.command, error.what()));
  }
}

std::optional<double> number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

void read_split(const Json& split, Costs& costs) {
  costs.compute = number(split.at("compute"));
  costs.exchange_hidden = number(split.at("exchange_hidden"));
  costs.exchange_shown = number(split.at("exchange_shown"));
  costs.idle = number(split.at("idle"));
}

double flops_of(const CaseExtents& extents) {
  return 2 * static_cast<double>(extents.m) * static_cast<double>(extents.n) *
         static_cast<double>(extents.k);
}

/// Rates, of a run that has taken `costs.seconds`.
/// @param peak  flop/s of all ranks' gemms; 0 if unknown.
void rate(const CaseExtents& extents, double peak, Costs& costs) {
  if (!costs.seconds || *costs.seconds <= 0) return;
  const double flops_per_second = flops_of(extents) / *costs.seconds;
  costs.gflops = flops_per_second / flops_of_a_gigaflop;
  if (peak > 0) costs.percent_of_peak = 100 * flops_per_second / peak;
}

/// A candidate of the planner. Returns the flop/s of all ranks' gemms, by which it is priced.
double read_candidate(const Json& candidate, const Case& one, Costs& costs) {
  const double busiest = candidate.at("compute_seconds");
  const double apart = candidate.at("communicate_seconds");
  const double seconds = candidate.at("seconds");
  const double work = candidate.at("multiplications_max");
  const double mean = flops_of(one.extents) / 2 / one.ranks;
  costs.seconds = seconds;
  costs.compute = work > 0 ? busiest * std::min(1.0, mean / work) : busiest;
  costs.exchange_shown = std::max(0.0, seconds - busiest);
  costs.exchange_hidden = std::max(0.0, apart - *costs.exchange_shown);
  costs.idle = busiest - *costs.compute;
  costs.bytes_received_max = candidate.at("words_max").get<double>() * bytes_of_a_word;
  costs.messages_max = number(candidate.at("messages_max"));
  const double peak = busiest > 0 ? 2 * work / busiest * one.ranks : 0;
  rate(one.extents, peak, costs);
  return peak;
}

void read_product(const Json& result, Row& row) {
  Costs& costs = row.measured;
  costs.seconds = number(result.at("seconds"));
  read_split(result.at("split"), costs);
  costs.bytes_received_max = number(result.at("bytes_received_max"));
  costs.bytes_sent_mean = result.at("bytes_sent_total").get<double>() / row.one.ranks;
  costs.messages_max = number(result.at("messages_max"));
  rate(row.one.extents, read_candidate(result.at("plan"), row.one, row.modelled), costs);
}

/// A factorisation's panels are computed and exchanged in one: all but the updates counts as
/// exchange, and what passes under the updates is unknown.
void read_factorisation(const Json& result, Row& row) {
  Costs& costs = row.measured;
  costs.seconds = number(result.at("seconds"));
  const Json& phases = result.at("phases");
  costs.compute = number(phases.at("update"));
  costs.exchange_shown = 0;
  for (const char* phase : {"panel", "rows", "multicast", "interchange"})
    *costs.exchange_shown += phases.at(phase).get<double>();
  costs.idle = std::max(0.0, *costs.seconds - *costs.compute - *costs.exchange_shown);
  costs.bytes_sent_mean = result.at("bytes_sent_total").get<double>() / row.one.ranks;
  costs.messages_max = number(result.at("messages_max"));
  costs.gflops = number(result.at("gflops"));
  row.modelled.seconds = number(result.at("predicted_seconds"));
  if (*row.modelled.seconds > 0)
    row.modelled.gflops = *costs.gflops * *costs.seconds / *row.modelled.seconds;
}

void read_collective(const Json& result, Row& row) {
  const Json& only = result.at("results").at(0);
  row.measured.seconds = number(only.at("seconds_median"));
  row.measured.bandwidth = number(only.at("bandwidth_bytes_per_second"));
  if (const auto mpi = number(only.at("mpi_seconds_median")))
    row.measured.mpi_bandwidth = static_cast<double>(row.one.bytes) / *mpi;
}

}  // namespace

void read_measured(Work work, const Json& result, Row& row) {
  reading(row, [&] {
    switch (work) {
      case Work::multiply: read_product(result, row); break;
      case Work::factorise: read_factorisation(result, row); break;
      case Work::collective: read_collective(result, row); break;
    }
  });
}

void read_modelled_product(const Json& result, Row& row) {
  reading(row, [&] { read_candidate(result.at("candidates").at(0), row.one, row.modelled); });
}

std::vector<std::string> model_of_collective(const Json& result, const std::string& parameters) {
  const Json shape = result.value("shape", Json());
  if (!shape.is_object() || parameters.empty()) return {};
  std::string network = shape.at("text");
  if (const Json axis = result.value("axis", Json()); axis.is_number()) {
    const std::size_t line = axis;
    network = fmt::format("{}:{}", shape.at("wraps").at(line).get<bool>() ? "torus" : "mesh",
                          shape.at("extents").at(line).get<int>());
  }
  const Json& only = result.at("results").at(0);
  const std::string algorithm = only.at("algorithm");
  return {"model",        result.at("operation"),
          "--network",    network,
          "--parameters", parameters,
          "--size",       std::to_string(only.at("bytes").get<std::int64_t>()),
          "--algorithm",  algorithm.substr(0, algorithm.find(',')),
          "--json"};
}

void read_modelled_collective(const Json& result, Row& row) {
  reading(row, [&] {
    const Json& first = result.at("results").at(0);
    row.modelled.seconds = number(first.at("seconds"));
    row.modelled.bandwidth = number(first.at("bandwidth_bytes_per_second"));
  });
}

}  // namespace cuboid::detail::tools
