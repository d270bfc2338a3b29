#include "collectives/selection/algorithm_rules.hpp"

#include <cuboid/error.hpp>

#include "base/closest_name.hpp"
#include "base/text_file.hpp"

#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<std::size_t> parse_bytes(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  int shift = 0;
  if (unit == "K") {
    shift = 10;
  } else if (unit == "M") {
    shift = 20;
  } else if (unit == "G") {
    shift = 30;
  } else if (!unit.empty()) {
    return std::nullopt;
  }
  if (number > std::numeric_limits<std::size_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

std::string names_for(Operation operation) {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.serves(operation)) names.push_back(algorithm.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The text of one rule, and the errors about it.
class RuleText {
 public:
  RuleText(std::string_view origin, std::string_view whole, std::string_view rule)
      : origin_(origin), whole_(whole), rule_(rule) {}

  [[noreturn]] void reject(const std::string& reason) const {
    throw Error(ErrorCode::parse, fmt::format("{}={}: in {}: {}", origin_, in_quotes(whole_),
                                              in_quotes(rule_), reason));
  }

  Operation operation(std::string_view name) const {
    if (const auto operation = find_operation(name)) return *operation;
    std::vector<std::string> known;
    for (const Operation operation : every_operation) known.push_back(to_string(operation));
    reject(fmt::format("unknown operation {}{}; give one of {}", in_quotes(name),
                       did_you_mean(name, known), fmt::join(known, ", ")));
  }

  const Algorithm* algorithm(Operation operation, std::string_view name) const {
    const Algorithm* found = find_algorithm(name);
    if (found == nullptr || !found->serves(operation)) {
      reject(fmt::format("unknown algorithm {} for {}; give one of {}", in_quotes(name),
                         to_string(operation), names_for(operation)));
    }
    return found;
  }

  std::size_t bytes(std::string_view text, std::size_t if_empty) const {
    if (text.empty()) return if_empty;
    const auto bytes = parse_bytes(text);
    if (!bytes)
      reject(fmt::format("{} is not a size; give bytes, e.g. 4096, 4K, 1M", in_quotes(text)));
    return *bytes;
  }

 private:
  std::string_view origin_;
  std::string_view whole_;
  std::string_view rule_;
};

}  // namespace

AlgorithmRules AlgorithmRules::parse(std::string_view text, std::string_view origin) {
  AlgorithmRules rules;
  for (const std::string_view part : split(text, ',')) {
    const RuleText rule_text(origin, text, part);
    const auto fields = split(part, ':');
    if (fields.size() != 2 && fields.size() != 3)
      rule_text.reject("give operation:algorithm or operation:least-most:algorithm");
    const Operation operation = rule_text.operation(fields.front());
    Rule rule{operation, rule_text.algorithm(operation, fields.back())};
    if (fields.size() == 3) {
      const auto ends = split(fields[1], '-');
      if (ends.size() != 2)
        rule_text.reject(fmt::format("{} is not a range of sizes; give e.g. 4K-1M, 1M- or -4K",
                                     in_quotes(fields[1])));
      rule.least = rule_text.bytes(ends[0], rule.least);
      rule.most = rule_text.bytes(ends[1], rule.most);
      if (rule.least > rule.most)
        rule_text.reject("the range of sizes ends before it begins; give the smaller size first");
    }
    rules.rules_.push_back(rule);
  }
  return rules;
}

const Algorithm* AlgorithmRules::demanded(Operation operation, std::size_t bytes) const {
  for (const Rule& rule : rules_) {
    if (rule.operation == operation && bytes >= rule.least && bytes <= rule.most)
      return rule.algorithm;
  }
  return nullptr;
}

}  // namespace cuboid::detail
