#pragma once

#include "tools/command/interruption.hpp"
#include "tools/measurement/form.hpp"
#include "tools/provenance/provenance.hpp"

#include <cstddef>

namespace cuboid::detail::tools {

/// The two libraries of a measurement with --against mpi. OSU's format has a table for each.
enum class Library { cuboid, mpi };

/// Prints a measurement while it runs: each row as soon as it is complete, in one write. The head
/// is printed with the first row, so that a run that fails before its first row prints nothing. The
/// output of an interrupted run is complete: "interrupted" closes a JSON object.
///
/// A Result has `rows`, and there are these functions:
///   head_json(result), json_of(result, row)      an object without its rows, and a row
///   head_text(result), text_of(result, row)      lines
///   osu_head(result), osu_of(result, row, library)
///   compares_with_mpi(result)                    true if OSU's format has a second table
template <class Result>
class RowPrinter {
 public:
  explicit RowPrinter(Form form) : form_(form) {}
  ~RowPrinter() { print_last_words(); }
  RowPrinter(const RowPrinter&) = delete;
  RowPrinter& operator=(const RowPrinter&) = delete;

  /// Prints the rows that the result did not have at the last call.
  void update(const Result& result) {
    if (!begun_ && !result.rows.empty()) begin(result);
    for (; printed_ < result.rows.size(); ++printed_) print_row(result, result.rows[printed_]);
  }

  /// Prints the text after the last row. Without this call the run counts as interrupted.
  void end(const Result& result) {
    if (!begun_) begin(result);
    update(result);
    if (form_ == Form::json) {
      print_when_interrupted("");
      print_text("]}\n");
    } else if (form_ == Form::osu && compares_with_mpi(result)) {
      print_text("\n# MPI\n" + osu_head(result));
      for (const auto& row : result.rows) print_text(osu_of(result, row, Library::mpi));
    }
  }

 private:
  void begin(const Result& result) {
    begun_ = true;
    switch (form_) {
      case Form::table: print_text(head_text(result)); break;
      case Form::json: {
        auto head = head_json(result);
        head["provenance"] = provenance();
        std::string text = json_text(head);
        text.pop_back();  // without the closing brace
        print_text(text + ",\"results\":[");
        print_when_interrupted("],\"interrupted\":true}\n");
        break;
      }
      case Form::csv: break;  // the head is printed with the first row, which has the names
      case Form::osu:
        print_text((compares_with_mpi(result) ? "# Cuboid\n" : "") + osu_head(result));
        break;
    }
  }

  void print_row(const Result& result, const typename Result::Row& row) {
    const bool first = printed_ == 0;
    switch (form_) {
      case Form::table: print_text(text_of(result, row)); break;
      case Form::json: print_text((first ? "" : ",") + json_text(json_of(result, row))); break;
      case Form::csv: {
        const auto json = json_of(result, row);
        print_text((first ? provenance_lines("# ") + csv_head(json) : "") + csv_line(json));
        break;
      }
      case Form::osu: print_text(osu_of(result, row, Library::cuboid)); break;
    }
  }

  Form form_;
  bool begun_ = false;
  std::size_t printed_ = 0;
};

}  // namespace cuboid::detail::tools
