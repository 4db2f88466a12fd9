"""What Sparsmith refuses, in one line; its category is the exception's type."""


class Error(RuntimeError):
    """Something that Sparsmith could not do. Wrong types of arguments are a TypeError."""


class InputError(Error, ValueError):
    """The matrix, its file or what was asked for is wrong."""


class ResourceError(Error, MemoryError):
    """It is too large for the memory or the limits at hand."""


class DeviceError(Error):
    """The GPU failed or is missing."""
