#pragma once

#include <map>
#include <memory>
#include <typeindex>

namespace cuboid::detail {

/// What the floors above keep with a communicator, as MPI's attributes are kept: one object of each
/// type. It ends with the communicator.
class Attributes {
 public:
  /// The object of this type, made the first time that it is asked for.
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
