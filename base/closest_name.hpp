#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// The name that is most like a word that is none of them, by the least number of letters to
/// insert, remove or replace (Levenshtein 1966), or to exchange with their neighbour (Damerau
/// 1964); empty where each needs more than a third of the word's.
std::string closest_name(std::string_view word, std::span<const std::string> names);

/// " (did you mean NAME?)", or nothing where no name is like the word.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace cuboid::detail
