#include "tools/command/completion.hpp"

#include "tools/output/flag_values.hpp"

#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::vector<std::string> subcommands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({}))
    names.push_back(subcommand->get_name());
  return names;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return flags;
}

/// Branches of a shell's `case` for all subcommands below `app`, which is reached by the words
/// `path`, e.g. " bench": patterns such as ' bench latency', and the words that may follow each.
void append_cases(const CLI::App& app, const std::string& path, std::vector<std::string>& paths,
                  std::string& cases) {
  for (const CLI::App* subcommand : app.get_subcommands({})) {
    paths.push_back(fmt::format("'{} {}'", path, subcommand->get_name()));
    cases += fmt::format("    {}) echo '{} {}' ;;\n", paths.back(),
                         fmt::join(subcommands_of(*subcommand), " "),
                         fmt::join(flags_of(*subcommand), " "));
    append_cases(*subcommand, path + " " + subcommand->get_name(), paths, cases);
  }
}

/// A shell function that prints what may follow the words that it is given: subcommands and flags.
/// Words that are no subcommands, such as flags and their values, are passed over.
std::string words_function(const CLI::App& app) {
  std::vector<std::string> paths;
  std::string cases;
  append_cases(app, "", paths, cases);
  const std::string subcommands = fmt::format("{}", fmt::join(subcommands_of(app), " "));
  return fmt::format(R"shell(_cuboid_words() {{
  local command= word
  for word in "$@"; do
    case "$command $word" in
      {0}) command="$command $word" ;;
    esac
  done
  case "$command" in
    '') echo '{1} {2}' ;;
    ' help') echo '{1}' ;;
{3}  esac
}}
)shell",
                     fmt::join(paths, " | "), subcommands, fmt::join(flags_of(app), " "), cases);
}

/// Words that are not flags are completed as files: -o default.
constexpr const char* bash_completion = R"shell(_cuboid() {
  COMPREPLY=($(compgen -W "$(_cuboid_words "${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _cuboid cuboid
)shell";

/// As a file _cuboid of zsh's $fpath the script is the body of the function _cuboid, so it
/// completes at once.
constexpr const char* zsh_completion = R"shell(_cuboid() {
  compadd -- ${=$(_cuboid_words "${(@)words[2,CURRENT-1]}")}
  _files
}
if [ "$funcstack[1]" = _cuboid ]; then _cuboid; else compdef _cuboid cuboid; fi
)shell";

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  if (shell == "bash") return words_function(app) + bash_completion;
  if (shell == "zsh") return "#compdef cuboid\n" + words_function(app) + zsh_completion;
  refuse(fmt::format("completion {}: give bash or zsh", shell));
}

}  // namespace cuboid::detail::tools
