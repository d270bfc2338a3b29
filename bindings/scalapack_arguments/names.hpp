#pragma once

/// How a routine gets its names. To be included where names are given only: macros.

// NOLINTBEGIN(bugprone-macro-parentheses): NAME is a routine
#define CUBOID_ROUTINE extern "C" __attribute__((visibility("default"))) void

/// A routine by its name, and by cuboid_ and its name.
#define CUBOID_BOTH_NAMES(NAME, PARAMETERS, CALL) \
  CUBOID_ROUTINE NAME PARAMETERS {                \
    CALL;                                         \
  }                                               \
  CUBOID_ROUTINE cuboid_##NAME PARAMETERS {       \
    CALL;                                         \
  }

/// beneath_NAME(): the routine of that name and type in the ScaLAPACK beneath.
#define CUBOID_BENEATH(NAME, ...)                                                      \
  static auto* beneath_##NAME() {                                                      \
    static auto* const found = cuboid::detail::scalapack::beneath<__VA_ARGS__>(#NAME); \
    return found;                                                                      \
  }
// NOLINTEND(bugprone-macro-parentheses)
