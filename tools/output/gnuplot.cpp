#include "tools/output/gnuplot.hpp"

#include <cuboid/error.hpp>

#include "base/child_process.hpp"
#include "base/xml_text.hpp"
#include "tools/provenance/provenance.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail::tools {

namespace {

namespace fs = std::filesystem;

/// A temporary file of gnuplot commands, removed by the destructor.
class Script {
 public:
  explicit Script(std::string_view commands)
      : path_((fs::temp_directory_path() / "cuboid-plot-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) throw Error(ErrorCode::io, fmt::format("cannot create the file {}", path_));
    close(file);
    std::ofstream(path_) << commands;
  }
  ~Script() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

ChildResult run_gnuplot(const std::string& argument) {
  constexpr std::chrono::minutes longest_drawing{10};
  return run_child({"gnuplot", argument}, {}, longest_drawing);
}

bool installed() {
  try {
    return run_gnuplot("--version").done();
  } catch (const Error&) {
    return false;
  }
}

constexpr std::string_view missing = "gnuplot draws the plots and is not installed";
constexpr std::string_view remedy = ": install it (Debian: gnuplot-nox)";

}  // namespace

void require_gnuplot() {
  if (!installed()) throw Error(ErrorCode::unsupported, fmt::format("{}{}", missing, remedy));
}

bool plots_can_be_drawn(const Logger& logger) {
  if (installed()) return true;
  logger.warn(fmt::format("{}; results are written without plots{}", missing, remedy));
  return false;
}

std::string in_gnuplot_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

std::string plot_svg(const std::string& title, const std::string& commands, const std::string& data,
                     PlotSize size) {
  const Script script(
      fmt::format("set terminal svg size {},{} font 'sans-serif,12' background 'white'\n"
                  "$data << END_OF_DATA\n{}END_OF_DATA\n{}",
                  size.width, size.height, data, commands));
  const ChildResult drawn = run_gnuplot(script.path());
  const std::size_t start = drawn.output.find("<svg");
  if (!drawn.done() || start == std::string::npos)
    throw Error(ErrorCode::io, fmt::format("gnuplot failed: {}", drawn.errors));
  std::string svg = drawn.output.substr(start);
  constexpr std::string_view own_title = "<title>Gnuplot</title>";
  if (const std::size_t at = svg.find(own_title); at != std::string::npos)
    svg.erase(at, own_title.size());
  const std::size_t inside = svg.find('>') + 1;
  return svg.insert(inside, fmt::format("\n<title>{}</title>\n<metadata>\n{}</metadata>",
                                        xml_text(title), xml_text(provenance_lines(""))));
}

}  // namespace cuboid::detail::tools
