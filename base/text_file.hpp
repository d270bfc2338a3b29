#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// The content of a topology file, from any source.
struct TextFile {
  std::string name;  ///< its path, or what it stands for; for messages
  std::string text;
  /// The files that its "Include" lines name, with the files that these include, as far as they
  /// were read.
  std::vector<TextFile> included = {};
};

/// Files larger than this are refused, so that a wrong path cannot fill the memory.
inline constexpr std::size_t largest_topology_file = std::size_t{256} << 20;

/// Reads a whole file, or a pipe through which data comes within 10 s. Throws Error(io) if it
/// cannot be read or is a device, Error(parse) if it is larger than largest_topology_file.
TextFile read_text_file(const std::string& path);

/// Throws Error(parse) with the text "NAME:LINE: reason".
[[noreturn]] void fail_at(const TextFile& file, int line, std::string_view reason);

/// The beginning of a text in quotation marks. It fits into one line of a terminal, whatever bytes
/// the text contains.
std::string in_quotes(std::string_view text);

/// Reads the lines of a file in order, without their ends ("\n" or "\r\n").
class LineReader {
 public:
  explicit LineReader(const TextFile& file) : rest_(file.text) {}

  /// The next line; nullopt after the last line.
  std::optional<std::string_view> next();
  /// The number of the line that next() returned last. The first line is number 1.
  int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

/// Reads one line from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }
  void skip_spaces();
  /// Skips `token` and returns true if it comes next.
  bool take(std::string_view token);
  /// Skips a decimal number and returns it, if it is not negative and fits into an int.
  std::optional<int> take_number();
  /// Skips the text before `end`, and `end` itself, and returns that text. If `end` does not occur,
  /// skips nothing and returns nullopt.
  std::optional<std::string_view> take_until(std::string_view end);
  /// Skips the text up to the next space and returns it; returns an empty text at the end.
  std::string_view take_word();

 private:
  std::string_view rest_;
};

}  // namespace cuboid::detail
