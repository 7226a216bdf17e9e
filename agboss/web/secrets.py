"""Callers' secrets. Only a hash is kept: who reads the index can't call."""

import hashlib
import secrets

_BYTES = 32


def new_secret() -> str:
    """256 random bits, as a text that can be searched for where secrets leak."""
    return f"agboss_{secrets.token_urlsafe(_BYTES)}"


def secret_hash(secret: str) -> str:
    """Under which the registry has the secret's caller. No slow hash and no salt: nobody guesses 256 random bits, and the
    look-up by the hash tells by its time nothing about the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
