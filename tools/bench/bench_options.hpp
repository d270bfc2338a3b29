#pragma once

#include <cuboid/buffer.hpp>

#include "collectives/types/collective.hpp"
#include "tools/bench/bench_case.hpp"
#include "tools/bench/sub_box.hpp"
#include "tools/measurement/run_flags.hpp"

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The flags of `cuboid bench`, as the user gave them.
struct BenchFlags {
  RunFlags run;
  std::string operation;
  std::vector<std::string> subcommands;  ///< that a misspelt operation may have meant
  std::string type;
  std::string algorithm = "auto";
  std::string call = "blocking";
  std::string output;
  std::optional<int> root;
  std::optional<int> lines;
  std::string sub_box;
  std::string memory = "host";
  bool in_place = false;
  bool samples = false;
  bool calibrate = false;
};

/// The form in which an operation is called.
enum class CallForm {
  blocking,
  nonblocking,  ///< started, then waited for, with computation between the two
  persistent    ///< planned once, then run many times
};
std::string to_string(CallForm form);

/// The options of a measurement.
struct BenchOptions {
  RunOptions run;
  Operation operation = Operation::barrier;
  bool v_form = false;  ///< the call passes a list of the blocks' lengths
  CallForm call = CallForm::blocking;
  Datatype type = Datatype::Kind::float64;
  /// Names of algorithms; "" is the one that Cuboid chooses.
  std::vector<std::string> algorithms;
  bool all_algorithms = false;  ///< algorithms that cannot serve the call are left out
  int root = 0;
  std::optional<int> lines;       ///< the axis whose lines run the operation, all at once
  std::optional<SubBox> sub_box;  ///< the part of the network whose ranks run it
  bool in_place = false;
  BenchMemory memory = BenchMemory::host;
  bool samples = false;  ///< the output has each repetition, not statistics alone

  /// The operation as the user names it, e.g. "allgatherv".
  std::string name() const;
};

/// Declares the flags.
void declare_flags(CLI::App& command, BenchFlags& flags);

/// Throws Error(invalid_argument) naming the flag, its value and the values it can have. Pure,
/// except that --against mpi requires a launcher.
BenchOptions read_flags(const BenchFlags& flags);

/// The operation with this name. Throws Error(invalid_argument) that lists the names.
Operation operation_from(const std::string& name);

}  // namespace cuboid::detail::tools
