#pragma once

#include <functional>

namespace cuboid::detail {

/// Work that MPI calls while the program waits in MPI, as long as this object exists. MPI calls it
/// on the thread that waits, and seldom while there is nothing to do.
class WorkInMpi {
 public:
  /// True if this MPI can do that.
  static bool is_possible();

  /// @param work  returns true if anything happened, and throws nothing
  explicit WorkInMpi(std::function<bool()> work);
  ~WorkInMpi();
  WorkInMpi(const WorkInMpi&) = delete;
  WorkInMpi& operator=(const WorkInMpi&) = delete;

  /// Says that there may be something to do soon.
  static void expect();

 private:
  static int turn();

  std::function<bool()> work_;
};

}  // namespace cuboid::detail
