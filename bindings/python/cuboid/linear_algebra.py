"""Products, factorisations and solves. All are collective."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union, overload

import numpy
from numpy.typing import NDArray

from . import _cuboid
from ._arguments import one_of, require
from .communicator import Communicator
from .matrix import Matrix

_OPS = {"N": 0, "T": 1, "C": 2}
_SIDES = {"left": 0, "right": 1}
_TRIANGLES = {"lower": 0, "upper": 1}
_PIVOTING = {"tournament": 0, "partial": 1, "none": 2}
Array = NDArray[Any]


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
    the same on every rank, and gives every rank the whole product; it is for small matrices. A
    vector is a column at the right and a row at the left, as in ``a @ b``.
    ``op_a`` and ``op_b`` are "N", "T", or "C" for the conjugate transpose. ``algorithm`` is
    "summa", "cosma", …; with None the fastest by prediction is chosen.
    """
    if not isinstance(a, Matrix) or not isinstance(b, Matrix):
        if isinstance(a, Matrix) or isinstance(b, Matrix) or c is not None or communicator is None:
            raise TypeError("multiply: give matrices, or two whole arrays and communicator=…")
        dtype = numpy.result_type(a, b, numpy.float32)
        left_array, right_array = numpy.asarray(a, dtype), numpy.asarray(b, dtype)
        if 0 in (left_array.ndim, right_array.ndim):
            raise ValueError("multiply: a number is no matrix; give alpha=…")
        product = multiply(
            Matrix.from_array(communicator, left_array[None] if left_array.ndim == 1 else left_array),
            Matrix.from_array(communicator,
                              right_array[:, None] if right_array.ndim == 1 else right_array),
            alpha=alpha, op_a=op_a, op_b=op_b, algorithm=algorithm).to_array()
        if left_array.ndim == 1:
            product = product[0]
        return product[..., 0] if right_array.ndim == 1 else product
    left, right = one_of(_OPS, op_a, "op_a"), one_of(_OPS, op_b, "op_b")
    if c is not None:
        require(c, Matrix, "c")
    if c is None:
        c, beta = a.like(_applied(op_a, a)[0], _applied(op_b, b)[1]), 0
    _cuboid.multiply(alpha, left, a._matrix, right, b._matrix, beta, c._matrix, algorithm)
    return c


class Multiplication:
    """A product that is planned once and run many times on matrices with the same layouts."""

    def __init__(self, a: Matrix, b: Matrix, c: Matrix, op_a: str = "N", op_b: str = "N",
                 algorithm: Optional[str] = None) -> None:
        for matrix, name in ((a, "a"), (b, "b"), (c, "c")):
            require(matrix, Matrix, name)
        self._planned = _cuboid.Multiplication(one_of(_OPS, op_a, "op_a"), a._matrix,
                                               one_of(_OPS, op_b, "op_b"), b._matrix, c._matrix,
                                               algorithm)

    def run(self, a: Matrix, b: Matrix, c: Matrix, alpha: complex = 1, beta: complex = 0) -> Matrix:
        """C = alpha op(A) op(B) + beta C. Collective."""
        for matrix, name in ((a, "a"), (b, "b"), (c, "c")):
            require(matrix, Matrix, name)
        self._planned.run(alpha, a._matrix, b._matrix, beta, c._matrix)
        return c

    @property
    def algorithm(self) -> str:
        return self._planned.algorithm()

    def free(self) -> None:
        """Frees the plan. Collective, because other ranks may read its memory."""
        self._planned.free()

    def __repr__(self) -> str:
        if self._planned.is_freed():
            return "<cuboid.Multiplication, freed>"
        return f"<cuboid.Multiplication by {self.algorithm}>"


def redistribute(source: Matrix, destination: Matrix, op: str = "N") -> Matrix:
    """destination = op(source), whatever their layouts."""
    require(source, Matrix, "source")
    require(destination, Matrix, "destination")
    _cuboid.redistribute(one_of(_OPS, op, "op"), source._matrix, destination._matrix)
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
    def is_finite(self) -> bool:
        """False where the matrix, or the diagonal of its factors, has a NaN or an infinity.

        ``info`` may be 0 then, and what is solved has NaN, too; the log warns of it.
        """
        return self._factors.is_finite()

    @property
    def pivots(self) -> NDArray[numpy.int64]:
        """Row k was swapped with row pivots[k], for k = 0, 1, … in turn, as in SciPy's ``piv``."""
        return numpy.array(self._factors.pivots(), dtype="i8")

    def solve(self, b: Matrix, op: str = "N") -> Matrix:
        """b = op(A)⁻¹ b for any number of right-hand sides, in place. Returns it."""
        self._factors.solve(one_of(_OPS, op, "op"), require(b, Matrix, "b")._matrix)
        return b

    def refine(self, a: Matrix, b: Matrix, x: Matrix, steps: int = 1) -> Matrix:
        """Iterative refinement: x = x + A⁻¹ (b - A x), ``steps`` times."""
        for matrix, name in ((a, "a"), (b, "b"), (x, "x")):
            require(matrix, Matrix, name)
        self._factors.refine(a._matrix, b._matrix, x._matrix, steps)
        return x

    def copy_to(self, factors: Matrix) -> Matrix:
        """Copies L and U into one matrix, as ?getrf stores them; for Cholesky L below, Lᴴ above."""
        self._factors.copy_to(require(factors, Matrix, "factors")._matrix)
        return factors

    def determinant(self) -> Tuple[complex, float]:
        """(sign, logarithm), as numpy.linalg.slogdet: the determinant is sign · e^logarithm."""
        return self._factors.determinant()

    def reciprocal_condition(self) -> float:
        """An estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁)."""
        return self._factors.reciprocal_condition()

    def __repr__(self) -> str:
        return f"<cuboid.Factorisation, info {self.info}>"


def factorise(a: Matrix, pivoting: str = "tournament") -> Factorisation:
    """P A = L U of A (m, n), which does not change.

    ``pivoting`` is "tournament", "partial" or "none".
    """
    require(a, Matrix, "a")
    return Factorisation(_cuboid.factorise(a._matrix, one_of(_PIVOTING, pivoting, "pivoting")))


def cholesky(a: Matrix) -> Factorisation:
    """A = L Lᴴ of a positive definite matrix (n, n). Only the lower triangle is read."""
    return Factorisation(_cuboid.cholesky(require(a, Matrix, "a")._matrix))


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
        if right.ndim not in (1, 2):
            raise ValueError(f"solve: b is of shape {right.shape}; give a vector or a matrix")
        columns = right[:, None] if right.ndim == 1 else right
        x = Matrix.from_array(communicator, columns)
        solve(Matrix.from_array(communicator, numpy.asarray(a, dtype)), x)
        return x.to_array().reshape(right.shape)
    _cuboid.solve(a._matrix, b._matrix)
    return b


def trsm(a: Matrix, b: Matrix, *, side: str = "left", triangle: str = "lower", op: str = "N",
         unit_diagonal: bool = False, alpha: complex = 1) -> Matrix:
    """b = alpha op(A)⁻¹ b, or alpha b op(A)⁻¹ (side "right"), for one triangle of A (n, n)."""
    require(a, Matrix, "a")
    require(b, Matrix, "b")
    _cuboid.trsm(one_of(_SIDES, side, "side"), one_of(_TRIANGLES, triangle, "triangle"),
                 one_of(_OPS, op, "op"), int(unit_diagonal), alpha, a._matrix, b._matrix)
    return b


def syrk(a: Matrix, c: Matrix, *, triangle: str = "lower", op: str = "N", alpha: complex = 1,
         beta: complex = 0) -> Matrix:
    """c = alpha a aᵀ + beta c, or alpha aᵀ a + beta c (op "T"), in one triangle of c (n, n). The
    other triangle is neither read nor written, here and below. Collective."""
    require(a, Matrix, "a")
    require(c, Matrix, "c")
    _cuboid.syrk(one_of(_TRIANGLES, triangle, "triangle"), one_of(_OPS, op, "op"), alpha,
                 a._matrix, beta, c._matrix)
    return c


def herk(a: Matrix, c: Matrix, *, triangle: str = "lower", op: str = "N", alpha: float = 1,
         beta: float = 0) -> Matrix:
    """c = alpha a aᴴ + beta c, or alpha aᴴ a + beta c (op "C"), in one triangle of c. Collective."""
    require(a, Matrix, "a")
    require(c, Matrix, "c")
    _cuboid.herk(one_of(_TRIANGLES, triangle, "triangle"), one_of(_OPS, op, "op"), alpha,
                 a._matrix, beta, c._matrix)
    return c


def syr2k(a: Matrix, b: Matrix, c: Matrix, *, triangle: str = "lower", op: str = "N",
          alpha: complex = 1, beta: complex = 0) -> Matrix:
    """c = alpha (a bᵀ + b aᵀ) + beta c, or alpha (aᵀ b + bᵀ a) + beta c (op "T"), in one triangle of
    c. Collective."""
    for matrix, name in ((a, "a"), (b, "b"), (c, "c")):
        require(matrix, Matrix, name)
    _cuboid.syr2k(one_of(_TRIANGLES, triangle, "triangle"), one_of(_OPS, op, "op"), alpha,
                  a._matrix, b._matrix, beta, c._matrix)
    return c


def her2k(a: Matrix, b: Matrix, c: Matrix, *, triangle: str = "lower", op: str = "N",
          alpha: complex = 1, beta: float = 0) -> Matrix:
    """c = alpha a bᴴ + conj(alpha) b aᴴ + beta c, or alpha aᴴ b + conj(alpha) bᴴ a + beta c (op "C"),
    in one triangle of c. Collective."""
    for matrix, name in ((a, "a"), (b, "b"), (c, "c")):
        require(matrix, Matrix, name)
    _cuboid.her2k(one_of(_TRIANGLES, triangle, "triangle"), one_of(_OPS, op, "op"), alpha,
                  a._matrix, b._matrix, beta, c._matrix)
    return c


def symm(a: Matrix, b: Matrix, c: Matrix, *, side: str = "left", triangle: str = "lower",
         alpha: complex = 1, beta: complex = 0) -> Matrix:
    """c = alpha a b + beta c, or alpha b a + beta c (side "right"), for a symmetric a, of which one
    triangle is read. Collective."""
    for matrix, name in ((a, "a"), (b, "b"), (c, "c")):
        require(matrix, Matrix, name)
    _cuboid.symm(one_of(_SIDES, side, "side"), one_of(_TRIANGLES, triangle, "triangle"), alpha,
                 a._matrix, b._matrix, beta, c._matrix)
    return c


def hemm(a: Matrix, b: Matrix, c: Matrix, *, side: str = "left", triangle: str = "lower",
         alpha: complex = 1, beta: complex = 0) -> Matrix:
    """symm() for a Hermitian a. Collective."""
    for matrix, name in ((a, "a"), (b, "b"), (c, "c")):
        require(matrix, Matrix, name)
    _cuboid.hemm(one_of(_SIDES, side, "side"), one_of(_TRIANGLES, triangle, "triangle"), alpha,
                 a._matrix, b._matrix, beta, c._matrix)
    return c


def trmm(a: Matrix, b: Matrix, *, side: str = "left", triangle: str = "lower", op: str = "N",
         unit_diagonal: bool = False, alpha: complex = 1) -> Matrix:
    """b = alpha op(a) b, or alpha b op(a) (side "right"), for one triangle of a (n, n). Collective."""
    require(a, Matrix, "a")
    require(b, Matrix, "b")
    _cuboid.trmm(one_of(_SIDES, side, "side"), one_of(_TRIANGLES, triangle, "triangle"),
                 one_of(_OPS, op, "op"), int(unit_diagonal), alpha, a._matrix, b._matrix)
    return b
