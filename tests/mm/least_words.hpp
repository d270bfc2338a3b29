#pragma once

#include <cuboid/environment.hpp>

namespace cuboid::detail::test {

/// For tests that count words as the papers do: collectives that bring each word to a rank once.
/// Within a node others may be quicker.
inline Environment least_words() {
  Environment environment = Environment::read();
  environment.algorithm = "broadcast:binomial,reduce:binomial,allgather:flat,reduce_scatter:flat";
  return environment;
}

}  // namespace cuboid::detail::test
