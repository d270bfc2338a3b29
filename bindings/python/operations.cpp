#include "bindings/python/handles.hpp"

namespace cuboid::detail::python {

/// A Python function as an operation on elements of one type.
struct Operation::ForType {
  ForType(py::function call, py::dtype elements, bool commutative)
      : function(std::move(call)), type(std::move(elements)) {
    check(cuboid_reduction_create(&combine, this, commutative ? 1 : 0, &reduction));
  }
  ForType(const ForType&) = delete;
  ForType& operator=(const ForType&) = delete;
  ~ForType() { static_cast<void>(cuboid_reduction_free(&reduction)); }

  /// result = function(left, right). An exception does not leave it: it is printed, and the
  /// elements do not change.
  static void combine(const void* left, const void* right, void* result, std::size_t count,
                      void* context) {
    const py::gil_scoped_acquire held;
    const auto& self = *static_cast<const ForType*>(context);
    try {
      const py::none owner;  // the memory is Cuboid's
      const auto view = [&](const void* data) {
        return py::array(self.type, {count}, data, owner);
      };
      py::array to = view(result);
      to[py::ellipsis()] = self.function(view(left), view(right));
    } catch (py::error_already_set& error) {
      error.restore();
      PyErr_WriteUnraisable(self.function.ptr());
    }
  }

  py::function function;
  py::dtype type;
  cuboid_reduction reduction = nullptr;
};

cuboid_reduction Operation::of(const py::dtype& type) {
  if (built_in_ != nullptr) return built_in_;
  for (const auto& made : for_types_)
    if (made->type.equal(type)) return made->reduction;
  for_types_.push_back(std::make_shared<ForType>(function_, type, commutative_));
  return for_types_.back()->reduction;
}

void define_operations(py::module_& module) {
  py::class_<Operation>(module, "Operation")
      .def(py::init<int>(), py::arg("built_in"))
      .def(py::init<py::function, bool>(), py::arg("function"), py::arg("commutative"));
}

}  // namespace cuboid::detail::python
