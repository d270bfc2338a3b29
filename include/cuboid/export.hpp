#pragma once

/// Marks what the shared library shows to other programs.
#define CUBOID_API __attribute__((visibility("default")))
