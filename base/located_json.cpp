#include "base/located_json.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cuboid::detail {

namespace {

constexpr std::size_t deepest = 16;

/// Reads characters and counts lines. A line counts only when the next one begins, because the
/// parser reads the character after a number before it reports the number. The parser copies its
/// iterators, so the count is kept outside.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* position, int& line) : position_(position), line_(&line) {}
  reference operator*() const { return *position_; }
  CountingIterator& operator++() {
    if (after_end_of_line_) ++*line_;
    after_end_of_line_ = *position_ == '\n';
    ++position_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return position_ == other.position_; }
  bool operator!=(const CountingIterator& other) const { return !(*this == other); }

 private:
  const char* position_;
  int* line_;
  bool after_end_of_line_ = false;
};

/// Builds the values from the events that the parser reports.
class Builder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Builder(const TextFile& file, const int& line) : file_(file), line_(line) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) { return add(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { fail_at(file_, line_, "binary data in JSON text"); }
  bool start_object(std::size_t) { return open(LocatedJson::Members{}); }
  bool start_array(std::size_t) { return open(LocatedJson::List{}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    auto& members = std::get<LocatedJson::Members>(open_.back()->value);
    if (std::ranges::find(members, name, &std::pair<std::string, LocatedJson>::first) !=
        members.end()) {
      fail_at(file_, line_, fmt::format("the key {} occurs twice", in_quotes(name)));
    }
    constexpr std::size_t most_keys = 64;
    if (members.size() == most_keys) fail_at(file_, line_, "an object with too many keys");
    members.emplace_back(std::move(name), LocatedJson{});
    return true;
  }

  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception&) {
    fail_at(file_, line_, fmt::format("malformed JSON at {}", in_quotes(token)));
  }

  LocatedJson take() { return std::move(root_); }

 private:
  /// The place of the next value: the end of the open list, the last key of the open object, or the
  /// document itself.
  LocatedJson& place() {
    if (open_.empty()) return root_;
    if (auto* list = std::get_if<LocatedJson::List>(&open_.back()->value))
      return list->emplace_back();
    return std::get<LocatedJson::Members>(open_.back()->value).back().second;
  }

  template <typename Value>
  bool add(Value value) {
    LocatedJson& target = place();
    target.line = line_;
    target.value = std::move(value);
    return true;
  }

  template <typename Value>
  bool open(Value value) {
    if (open_.size() == deepest)
      fail_at(file_, line_, fmt::format("nested deeper than {}", deepest));
    LocatedJson& target = place();
    target.line = line_;
    target.value = std::move(value);
    // The pointers stay valid: a list or object grows only when everything that was opened inside
    // it has been closed.
    open_.push_back(&target);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const TextFile& file_;
  const int& line_;
  LocatedJson root_;
  std::vector<LocatedJson*> open_;
};

}  // namespace

LocatedJson parse_located_json(const TextFile& file) {
  int line = 1;
  Builder builder(file, line);
  const char* begin = file.text.data();
  nlohmann::json::sax_parse(CountingIterator(begin, line),
                            CountingIterator(begin + file.text.size(), line), &builder);
  return builder.take();
}

}  // namespace cuboid::detail
