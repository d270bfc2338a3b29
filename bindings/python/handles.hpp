#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>
#include <cuboid/window.hpp>

#include "bindings/c/handles.hpp"
#include "bindings/python/arrays.hpp"
#include "bindings/python/errors.hpp"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace cuboid::detail::python {

/// Runs `call` without the GIL. Another thread may hold the GIL while it waits for this thread. So
/// every call that may wait for other ranks or for Cuboid's own thread runs in this way.
template <class Call>
auto without_gil(Call&& call) {
  const py::gil_scoped_release released;
  return std::forward<Call>(call)();
}

/// Runs a function of the C interface without the GIL, and raises the error that it returns.
template <class Function, class... Arguments>
void run_without_gil(Function function, Arguments... arguments) {
  check(without_gil([&] { return function(arguments...); }));
}

using Uses = std::vector<py::object>;

/// An object of Cuboid's, and the Python objects that it uses. It is destroyed without the GIL.
template <class Of>
class Owned {
 public:
  using Thing = Of;

  /// @param name  the name of the kind of object, for messages.
  Owned(const char* name, Thing thing, Uses uses = {})
      : name_(name), thing_(std::move(thing)), uses_(std::move(uses)) {}
  Owned(Owned&& other) noexcept
      : name_(other.name_),
        thing_(std::exchange(other.thing_, std::nullopt)),
        uses_(std::move(other.uses_)) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (thing_) end();
  }

  bool is_freed() const { return !thing_; }
  /// The object. Throws ValueError if it has been freed.
  Thing& get() {
    if (!thing_)
      throw py::value_error(std::string("this ") + name_ + " has been freed; make another");
    return *thing_;
  }
  const Thing& get() const { return const_cast<Owned&>(*this).get(); }
  Uses& uses() { return uses_; }

  void free() {
    if (!thing_) return;
    end();
    uses_.clear();
  }

 private:
  void end() {
    std::optional<Thing> last = std::exchange(thing_, std::nullopt);
    without_gil([&last] { last.reset(); });
  }

  const char* name_;
  std::optional<Thing> thing_;
  Uses uses_;
};

template <class Struct, int (*free_handle)(Struct**)>
struct Freed {
  void operator()(Struct* handle) const { static_cast<void>(free_handle(&handle)); }
};
/// An object that the C interface makes and frees.
template <class Struct, int (*free_handle)(Struct**)>
using Handle = Owned<std::unique_ptr<Struct, Freed<Struct, free_handle>>>;

using Communicator = Owned<cuboid_communicator_s>;
using Request = Owned<cuboid::Request>;
using Plan = Owned<std::shared_ptr<CollectivePlan>>;  // a call keeps the plan that it uses

/// A window whose memory arrays use, too. Arrays that outlive the window keep the memory; the other
/// ranks do not need it any more.
struct SharedWindow {
  cuboid::Window window;
  bool synchronised = false;  ///< true: it may end alone, without the other ranks

  explicit SharedWindow(cuboid::Window made) : window(std::move(made)) {}
  ~SharedWindow() {
    if (synchronised) window.free_alone();
  }
};
using Window = Owned<std::shared_ptr<SharedWindow>>;
using Matrix = Handle<cuboid_matrix_s, cuboid_matrix_free>;
using Multiplication = Handle<cuboid_multiplication_s, cuboid_multiplication_free>;
using Factorisation = Handle<cuboid_factorisation_s, cuboid_factorisation_free>;
using QrFactorisation = Handle<cuboid_qr_factorisation_s, cuboid_qr_free>;

/// A request, and the objects that it uses until it is complete.
inline Request request_of(cuboid::Request made, Uses uses) {
  return {"request", std::move(made), std::move(uses)};
}

/// The library's communicator. It is a copy, so it lives as long as the call that uses it.
inline cuboid::Communicator of(const Communicator& communicator) {
  return communicator.get().communicator;
}
/// The stream that the communicator's collectives begin after; none except for on().
inline OnStream stream_of(const Communicator& communicator) {
  return communicator.get().stream;
}
/// The handle that the C interface takes.
inline cuboid_communicator handle_of(Communicator& communicator) {
  return &communicator.get();
}
template <class Struct, int (*free_handle)(Struct**)>
Struct* handle_of(const Handle<Struct, free_handle>& owned) {
  return owned.get().get();
}

/// An operation that combines elements: a built-in operation, or a Python function of two arrays.
class PythonOperation {
 public:
  explicit PythonOperation(Reduction::Kind built_in) : built_in_(built_in) {}
  PythonOperation(py::function function, bool commutative)
      : function_(std::move(function)), commutative_(commutative) {}

  /// The operation for elements of one type. Throws ValueError for an operation with locations on
  /// elements that have none.
  Reduction of(const py::dtype& type);

 private:
  struct ForType {
    py::dtype type;
    Reduction reduction;
  };
  Reduction::Kind built_in_ = Reduction::Kind::user;
  py::function function_ = {};
  bool commutative_ = true;
  std::vector<ForType> for_types_ = {};
};

void define_communicators(py::module_& module);
void define_operations(py::module_& module);
void define_collectives(py::module_& module, py::class_<Communicator>& communicator);
void define_matrices(py::module_& module);
void define_model(py::module_& module);

}  // namespace cuboid::detail::python
