"""Products, factorisations and solves. All are collective."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple, Union, overload

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _cuboid
from ._arguments import one_of, require, together
from .communicator import Communicator
from .matrix import Matrix

_OPS = {"N": 0, "T": 1, "C": 2}
_SIDES = {"left": 0, "right": 1}
_TRIANGLES = {"lower": 0, "upper": 1}
_MEANT = {**_TRIANGLES, "whole": 2}
_PIVOTING = {"tournament": 0, "partial": 1, "none": 2}
Array = NDArray[Any]


def _norm_kind(ord: Union[str, float]) -> int:
    name = ord if isinstance(ord, str) else f"{ord:g}"
    return one_of({"1": 0, "inf": 1, "fro": 2, "max": 3}, name, "ord")


def _applied(op: str, matrix: Matrix) -> Tuple[int, int]:
    m, n = matrix.shape
    return (m, n) if op == "N" else (n, m)


@overload
def multiply(a: Matrix, b: Matrix, c: Optional[Matrix] = None, *, alpha: complex = 1,
             beta: complex = 0, op_a: str = "N", op_b: str = "N",
             algorithm: Optional[str] = None) -> Matrix: ...
@overload
def multiply(a: ArrayLike, b: ArrayLike, *, communicator: Communicator, alpha: complex = 1, op_a: str = "N",
             op_b: str = "N", algorithm: Optional[str] = None) -> Array: ...


def multiply(a: Union[Matrix, ArrayLike], b: Union[Matrix, ArrayLike], c: Optional[Matrix] = None, *,
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
        left_array, right_array = together(a, b)
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
        """LAPACK's info: 0, or k if the k-th pivot is exactly 0."""
        return self._factors.info()

    @property
    def is_finite(self) -> bool:
        """False if the matrix, or the diagonal of its factors, has a NaN or an infinity.

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

    def inverse(self, x: Matrix) -> Matrix:
        """x = A⁻¹ for a square x (n, n), in any layout. Returns it."""
        self._factors.inverse(require(x, Matrix, "x")._matrix)
        return x

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

    def reciprocal_condition(self, ord: float = 1) -> float:
        """An estimate of 1 / (‖A‖ ‖A⁻¹‖) in the norm 1 or numpy.inf."""
        return self._factors.reciprocal_condition(_norm_kind(ord))

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


def inv(a: Matrix) -> Matrix:
    """A⁻¹ of A (n, n) as a new matrix in the same layout, as numpy.linalg.inv, by LU."""
    return factorise(a).inverse(a.like())


def slogdet(a: Matrix) -> Tuple[complex, float]:
    """(sign, logarithm) of A's determinant, as numpy.linalg.slogdet, by LU."""
    return factorise(a).determinant()


def cond(a: Matrix, p: float) -> float:
    """An estimate of ‖A‖ ‖A⁻¹‖ in the norm p, 1 or numpy.inf, by LU; numpy.linalg.cond is exact.

    Nearly always at least a third of it; infinite for a singular matrix.
    """
    reciprocal = factorise(a).reciprocal_condition(p)
    return numpy.inf if reciprocal == 0 else 1 / reciprocal


class QrFactorisation:
    """The factors A = Q R of a matrix (m, n), on the ranks that made them.

    Q, unitary, is kept as min(m, n) Householder reflectors.
    """

    def __init__(self, factors: _cuboid.QrFactorisation, a: Matrix) -> None:
        self._factors, self._like = factors, a.like(0, 0)
        self.shape = a.shape

    @property
    def info(self) -> int:
        """0, or k if the k-th element of R's diagonal, from 1, is the first that is exactly 0."""
        return self._factors.info()

    @property
    def is_finite(self) -> bool:
        """False if the matrix, or the diagonal of R, has a NaN or an infinity; the log warns."""
        return self._factors.is_finite()

    @property
    def taus(self) -> Array:
        """LAPACK's TAU, as in the result of ``numpy.linalg.qr(a, "raw")``."""
        return self._factors.taus()

    def q(self, columns: Optional[int] = None) -> Matrix:
        """The first columns of Q as a new matrix: by default min(m, n), at most m."""
        m, n = self.shape
        q = self._like.like(m, min(m, n) if columns is None else columns)
        self._factors.copy_q_to(q._matrix)
        return q

    def r(self) -> Matrix:
        """R (min(m, n), n) as a new matrix, with zeros below its diagonal."""
        m, n = self.shape
        r = self._like.like(min(m, n), n)
        self._factors.copy_r_to(r._matrix)
        return r

    def copy_to(self, factors: Matrix) -> Matrix:
        """Copies R and the reflectors into one matrix (m, n), as ?geqrf stores them."""
        self._factors.copy_to(require(factors, Matrix, "factors")._matrix)
        return factors

    def apply(self, c: Matrix, op: str = "N", side: str = "left") -> Matrix:
        """c = op(Q) c, or c op(Q) (side "right"), in place, without forming Q. Returns it.

        ``op`` is "N", or "C" for the conjugate transpose; of a real Q "T" is the same.
        """
        self._factors.apply(one_of(_OPS, op, "op"), one_of(_SIDES, side, "side"),
                            require(c, Matrix, "c")._matrix)
        return c

    def lstsq(self, b: Matrix) -> Matrix:
        """The x (n, k) that minimises ‖A x − b‖ in each column, for b (m, k), m >= n, full rank."""
        x = require(b, Matrix, "b").like(self.shape[1], b.shape[1])
        self._factors.least_squares(b._matrix, x._matrix)
        return x

    def __repr__(self) -> str:
        return f"<cuboid.QrFactorisation of {self.shape[0]}x{self.shape[1]}, info {self.info}>"


@overload
def qr(a: Matrix) -> QrFactorisation: ...
@overload
def qr(a: ArrayLike, *, communicator: Communicator) -> Tuple[Array, Array]: ...


def qr(a: Union[Matrix, ArrayLike], *,
       communicator: Optional[Communicator] = None) -> Union[QrFactorisation, Tuple[Array, Array]]:
    """A = Q R of A (m, n), which does not change.

    ``qr(a, communicator=ranks)`` takes a whole array, the same on every rank, and returns Q and R
    as ``numpy.linalg.qr`` does, to every rank.
    """
    if isinstance(a, Matrix):
        return QrFactorisation(_cuboid.qr(a._matrix), a)
    if communicator is None:
        raise TypeError("qr: give a matrix, or a whole array and communicator=…")
    whole, _ = together(a, numpy.float32(0))
    if whole.ndim != 2:
        raise ValueError(f"qr: a is of shape {whole.shape}; give a matrix")
    factors = qr(Matrix.from_array(communicator, whole))
    return factors.q().to_array(), factors.r().to_array()


@overload
def lstsq(a: Matrix, b: Matrix) -> Matrix: ...
@overload
def lstsq(a: ArrayLike, b: ArrayLike, *, communicator: Communicator) -> Array: ...


def lstsq(a: Union[Matrix, ArrayLike], b: Union[Matrix, ArrayLike], *,
          communicator: Optional[Communicator] = None) -> Union[Matrix, Array]:
    """The x (n, k) that minimises ‖A x − b‖ in each column, for A (m, n) of full rank and b (m, k).

    For m < n the x of least norm with A x = b. By QR; of what ``numpy.linalg.lstsq`` returns, x
    alone. A and b do not change. For whole arrays, the same on every rank, it returns an array.
    """
    if not isinstance(a, Matrix) or not isinstance(b, Matrix):
        if isinstance(a, Matrix) or isinstance(b, Matrix) or communicator is None:
            raise TypeError("lstsq: give matrices, or two whole arrays and communicator=…")
        left, right = together(a, b)
        if right.ndim not in (1, 2):
            raise ValueError(f"lstsq: b is of shape {right.shape}; give a vector or a matrix")
        columns = right[:, None] if right.ndim == 1 else right
        x = lstsq(Matrix.from_array(communicator, left),
                  Matrix.from_array(communicator, columns)).to_array()
        return x[:, 0] if right.ndim == 1 else x
    x_matrix = b.like(a.shape[1], b.shape[1])
    _cuboid.least_squares(a._matrix, b._matrix, x_matrix._matrix)
    return x_matrix


@overload
def solve(a: Matrix, b: Matrix) -> Matrix: ...
@overload
def solve(a: ArrayLike, b: ArrayLike, *, communicator: Communicator) -> Array: ...


def solve(a: Union[Matrix, ArrayLike], b: Union[Matrix, ArrayLike], *,
          communicator: Optional[Communicator] = None) -> Union[Matrix, Array]:
    """b = A⁻¹ b in place, with A (n, n) and b (n, k). For whole arrays it returns a new one."""
    if not isinstance(a, Matrix) or not isinstance(b, Matrix):
        if isinstance(a, Matrix) or isinstance(b, Matrix) or communicator is None:
            raise TypeError("solve: give matrices, or two whole arrays and communicator=…")
        left, right = together(a, b)
        if right.ndim not in (1, 2):
            raise ValueError(f"solve: b is of shape {right.shape}; give a vector or a matrix")
        columns = right[:, None] if right.ndim == 1 else right
        x = Matrix.from_array(communicator, columns)
        solve(Matrix.from_array(communicator, left), x)
        return x.to_array().reshape(right.shape)
    _cuboid.solve(a._matrix, b._matrix)
    return b


class MixedPrecision(NamedTuple):
    """The way in which ``solve_mixed`` found its solution.

    ``method`` is "refinement", "GMRES" if plain refinement stalled, or "full precision" if single
    precision was of no use; ``steps`` is the number of steps of refinement.
    """

    method: str
    steps: int


def solve_mixed(a: Matrix, b: Matrix, positive_definite: bool = False) -> MixedPrecision:
    """b = A⁻¹ b in place to double precision, by factors in single precision, in half the time.

    For float64 and complex128. ``positive_definite`` factorises by Cholesky.
    """
    require(a, Matrix, "a")
    method, steps = _cuboid.solve_mixed(a._matrix, require(b, Matrix, "b")._matrix,
                                        int(positive_definite))
    return MixedPrecision(("refinement", "GMRES", "full precision")[method], steps)


def norm(a: Matrix, ord: Union[str, float] = "fro") -> float:
    """‖A‖, as numpy.linalg.norm: "fro", 1, numpy.inf; and "max", the largest modulus."""
    return _cuboid.norm(_norm_kind(ord), require(a, Matrix, "a")._matrix)


def laset(a: Matrix, off_diagonal: complex = 0, diagonal: complex = 1, *,
          triangle: str = "whole") -> Matrix:
    """a = diagonal where row and column are equal, off_diagonal elsewhere; in the "lower" or "upper"
    triangle alone, or in the whole matrix, of any shape. Not collective."""
    require(a, Matrix, "a")
    _cuboid.laset(one_of(_MEANT, triangle, "triangle"), off_diagonal, diagonal, a._matrix)
    return a


def lacpy(a: Matrix, b: Matrix, *, triangle: str = "whole") -> Matrix:
    """b = a in a triangle, or in all of b, of any shape. Collective."""
    require(a, Matrix, "a")
    require(b, Matrix, "b")
    _cuboid.lacpy(one_of(_MEANT, triangle, "triangle"), a._matrix, b._matrix)
    return b


def lascl(a: Matrix, divisor: float, factor: float, *, triangle: str = "whole") -> Matrix:
    """a = a factor / divisor in a triangle, or in all of a, without overflow or underflow in
    between. Not collective."""
    require(a, Matrix, "a")
    _cuboid.lascl(one_of(_MEANT, triangle, "triangle"), divisor, factor, a._matrix)
    return a


def trsm(a: Matrix, b: Matrix, *, side: str = "left", triangle: str = "lower", op: str = "N",
         unit_diagonal: bool = False, alpha: complex = 1) -> Matrix:
    """b = alpha op(A)⁻¹ b, or alpha b op(A)⁻¹ (side "right"), for one triangle of A (n, n)."""
    require(a, Matrix, "a")
    require(b, Matrix, "b")
    _cuboid.trsm(one_of(_SIDES, side, "side"), one_of(_TRIANGLES, triangle, "triangle"),
                 one_of(_OPS, op, "op"), int(unit_diagonal), alpha, a._matrix, b._matrix)
    return b


def trtri(a: Matrix, *, triangle: str = "lower", unit_diagonal: bool = False) -> Matrix:
    """a = a⁻¹ for one triangle of a (n, n); the other is neither read nor written. Collective."""
    require(a, Matrix, "a")
    _cuboid.trtri(one_of(_TRIANGLES, triangle, "triangle"), int(unit_diagonal), a._matrix)
    return a


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
