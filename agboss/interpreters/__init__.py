"""Reply interpreters by code that applications can build theirs on."""
