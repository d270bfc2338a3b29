"""The two ways a command ends badly, told apart because scripts look at the exit code."""


class LabError(Exception):
    """The machine could not do it: exit code 1."""

    exit_code = 1


class UsageError(LabError):
    """What was asked for makes no sense: exit code 2."""

    exit_code = 2
