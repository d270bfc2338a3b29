#pragma once

/// Macros that give a routine its names. Include this header only where names are defined.

// NOLINTBEGIN(bugprone-macro-parentheses): NAME is a routine
#define CUBOID_ROUTINE extern "C" __attribute__((visibility("default"))) void

/// Defines a routine under its name, and under its name with the prefix cuboid_.
#define CUBOID_BOTH_NAMES(NAME, PARAMETERS, CALL) \
  CUBOID_ROUTINE NAME PARAMETERS {                \
    CALL;                                         \
  }                                               \
  CUBOID_ROUTINE cuboid_##NAME PARAMETERS {       \
    CALL;                                         \
  }

/// Defines native_NAME(), which returns the routine of that name in the native ScaLAPACK.
#define CUBOID_NATIVE(NAME, ...)                                                      \
  static auto* native_##NAME() {                                                      \
    static auto* const found = cuboid::detail::scalapack::native<__VA_ARGS__>(#NAME); \
    return found;                                                                     \
  }

/// Defines the routines ps…, pd…, pc… and pz… of a name by a macro of a routine's name and type.
#define CUBOID_ALL_TYPES(DEFINE, NAME, ...)                           \
  DEFINE(ps##NAME##_, float __VA_OPT__(, ) __VA_ARGS__)               \
  DEFINE(pd##NAME##_, double __VA_OPT__(, ) __VA_ARGS__)              \
  DEFINE(pc##NAME##_, std::complex<float> __VA_OPT__(, ) __VA_ARGS__) \
  DEFINE(pz##NAME##_, std::complex<double> __VA_OPT__(, ) __VA_ARGS__)
// NOLINTEND(bugprone-macro-parentheses)
