#pragma once

#include "tools/command/command.hpp"
#include "tools/provenance/provenance.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The format in which a result is printed.
enum class Form { table, json, csv, osu };

/// A row as comma-separated values (RFC 4180): csv_head() has the names of its members, csv_line()
/// its values; null is an empty value. `row` is an object without members that are objects or
/// arrays.
std::string csv_head(const nlohmann::ordered_json& row);
std::string csv_line(const nlohmann::ordered_json& row);
/// The first row's head, followed by a line for each row. `rows` is an array of objects with the
/// same members.
std::string to_csv(const nlohmann::ordered_json& rows);

/// Prints a result for which there are to_json(), which has "results", to_text() and to_osu().
template <class Result>
void print_result(const Result& result, Form form) {
  switch (form) {
    case Form::table: print_text(to_text(result)); break;
    case Form::json: print_json(to_json(result)); break;
    case Form::csv: print_text(provenance_lines("# ") + to_csv(to_json(result)["results"])); break;
    case Form::osu: print_text(to_osu(result)); break;
  }
}

}  // namespace cuboid::detail::tools
