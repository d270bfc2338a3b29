#pragma once

#include <functional>

namespace cuboid::detail {

/// Work that MPI has done while the program waits in it, as long as this exists. MPI calls it on
/// the thread that waits, seldom while there is nothing to do.
class WorkInMpi {
 public:
  /// Whether this MPI does so.
  static bool is_possible();

  /// `work` returns whether anything happened, and throws nothing.
  explicit WorkInMpi(std::function<bool()> work);
  ~WorkInMpi();
  WorkInMpi(const WorkInMpi&) = delete;
  WorkInMpi& operator=(const WorkInMpi&) = delete;

  /// There may be something to do soon.
  static void expect();

 private:
  static int turn();

  std::function<bool()> work_;
};

}  // namespace cuboid::detail
