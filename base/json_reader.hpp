#pragma once

#include "base/located_json.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// Takes values of known kinds out of a JSON file. All throw Error(parse) with file and line where
/// the file holds something else.
class JsonReader {
 public:
  /// `file` is kept by reference.
  explicit JsonReader(const TextFile& file) : file_(file) {}

  LocatedJson document() const { return parse_located_json(file_); }

  [[noreturn]] void fail(const LocatedJson& where, std::string_view reason) const {
    fail_at(file_, where.line, reason);
  }

  const LocatedJson::Members& members(const LocatedJson& value) const;

  /// That an object has no other keys: a misspelt one, or one of another unit, would otherwise be
  /// silently ignored.
  void check_keys(const LocatedJson& object, std::initializer_list<std::string_view> known) const;

  /// The value of a key; nullptr if it is missing.
  const LocatedJson* find(const LocatedJson& object, std::string_view key) const;
  const LocatedJson& need(const LocatedJson& object, std::string_view key) const;
  const LocatedJson::List& list(const LocatedJson& object, std::string_view key) const;

  /// Text that is not empty.
  /// @param what  it is, for the message, e.g. "a node's name".
  const std::string& text(const LocatedJson& value, std::string_view what) const;

  /// A number from 0 to 1e18.
  double not_negative(const LocatedJson& value) const;
  /// A number from `least` to `most`.
  /// @param what  is expected, for the message.
  double number(const LocatedJson& value, double least, double most, std::string_view what) const;
  /// The same, without a fraction.
  double whole_number(const LocatedJson& value, double least, double most,
                      std::string_view what) const;

 private:
  const TextFile& file_;
};

}  // namespace cuboid::detail
