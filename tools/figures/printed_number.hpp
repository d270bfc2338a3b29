#pragma once

#include <span>
#include <string_view>

namespace cuboid::detail::tools {

/// A number that a paper prints, and the place where it prints it. All such numbers are in the
/// table of printed_number.cpp, and no others can be made. Only Comparison reads the value. So no
/// figure can compute "our" number from the paper's number.
class PrintedNumber {
 public:
  PrintedNumber(const PrintedNumber&) = delete;
  PrintedNumber& operator=(const PrintedNumber&) = delete;

  std::string_view name() const { return name_; }    ///< "lu-exascale-2d"; unique
  std::string_view what() const { return what_; }    ///< "efficiency on 64 planes, 2D, binomial"
  std::string_view paper() const { return paper_; }  ///< its citation: "Solomonik et al. 2011"
  std::string_view place() const { return place_; }  ///< section, figure, table or the abstract

 private:
  friend struct Comparison;
  friend struct PrintedNumbers;
  constexpr PrintedNumber(std::string_view name, double value, std::string_view what,
                          std::string_view paper, std::string_view place)
      : name_(name), value_(value), what_(what), paper_(paper), place_(place) {}

  std::string_view name_;
  double value_;
  std::string_view what_;
  std::string_view paper_;
  std::string_view place_;
};

/// The table.
std::span<const PrintedNumber> printed_numbers();

/// The number with a name. Throws Error(internal) if the table has none.
const PrintedNumber& printed(std::string_view name);

}  // namespace cuboid::detail::tools
