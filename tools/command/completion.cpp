#include "tools/command/completion.hpp"

#include "tools/output/refuse.hpp"

#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::string flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
  }
  return fmt::format("{}", fmt::join(flags, " "));
}

/// Words that are not flags are completed as files: -o default.
std::string bash_script(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* subcommand : app.get_subcommands({})) {
    names.push_back(subcommand->get_name());
    cases += fmt::format("    {}) words='{}' ;;\n", names.back(), flags_of(*subcommand));
  }
  const std::string subcommands = fmt::format("{}", fmt::join(names, " "));
  return fmt::format(R"(_cuboid() {{
  local words='{0} {1}'
  [ "$COMP_CWORD" -gt 1 ] && case ${{COMP_WORDS[1]}} in
    help) words='{0}' ;;
{2}    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _cuboid {3}
)",
                     subcommands, flags_of(app), cases, app.get_name());
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return "autoload -U +X bashcompinit && bashcompinit\n" + bash_script(app);
  refuse(fmt::format("completion {}: give bash or zsh", shell));
}

}  // namespace cuboid::detail::tools
