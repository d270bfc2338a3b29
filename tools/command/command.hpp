#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/error.hpp>

#include <functional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The exit codes of the command. They are part of its interface.
enum class ExitCode {
  done = 0,
  failed = 1,  ///< a file, memory or communication failed, or a check did not hold
  /// The command line or an environment variable is invalid or unsupported; nothing was done.
  usage = 2,
  interrupted = 130,  ///< by a signal; what was measured before is written, and marked
};

/// Error(invalid_argument) means wrong usage, any other error a failed run.
ExitCode exit_code_for(const Error& error);

/// What a subcommand shares with the command it belongs to.
///
/// A subcommand is a pair of files tools/NAME.hpp, tools/NAME.cpp with one function
///
///   void add_NAME_command(CLI::App& app, CommandContext& context);
///
/// which adds itself to `app` and, in the callback that CLI11 calls when the user has chosen it,
/// sets `context.action`. Nothing happens before the whole command line has been read. The action
/// - gets its ranks from Ranks (ranks.hpp), threads of this process or those of an MPI launcher;
/// - throws Error: `cuboid` turns it into one line on standard error and the exit code, so messages
///   name the flag or file, the value and the remedy;
/// - with --json prints one object with print_json(), and nothing else, to standard output.
struct CommandContext {
  Environment environment;
  std::function<ExitCode()> action;
};

/// Reserves standard output for print_json() and print_text(). Libraries' output to it, such as
/// UCX's log, goes to standard error from now on. To be called once, before anything is printed.
void claim_standard_output();

/// Where print_text() writes: for handlers of signals.
int output_descriptor();

/// JSON on one line. Numbers that are not finite become null.
std::string json_text(const nlohmann::ordered_json& object);

/// The object with what made it (provenance.hpp), unless it says so already.
nlohmann::ordered_json with_provenance(nlohmann::ordered_json object);

/// Prints one JSON object, with its provenance, and a newline to standard output. Throws Error(io)
/// if the output fails.
void print_json(nlohmann::ordered_json object);

/// Prints text to standard output. Throws Error(io) if that fails.
void print_text(std::string_view text);

/// Prints a result, as JSON from its to_json() or as text from its to_text().
template <class Result>
void print_result(const Result& result, bool json) {
  if (json) {
    print_json(to_json(result));
  } else {
    print_text(to_text(result));
  }
}

/// What print_result() prints of a result that is incomplete, marked as interrupted.
template <class Result>
std::string interrupted_text(const Result& result, bool json) {
  if (!json) return to_text(result) + "interrupted\n";
  auto object = with_provenance(to_json(result));
  object["interrupted"] = true;
  return json_text(object) + "\n";
}

/// Prints "cuboid: error: message" as one line to standard error.
void print_error(std::string_view message);

}  // namespace cuboid::detail::tools
