"""The two kinds of failures of a command. They have different exit codes, which scripts read."""


class LabError(Exception):
    """The machine could not do what was asked: exit code 1."""

    exit_code = 1


class UsageError(LabError):
    """The user asked for something that makes no sense: exit code 2."""

    exit_code = 2
