#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// A topology file's content, wherever it came from.
struct TextFile {
  std::string name;  ///< for messages: its path, or what it stands for
  std::string text;
  /// The files that its "Include" lines name, and theirs, where they were read with it.
  std::vector<TextFile> included = {};
};

/// Files larger than this are refused, so that a wrong path cannot fill the memory.
inline constexpr std::size_t largest_topology_file = std::size_t{256} << 20;

/// Reads a whole file, or a pipe through which something comes within 10 s. Throws Error(io) where
/// it cannot be read or is a device, Error(parse) where it is larger than largest_topology_file.
TextFile read_text_file(const std::string& path);

/// Throws Error(parse) "NAME:LINE: reason".
[[noreturn]] void fail_at(const TextFile& file, int line, std::string_view reason);

/// The beginning of a text in quotation marks, fit for one line of a terminal whatever bytes it
/// holds.
std::string in_quotes(std::string_view text);

/// The lines of a file, one after the other, without their ends ("\n" or "\r\n").
class LineReader {
 public:
  explicit LineReader(const TextFile& file) : rest_(file.text) {}

  /// The next line, or nullopt after the last.
  std::optional<std::string_view> next();
  /// The number of the line that next() gave last; the first is 1.
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
  /// Steps over `token` where it stands next.
  bool take(std::string_view token);
  /// Steps over a decimal number that fits an int and is not negative.
  std::optional<int> take_number();
  /// Steps over everything before `end` and `end` itself; nullopt, and no step, where `end` does
  /// not occur.
  std::optional<std::string_view> take_until(std::string_view end);
  /// Steps over everything up to the next space; empty at the end.
  std::string_view take_word();

 private:
  std::string_view rest_;
};

}  // namespace cuboid::detail
