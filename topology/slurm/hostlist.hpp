#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// The names that a Slurm host list stands for, in its order: "a,n[1-3],r[0-1]c[08-10]" is a, n1,
/// n2, n3, r0c08, r0c09, r0c10, r1c08, ... Numbers with leading zeros keep their width. Throws
/// Error(parse) for a malformed list and for more than `most` names.
std::vector<std::string> expand_hostlist(std::string_view text, std::size_t most);

}  // namespace cuboid::detail
