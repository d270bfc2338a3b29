#pragma once

#include "tools/experiment/experiment_cases.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What a run took, or should take. What is not known is left out.
struct Costs {
  std::optional<double> seconds;
  std::optional<double> compute;  ///< this and the next three: see TimeSplit
  std::optional<double> exchange_hidden;
  std::optional<double> exchange_shown;
  std::optional<double> idle;
  std::optional<double> bytes_received_max;  ///< of the busiest rank
  std::optional<double> bytes_sent_mean;
  std::optional<double> messages_max;
  std::optional<double> gflops;
  std::optional<double> percent_of_peak;  ///< see rate_by_peak()
  std::optional<double> bandwidth;        ///< bytes of a collective's message per second
  std::optional<double> mpi_bandwidth;    ///< of the MPI library's
};

/// One of the costs, by name.
struct CostColumn {
  std::string_view name;
  std::optional<double> Costs::*member;
};

/// All of them, in the order in which tables show them.
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

/// A case and what came of it.
struct Row {
  Case one;
  std::string command;  ///< as it was run
  Costs measured;
  Costs modelled;
  double gemm_flops = 0;  ///< flop/s of one rank's gemm, as the prediction has it; 0 if unknown
  std::string error;      ///< empty: it ran
};

/// Reads what `cuboid mm`, `lu` or `bench` has printed with --json. Throws Error(parse) if a key is
/// missing.
void read_measured(Work work, const nlohmann::ordered_json& result, Row& row);

/// Fills in the percents of peak. The peak is that of the fastest gemm that any of the runs has
/// found, on every rank: a disturbance makes a gemm slower, never faster.
void rate_by_peak(std::vector<Row>& rows);

/// Reads what `cuboid model mm --json` has printed of one algorithm.
void read_modelled_product(const nlohmann::ordered_json& result, Row& row);

/// The arguments of `cuboid model` for the collective that `cuboid bench` has measured; empty where
/// its network is unknown.
std::vector<std::string> model_of_collective(const nlohmann::ordered_json& result,
                                             const std::string& parameters);
/// Reads what that printed.
void read_modelled_collective(const nlohmann::ordered_json& result, Row& row);

}  // namespace cuboid::detail::tools
