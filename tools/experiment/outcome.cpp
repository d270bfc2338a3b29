#include "tools/experiment/outcome.hpp"

#include <cuboid/error.hpp>

#include "tools/output/number.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double flops_of_a_gigaflop = 1e9, bytes_of_a_word = 8;

/// Runs `read` and adds the command and the remedy to errors of the JSON library.
template <class Read>
void reading(const Row& row, const Read& read) {
  try {
    read();
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::parse,
                fmt::format("{}: the result has a different format ({}): give another --output",
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

std::optional<double> gflops_of(const CaseExtents& extents, const std::optional<double>& seconds) {
  if (!seconds || *seconds <= 0) return std::nullopt;
  return flops_of(extents) / *seconds / flops_of_a_gigaflop;
}

/// The difference, or 0 if it is no larger than a rounding error.
double beyond_rounding(double difference, double of) {
  constexpr double rounding = 1e-9;
  return difference > rounding * of ? difference : 0;
}

/// Reads a candidate of the planner. If the machine's flop rate is unknown, all seconds are the
/// exchange's.
void read_candidate(const Json& candidate, Row& row) {
  Costs& costs = row.modelled;
  const CaseExtents& extents = row.one.extents;
  const auto computed = number(candidate.at("compute_seconds"));
  const double busiest = computed.value_or(0);
  const double apart = candidate.at("communicate_seconds");
  const double seconds = candidate.at("seconds");
  const double work = candidate.at("multiplications_max");
  const double mean = flops_of(extents) / 2 / row.one.ranks;
  costs.seconds = seconds;
  costs.exchange_shown = beyond_rounding(seconds - busiest, seconds);
  costs.exchange_hidden = beyond_rounding(apart - *costs.exchange_shown, apart);
  costs.bytes_received_max = candidate.at("words_max").get<double>() * bytes_of_a_word;
  costs.messages_max = number(candidate.at("messages_max"));
  if (!computed) return;
  costs.compute = work > 0 ? busiest * std::min(1.0, mean / work) : busiest;
  costs.idle = beyond_rounding(busiest - *costs.compute, busiest);
  costs.gflops = gflops_of(extents, costs.seconds);
  if (busiest > 0) row.gemm_flops = 2 * work / busiest;
}

/// Reads the planner's choice. If it does not fit into the memory, the row has an error instead.
void read_plan(const Json& result, Row& row) {
  const Json& candidate = result.at("candidates").at(0);
  if (candidate.at("fits").get<bool>()) return read_candidate(candidate, row);
  row.error = fmt::format("needs {} of memory per rank, has {}",
                          bytes_to_string(candidate.at("memory_bytes").get<double>()),
                          bytes_to_string(result.at("memory_bytes").get<double>()));
}

void read_product(const Json& result, Row& row) {
  Costs& costs = row.measured;
  costs.seconds = number(result.at("seconds"));
  read_split(result.at("split"), costs);
  costs.bytes_received_max = number(result.at("bytes_received_max"));
  costs.bytes_sent_mean = result.at("bytes_sent_total").get<double>() / row.one.ranks;
  costs.messages_max = number(result.at("messages_max"));
  costs.gflops = gflops_of(row.one.extents, costs.seconds);
  read_candidate(result.at("plan"), row);
}

double all_but_updates(const Json& phases) {
  double seconds = 0;
  for (const char* phase : {"panel", "rows", "multicast", "interchange"})
    seconds += phases.at(phase).get<double>();
  return seconds;
}

/// Reads the result of a factorisation. It computes and exchanges panels in one step. So all time
/// except that of the updates counts as exchange, and the part that overlaps with the updates is
/// unknown.
void read_factorisation(const Json& result, Row& row) {
  Costs& costs = row.measured;
  costs.seconds = number(result.at("seconds"));
  const Json& phases = result.at("phases");
  costs.compute = number(phases.at("update"));
  costs.exchange_shown = all_but_updates(phases);
  costs.idle = std::max(0.0, *costs.seconds - *costs.compute - *costs.exchange_shown);
  costs.bytes_sent_mean = result.at("bytes_sent_total").get<double>() / row.one.ranks;
  costs.messages_max = number(result.at("messages_max"));
  costs.gflops = number(result.at("gflops"));
  row.modelled.seconds = number(result.at("predicted_seconds"));
  row.modelled.compute = number(result.at("predicted_phases").at("update"));
  row.modelled.exchange_shown = all_but_updates(result.at("predicted_phases"));
  if (*row.modelled.seconds > 0)
    row.modelled.gflops = *costs.gflops * *costs.seconds / *row.modelled.seconds;
}

/// Reads the prediction of 2.5D LU, step by step. Nothing is hidden.
void read_modelled_factorisation(const Json& result, Row& row) {
  const Json& only = result.at("results").at(0);
  Costs& costs = row.modelled;
  costs.seconds = number(only.at("seconds"));
  costs.compute = number(result.at("compute_seconds"));
  if (!costs.compute) return;
  costs.exchange_shown = *costs.seconds - *costs.compute;
  const auto n = static_cast<double>(row.one.extents.n);
  const double flops = 2.0 / 3 * n * n * n;
  costs.gflops = flops / *costs.seconds / flops_of_a_gigaflop;
  row.gemm_flops = flops / *costs.compute / row.one.ranks;
}

/// Flop/s of one rank's gemm, the faster one of predicted and measured; 0 if unknown.
double fastest_gemm(const Row& row) {
  const Costs& costs = row.measured;
  if (row.gemm_flops <= 0 || !costs.gflops || !costs.compute || *costs.compute <= 0)
    return row.gemm_flops;
  const double flops = *costs.gflops * flops_of_a_gigaflop * *costs.seconds;
  return std::max(row.gemm_flops, flops / row.one.ranks / *costs.compute);
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

void rate_by_peak(std::vector<Row>& rows) {
  double fastest = 0;
  for (const Row& row : rows)
    fastest = std::max(fastest, fastest_gemm(row) / row.one.cores_per_rank);
  if (fastest <= 0) return;
  for (Row& row : rows) {
    const double cores = double{1} * row.one.ranks * row.one.cores_per_rank;
    const double peak = fastest * cores / flops_of_a_gigaflop;
    for (Costs* const costs : {&row.measured, &row.modelled})
      if (costs->gflops) costs->percent_of_peak = 100 * *costs->gflops / peak;
  }
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

void read_modelled(Work work, const Json& result, Row& row) {
  reading(row, [&] {
    switch (work) {
      case Work::multiply: read_plan(result, row); break;
      case Work::factorise: read_modelled_factorisation(result, row); break;
      case Work::collective: {
        const Json& first = result.at("results").at(0);
        row.modelled.seconds = number(first.at("seconds"));
        row.modelled.bandwidth = number(first.at("bandwidth_bytes_per_second"));
      }
    }
  });
}

}  // namespace cuboid::detail::tools
