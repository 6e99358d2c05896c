"""Canonical JSON (RFC 8785): the one byte form in which a receipt is hashed, by us and by anybody else."""

from typing import Any

import rfc8785


def canonical(value: Any) -> bytes:
    """The canonical bytes of a JSON value: None, bool, int, float, str, lists, string-keyed dicts.

    `ValueError` for what another reader of JSON might see differently: integers beyond 2**53 - 1 either way,
    NaN and infinities, unpaired surrogates, keys that are no strings, other types. It never quotes the value.
    """
    try:
        return rfc8785.dumps(value)
    except rfc8785.IntegerDomainError:
        raise ValueError("an integer is beyond 2**53 - 1 and has no exact JSON form") from None
    except rfc8785.FloatDomainError:
        raise ValueError("a number is not finite and has no JSON form") from None
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        raise ValueError("the value has no canonical JSON form") from None
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
