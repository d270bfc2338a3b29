#pragma once

#include <map>
#include <memory>
#include <typeindex>

namespace cuboid::detail {

/// Objects that the floors above keep with a communicator, in the way of MPI's attributes: one
/// object of each type. They end with the communicator.
class Attributes {
 public:
  /// The object of this type. It is made when it is first asked for.
  template <class Attribute>
  Attribute& get() {
    std::shared_ptr<void>& kept = attributes_[typeid(Attribute)];
    if (!kept) kept = std::make_shared<Attribute>();
    return *static_cast<Attribute*>(kept.get());
  }

 private:
  std::map<std::type_index, std::shared_ptr<void>> attributes_;
};

}  // namespace cuboid::detail
