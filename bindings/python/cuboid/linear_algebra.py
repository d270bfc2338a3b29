"""Products, factorisations and solves. All are collective."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union, overload

import numpy
from numpy.typing import NDArray

from . import _cuboid
from .communicator import Communicator
from .matrix import Matrix

_OPS = {"N": 0, "T": 1, "C": 2}
_PIVOTING = {"tournament": 0, "partial": 1, "none": 2}
Array = NDArray[Any]


def _one_of(names: "dict[str, int]", name: str, what: str) -> int:
    if name not in names:
        raise ValueError(f"{what} {name!r}: give one of {', '.join(map(repr, names))}")
    return names[name]


def _applied(op: str, matrix: Matrix) -> Tuple[int, int]:
    m, n = matrix.shape
    return (m, n) if op == "N" else (n, m)


@overload
def multiply(a: Matrix, b: Matrix, c: Optional[Matrix] = None, *, alpha: complex = 1,
             beta: complex = 0, op_a: str = "N", op_b: str = "N",
             algorithm: Optional[str] = None) -> Matrix: ...
@overload
def multiply(a: Array, b: Array, *, communicator: Communicator, alpha: complex = 1, op_a: str = "N",
             op_b: str = "N", algorithm: Optional[str] = None) -> Array: ...


def multiply(a: Union[Matrix, Array], b: Union[Matrix, Array], c: Optional[Matrix] = None, *,
             communicator: Optional[Communicator] = None, alpha: complex = 1, beta: complex = 0,
             op_a: str = "N", op_b: str = "N", algorithm: Optional[str] = None) -> Union[Matrix, Array]:
    """C = alpha op(A) op(B) + beta C, with op(A) (m, k), op(B) (k, n), C (m, n), in any layouts.

    Without ``c`` a new matrix is made. ``multiply(a, b, communicator=ranks)`` takes whole arrays,
    the same on every rank, and gives every rank the whole product; it is for small matrices.
    ``op_a`` and ``op_b`` are "N", "T", or "C" for the conjugate transpose. ``algorithm`` is
    "summa", "cosma", …; with None the fastest by prediction is chosen.
    """
    if not isinstance(a, Matrix) or not isinstance(b, Matrix):
        if isinstance(a, Matrix) or isinstance(b, Matrix) or c is not None or communicator is None:
            raise TypeError("multiply: give matrices, or two whole arrays and communicator=…")
        dtype = numpy.result_type(a, b, numpy.float32)
        return multiply(Matrix.from_array(communicator, numpy.asarray(a, dtype)),
                        Matrix.from_array(communicator, numpy.asarray(b, dtype)), alpha=alpha,
                        op_a=op_a, op_b=op_b, algorithm=algorithm).to_array()
    left, right = _one_of(_OPS, op_a, "op_a"), _one_of(_OPS, op_b, "op_b")
    if c is None:
        c, beta = a.like(_applied(op_a, a)[0], _applied(op_b, b)[1]), 0
    _cuboid.multiply(alpha, left, a._matrix, right, b._matrix, beta, c._matrix, algorithm)
    return c


class Multiplication:
    """A product that is planned once and run many times on matrices with the same layouts."""

    def __init__(self, a: Matrix, b: Matrix, c: Matrix, op_a: str = "N", op_b: str = "N",
                 algorithm: Optional[str] = None) -> None:
        self._planned = _cuboid.Multiplication(_one_of(_OPS, op_a, "op_a"), a._matrix,
                                               _one_of(_OPS, op_b, "op_b"), b._matrix, c._matrix,
                                               algorithm)

    def run(self, a: Matrix, b: Matrix, c: Matrix, alpha: complex = 1, beta: complex = 0) -> Matrix:
        self._planned.run(alpha, a._matrix, b._matrix, beta, c._matrix)
        return c

    @property
    def algorithm(self) -> str:
        return self._planned.algorithm()

    def free(self) -> None:
        """Frees the plan. Collective, because other ranks may read its memory."""
        self._planned.free()


def redistribute(source: Matrix, destination: Matrix, op: str = "N") -> Matrix:
    """destination = op(source), whatever their layouts."""
    _cuboid.redistribute(_one_of(_OPS, op, "op"), source._matrix, destination._matrix)
    return destination


class Factorisation:
    """The factors of a matrix, on the ranks that made them: P A = L U, or A = L Lᴴ."""

    def __init__(self, factors: _cuboid.Factorisation) -> None:
        self._factors = factors

    @property
    def info(self) -> int:
        """LAPACK's info: 0, or k where the k-th pivot is exactly 0."""
        return self._factors.info()

    @property
    def pivots(self) -> NDArray[numpy.int64]:
        """Row k was swapped with row pivots[k], for k = 0, 1, … in turn, as in SciPy's ``piv``."""
        return numpy.array(self._factors.pivots(), dtype="i8")

    def solve(self, b: Matrix, op: str = "N") -> Matrix:
        """b = op(A)⁻¹ b for any number of right-hand sides, in place. Returns it."""
        self._factors.solve(_one_of(_OPS, op, "op"), b._matrix)
        return b

    def refine(self, a: Matrix, b: Matrix, x: Matrix, steps: int = 1) -> Matrix:
        """Iterative refinement: x = x + A⁻¹ (b - A x), ``steps`` times."""
        self._factors.refine(a._matrix, b._matrix, x._matrix, steps)
        return x

    def copy_to(self, factors: Matrix) -> Matrix:
        """Copies L and U into one matrix, as ?getrf stores them; for Cholesky L below, Lᴴ above."""
        self._factors.copy_to(factors._matrix)
        return factors

    def determinant(self) -> Tuple[complex, float]:
        """(sign, logarithm), as numpy.linalg.slogdet: the determinant is sign · e^logarithm."""
        return self._factors.determinant()

    def reciprocal_condition(self) -> float:
        """An estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁)."""
        return self._factors.reciprocal_condition()


def factorise(a: Matrix, pivoting: str = "tournament") -> Factorisation:
    """P A = L U of A (m, n), which does not change.

    ``pivoting`` is "tournament", "partial" or "none".
    """
    return Factorisation(_cuboid.factorise(a._matrix, _one_of(_PIVOTING, pivoting, "pivoting")))


def cholesky(a: Matrix) -> Factorisation:
    """A = L Lᴴ of a positive definite matrix (n, n). Only the lower triangle is read."""
    return Factorisation(_cuboid.cholesky(a._matrix))


@overload
def solve(a: Matrix, b: Matrix) -> Matrix: ...
@overload
def solve(a: Array, b: Array, *, communicator: Communicator) -> Array: ...


def solve(a: Union[Matrix, Array], b: Union[Matrix, Array], *,
          communicator: Optional[Communicator] = None) -> Union[Matrix, Array]:
    """b = A⁻¹ b in place, with A (n, n) and b (n, k). For whole arrays it returns a new one."""
    if not isinstance(a, Matrix) or not isinstance(b, Matrix):
        if isinstance(a, Matrix) or isinstance(b, Matrix) or communicator is None:
            raise TypeError("solve: give matrices, or two whole arrays and communicator=…")
        dtype = numpy.result_type(a, b, numpy.float32)
        right = numpy.asarray(b, dtype)
        columns = right.reshape(len(right), -1)
        x = Matrix.from_array(communicator, columns)
        solve(Matrix.from_array(communicator, numpy.asarray(a, dtype)), x)
        return x.to_array().reshape(right.shape)
    _cuboid.solve(a._matrix, b._matrix)
    return b


def trsm(a: Matrix, b: Matrix, *, side: str = "left", triangle: str = "lower", op: str = "N",
         unit_diagonal: bool = False, alpha: complex = 1) -> Matrix:
    """b = alpha op(A)⁻¹ b, or alpha b op(A)⁻¹ (side "right"), for one triangle of A (n, n)."""
    _cuboid.trsm(_one_of({"left": 0, "right": 1}, side, "side"),
                 _one_of({"lower": 0, "upper": 1}, triangle, "triangle"), _one_of(_OPS, op, "op"),
                 int(unit_diagonal), alpha, a._matrix, b._matrix)
    return b
