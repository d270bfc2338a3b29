#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Adds variables to this process's environment during its lifetime, for libraries that cannot be
/// configured in another way. A variable that is already set stays unchanged.
///
/// setenv() may move memory while getenv() of another thread reads it, and ranks may be threads of
/// this process. So nothing that exists is changed: a second list of variables is built and
/// replaces the first list in one step. It is never freed (some hundred bytes). Other threads may
/// read the environment at the same time, but must not write it. Only one overlay may exist at a
/// time.
class EnvironmentOverlay {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  explicit EnvironmentOverlay(const Variables& variables);
  ~EnvironmentOverlay();
  EnvironmentOverlay(const EnvironmentOverlay&) = delete;
  EnvironmentOverlay& operator=(const EnvironmentOverlay&) = delete;

 private:
  char** before_;
  char** overlay_;
};

}  // namespace cuboid::detail
