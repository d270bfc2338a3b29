"""The exceptions of the package."""


class Error(RuntimeError):
    """Any failure of Cuboid. The message names the rank, the operation and the remedy.

    ``code`` is "invalid_argument", "mismatch", "timeout", "peer_failed", "out_of_memory", "io",
    "parse", "unsupported" or "internal".
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> "tuple[type[Error], tuple[str, str]]":
        return type(self), (self.code, str(self))


class InvalidArgument(Error, ValueError):
    """Arguments that Cuboid cannot serve; nothing was done. A ValueError, too."""
