#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// The name that is closest to a word that is none of the names: with the fewest letters to insert,
/// remove or replace (Levenshtein 1966), or to exchange with the letter beside them (Damerau 1964).
/// Empty if every name needs more than a third of the word's letters.
std::string closest_name(std::string_view word, std::span<const std::string> names);

/// The text " (did you mean NAME?)"; empty if no name is close to the word.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace cuboid::detail
