#include "topology/slurm/located_yaml.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr int deepest = 16;

/// A line that holds more than a comment.
struct Line {
  int number = 0;
  std::size_t indentation = 0;  ///< spaces before `text`
  std::string_view text;        ///< without the spaces around it and the comment after it
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// The position after the closing quote of the quoted scalar at the front of `text`; npos if it is
/// not closed. Within single quotes a quote is doubled; within double quotes it follows a
/// backslash.
std::size_t end_of_quoted(std::string_view text) {
  const char quote = text.front();
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      const bool doubled = quote == '\'' && text.substr(at + 1).starts_with('\'');
      if (!doubled) return at + 1;
      ++at;
    }
  }
  return std::string_view::npos;
}

/// True if a quote that follows the text `before` opens a scalar: at the beginning of a line and
/// after a character that separates scalars, but not within a word.
bool may_open_quote(std::string_view before) {
  return before.empty() || std::string_view(" \t[,").find(before.back()) != std::string_view::npos;
}

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::string_view before = line.substr(0, at);
    if (line[at] == '#' && (before.empty() || before.back() == ' ' || before.back() == '\t'))
      return before;
    if ((line[at] != '"' && line[at] != '\'') || !may_open_quote(before)) continue;
    const std::size_t length = end_of_quoted(line.substr(at));
    if (length == std::string_view::npos) return line;
    at += length - 1;
  }
  return line;
}

class YamlParser {
 public:
  explicit YamlParser(const TextFile& file) : file_(file) { split(); }

  LocatedJson parse() {
    if (lines_.empty()) return {};
    LocatedJson document = block(lines_.front().indentation, 1);
    if (next_ < lines_.size()) fail("indented less than what it should belong to");
    return document;
  }

 private:
  void split() {
    LineReader lines(file_);
    bool ended = false;
    while (const auto line = lines.next()) {
      const std::string_view whole = without_comment(*line);
      const std::string_view text = trimmed(whole);
      if (text.empty()) continue;
      const auto refuse = [&](std::string_view why) { fail_at(file_, lines.number(), why); };
      const std::size_t indentation = whole.find_first_not_of(' ');
      if (whole[indentation] == '\t') refuse("a tab where YAML wants spaces");
      if (whole == text && text == "---" && lines_.empty()) continue;
      ended = ended || (whole == text && text == "...");
      if (text == "...") continue;
      if (ended || text == "---" || text.starts_with("--- ")) refuse("a second YAML document");
      lines_.push_back({lines.number(), indentation, text});
    }
  }

  [[noreturn]] void fail(std::string_view reason) const {
    fail_at(file_, lines_[std::min(next_, lines_.size() - 1)].number, reason);
  }

  Line* current() { return next_ < lines_.size() ? &lines_[next_] : nullptr; }

  static bool is_item(const Line& line) {
    return line.text == "-" || line.text.starts_with("- ") || line.text.starts_with("-\t");
  }

  /// Reads the list, mapping or scalar whose first line is the current line.
  LocatedJson block(std::size_t indentation, int depth) {
    if (depth > deepest) fail(fmt::format("nested deeper than {}", deepest));
    if (is_item(*current())) return list(indentation, depth);
    if (key_length(current()->text)) return mapping(indentation, depth);
    LocatedJson value = scalar(current()->text);
    ++next_;
    return value;
  }

  LocatedJson list(std::size_t indentation, int depth) {
    LocatedJson result{current()->number, LocatedJson::List{}};
    auto& items = std::get<LocatedJson::List>(result.value);
    for (Line* line = current(); at(line, indentation) && is_item(*line); line = current()) {
      const std::string_view rest = trimmed(line->text.substr(1));
      if (rest.empty()) {
        items.push_back(below(indentation, depth, false));
      } else {
        // The text after the dash is a block of its own, indented as far as this text.
        line->indentation += line->text.size() - rest.size();
        line->text = rest;
        items.push_back(block(line->indentation, depth + 1));
      }
    }
    check_end_of_block(indentation);
    return result;
  }

  LocatedJson mapping(std::size_t indentation, int depth) {
    LocatedJson result{current()->number, LocatedJson::Members{}};
    auto& members = std::get<LocatedJson::Members>(result.value);
    for (Line* line = current(); at(line, indentation) && !is_item(*line); line = current()) {
      const auto length = key_length(line->text);
      if (!length || *length == 0) fail("expected KEY: VALUE, not " + in_quotes(line->text));
      const LocatedJson key = scalar(trimmed(line->text.substr(0, *length)));
      const auto* name = key.as<std::string>();
      if (name == nullptr) fail("expected KEY: VALUE, not " + in_quotes(line->text));
      if (std::ranges::find(members, *name, &std::pair<std::string, LocatedJson>::first) !=
          members.end())
        fail(fmt::format("the key {} occurs twice", in_quotes(*name)));
      constexpr std::size_t most_keys = 64;
      if (members.size() == most_keys) fail("a mapping with too many keys");
      const std::string_view rest = trimmed(line->text.substr(*length + 1));
      if (rest.empty()) {
        members.emplace_back(*name, below(indentation, depth, true));
      } else {
        members.emplace_back(*name, scalar(rest));
        ++next_;
      }
    }
    check_end_of_block(indentation);
    return result;
  }

  static bool at(const Line* line, std::size_t indentation) {
    return line != nullptr && line->indentation == indentation;
  }

  void check_end_of_block(std::size_t indentation) {
    const Line* line = current();
    if (line != nullptr && line->indentation > indentation)
      fail("indented further than what it should belong to");
  }

  /// Reads the value below the current line, which is a key or a dash without a value. A list below
  /// a key may have the same indentation as the key.
  LocatedJson below(std::size_t indentation, int depth, bool of_key) {
    const int number = current()->number;
    ++next_;
    const Line* line = current();
    const bool deeper = line != nullptr && line->indentation > indentation;
    const bool list_beside = of_key && at(line, indentation) && is_item(*line);
    if (deeper || list_beside) return block(line->indentation, depth + 1);
    return {number, nullptr};
  }

  /// The length of the key before the colon that separates it from its value; nullopt if there is
  /// no key.
  std::optional<std::size_t> key_length(std::string_view text) const {
    std::size_t from = 0;
    if (text.front() == '"' || text.front() == '\'') {
      from = end_of_quoted(text);
      if (from == std::string_view::npos) return std::nullopt;
      from = std::min(text.find_first_not_of(" \t", from), text.size());
      if (from == text.size() || text[from] != ':') return std::nullopt;
    } else if (text.front() == '[') {
      return std::nullopt;
    }
    for (std::size_t colon = text.find(':', from); colon != std::string_view::npos;
         colon = text.find(':', colon + 1)) {
      const std::string_view after = text.substr(colon + 1);
      if (after.empty() || after.front() == ' ' || after.front() == '\t') return colon;
    }
    return std::nullopt;
  }

  LocatedJson scalar(std::string_view text) const {
    if (text.front() == '[') return bracketed(text);
    return {line_number(), unquoted(text)};
  }

  int line_number() const { return lines_[next_].number; }

  std::string unquoted(std::string_view text) const {
    const char first = text.front();
    if (first != '"' && first != '\'') {
      constexpr std::string_view special = "&*!|>{}[]%@`,?";
      if (special.find(first) != std::string_view::npos || key_length(text))
        fail("a form of YAML that is not read here: " + in_quotes(text));
      return std::string(text);
    }
    if (end_of_quoted(text) != text.size())
      fail("a quoted text that does not end: " + in_quotes(text));
    std::string result;
    const std::string_view inside = text.substr(1, text.size() - 2);
    for (std::size_t at = 0; at < inside.size(); ++at) {
      if (first == '"' && inside[at] == '\\') {
        ++at;
        if (inside[at] != '"' && inside[at] != '\\')
          fail("a form of YAML that is not read here: " + in_quotes(text));
      } else if (first == '\'' && inside[at] == '\'') {
        ++at;
      }
      result += inside[at];
    }
    return result;
  }

  /// Reads a list in brackets, e.g. [4, 16].
  LocatedJson bracketed(std::string_view text) const {
    LocatedJson result{line_number(), LocatedJson::List{}};
    auto& items = std::get<LocatedJson::List>(result.value);
    if (text.size() < 2 || text.back() != ']') fail("[ without ] on its line");
    std::string_view rest = trimmed(text.substr(1, text.size() - 2));
    while (!rest.empty()) {
      const bool quoted = rest.front() == '"' || rest.front() == '\'';
      const std::size_t from = quoted ? end_of_quoted(rest) : 0;
      const std::size_t comma =
          from == std::string_view::npos ? from : std::min(rest.find(',', from), rest.size());
      const std::string_view item = trimmed(rest.substr(0, comma));
      if (comma == std::string_view::npos || item.empty())
        fail("expected a list such as [4, 16], not " + in_quotes(text));
      items.push_back({line_number(), unquoted(item)});
      rest = trimmed(rest.substr(std::min(comma + 1, rest.size())));
    }
    return result;
  }

  const TextFile& file_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;
};

}  // namespace

LocatedJson parse_located_yaml(const TextFile& file) {
  return YamlParser(file).parse();
}

}  // namespace cuboid::detail
