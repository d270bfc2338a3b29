// Part of every test program: what the developer has measured on this machine must not change what
// a test sees.

#include <cstdlib>

namespace {

[[maybe_unused]] const int built_in_parameters = setenv("CUBOID_PARAMETERS", "none", 1);

}  // namespace
