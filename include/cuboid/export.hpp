#pragma once

/// Marks a symbol that the shared library shows to other programs.
#define CUBOID_API __attribute__((visibility("default")))
