#pragma once

#include "base/located_json.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// Reads values of expected kinds from a JSON file. All functions throw Error(parse) with file and
/// line if the file contains something else.
class JsonReader {
 public:
  /// Keeps `file` by reference.
  explicit JsonReader(const TextFile& file) : file_(file) {}

  LocatedJson document() const { return parse_located_json(file_); }

  [[noreturn]] void fail(const LocatedJson& where, std::string_view reason) const {
    fail_at(file_, where.line, reason);
  }

  const LocatedJson::Members& members(const LocatedJson& value) const;

  /// Checks that an object has no unknown keys. Otherwise a misspelt key, or a key with another
  /// unit, would be ignored silently.
  void check_keys(const LocatedJson& object, std::span<const std::string_view> known) const;
  void check_keys(const LocatedJson& object, std::initializer_list<std::string_view> known) const {
    check_keys(object, std::span(known.begin(), known.size()));
  }

  /// The value of a key; nullptr if the key is missing.
  const LocatedJson* find(const LocatedJson& object, std::string_view key) const;
  const LocatedJson& need(const LocatedJson& object, std::string_view key) const;
  const LocatedJson::List& list(const LocatedJson& object, std::string_view key) const;

  /// A text that is not empty.
  /// @param what  the meaning of the text, for the message, e.g. "a node's name".
  const std::string& text(const LocatedJson& value, std::string_view what) const;

  /// A number from 0 to 1e18.
  double not_negative(const LocatedJson& value) const;
  /// A number from `least` to `most`.
  /// @param what  the expected value, for the message.
  double number(const LocatedJson& value, double least, double most, std::string_view what) const;
  /// A whole number from `least` to `most`.
  double whole_number(const LocatedJson& value, double least, double most,
                      std::string_view what) const;

 private:
  const TextFile& file_;
};

}  // namespace cuboid::detail
