#pragma once

#include "tools/experiment/experiment_cases.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The measured or predicted costs of a run. Unknown costs are nullopt.
struct Costs {
  std::optional<double> seconds;
  std::optional<double> compute;  ///< compute and the next three members are those of TimeSplit
  std::optional<double> exchange_hidden;
  std::optional<double> exchange_shown;
  std::optional<double> idle;
  std::optional<double> bytes_received_max;  ///< bytes that the busiest rank receives
  std::optional<double> bytes_sent_mean;
  std::optional<double> messages_max;
  std::optional<double> gflops;
  std::optional<double> percent_of_peak;  ///< see rate_by_peak()
  std::optional<double> bandwidth;        ///< bytes of a collective's message per second
  std::optional<double> mpi_bandwidth;    ///< bandwidth of the MPI library's collective
};

/// One of the costs, with its name.
struct CostColumn {
  std::string_view name;
  std::optional<double> Costs::*member;
};

/// All costs, in the order of tables.
inline constexpr std::array cost_columns = {
    CostColumn{"seconds", &Costs::seconds},
    CostColumn{"compute", &Costs::compute},
    CostColumn{"exchange_hidden", &Costs::exchange_hidden},
    CostColumn{"exchange_shown", &Costs::exchange_shown},
    CostColumn{"idle", &Costs::idle},
    CostColumn{"bytes_received_max", &Costs::bytes_received_max},
    CostColumn{"bytes_sent_mean", &Costs::bytes_sent_mean},
    CostColumn{"messages_max", &Costs::messages_max},
    CostColumn{"gflops", &Costs::gflops},
    CostColumn{"percent_of_peak", &Costs::percent_of_peak},
    CostColumn{"bandwidth", &Costs::bandwidth},
    CostColumn{"mpi_bandwidth", &Costs::mpi_bandwidth}};

/// A case and its results.
struct Row {
  Case one;
  std::string command;  ///< the command that was run
  Costs measured;
  Costs modelled;
  double gemm_flops = 0;  ///< flop/s of one rank's gemm in the prediction; 0 if unknown
  std::string error;      ///< empty if the run succeeded
};

/// Reads the JSON output of `cuboid mm`, `lu` or `bench`. Throws Error(parse) if a key is missing.
void read_measured(Work work, const nlohmann::ordered_json& result, Row& row);

/// Sets the percentages of peak. The peak is the rate of the fastest gemm found in any of the runs,
/// on every core of every rank. A disturbance can only make a gemm slower.
void rate_by_peak(std::vector<Row>& rows);

/// Reads the output of `cuboid model mm` for one algorithm, of `lu` for one number of layers and
/// kind of lines, or of a collective, all with --json. Throws Error(parse) if a key is missing.
void read_modelled(Work work, const nlohmann::ordered_json& result, Row& row);

/// The arguments of `cuboid model` for the collective that `cuboid bench` measured; empty if its
/// network is unknown.
std::vector<std::string> model_of_collective(const nlohmann::ordered_json& result,
                                             const std::string& parameters);
}  // namespace cuboid::detail::tools
