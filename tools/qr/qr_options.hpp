#pragma once

#include <cuboid/element.hpp>
#include <cuboid/qr.hpp>

#include "tools/command/system_problem.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// Which of the two commands runs.
enum class QrCommand { qr, lstsq };

/// The flags of `cuboid qr` and `cuboid lstsq` as the user gave them. Empty texts and optionals
/// were not given.
struct QrFlags : SystemFlags {
  std::string grid;
  std::optional<std::int64_t> block;
  // Of qr.
  std::string q, r, factors;
  // Of lstsq, as b and rhs are.
  std::string output;
};

/// Declares the flags on the subcommand.
void declare_flags(CLI::App& command, QrCommand which, QrFlags& flags);

/// What is to be computed, as far as the command line says it: flags read and found consistent.
struct QrRunOptions {
  QrCommand command;
  QrFlags flags;
  std::optional<ElementType> type;
  QrOptions how;

  bool from_files() const { return !flags.a.empty(); }
};

/// Throws Error(invalid_argument) naming the flag, its value and the remedy.
QrRunOptions read_flags(QrCommand which, const QrFlags& flags);

/// A least-squares problem with fewer rows than columns is solved with the factors of Aᴴ.
inline bool factorises_adjoint(QrCommand which, const SystemProblem& problem) {
  return which == QrCommand::lstsq && problem.m < problem.n;
}

/// Decides on the problem, reading the headers of the input files. Throws Error(invalid_argument)
/// where shapes do not fit or the type cannot hold the input; Error(io) or Error(parse) for the
/// files.
SystemProblem plan_problem(const QrRunOptions& options);

}  // namespace cuboid::detail::tools
