"""The shipped code interpreters, put to a corpus of replies."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agboss.domain.replies import NotUnderstood, ReplyInput, Understood
from agboss.interpreters.buttons import ButtonReplies
from agboss.interpreters.quotes import new_text
from agboss.interpreters.words import COURTESY, NO, YES, YesNoReplies, yes_or_no

CORPUS: list[dict[str, Any]] = yaml.load((Path(__file__).parent / "corpus.yaml").read_text(), Loader=yaml.BaseLoader)
READERS = {"buttons": ButtonReplies(), "words": YesNoReplies()}


def read(reader: str, reply: str) -> str:
    """``yes``, ``no`` or ``unclear``."""
    match READERS[reader].interpret(ReplyInput(ask=None, reply=reply)):
        case Understood(decision=decision):
            return "yes" if decision["approved"] else "no"
        case NotUnderstood(reason=reason):
            assert reason
            return "unclear"
    raise AssertionError("an interpretation is one of two")


@pytest.mark.parametrize("entry", CORPUS, ids=[f"{e['lang']}-{n}" for n, e in enumerate(CORPUS)])
def test_no_reader_gets_it_wrong(entry: dict[str, Any]) -> None:
    """G01, G02, G04: what is read is what is meant; unclear is always allowed, but for the plain ones that must be read."""
    reply = entry["reply"] * int(entry.get("times", 1))
    for reader in READERS:
        said = read(reader, reply)
        assert said in (entry["means"], "unclear"), reader
        if entry.get("must") == reader:
            assert said == entry["means"]


def test_the_corpus_is_wide() -> None:
    """G01: at least 120 replies in at least six languages, of every kind."""
    assert len(CORPUS) >= 120 and len({entry["lang"] for entry in CORPUS}) >= 6
    assert {entry["means"] for entry in CORPUS} == {"yes", "no", "unclear"}
    assert len({entry["reply"] for entry in CORPUS}) == len(CORPUS)
    assert any(len(entry["reply"]) * int(entry.get("times", 1)) >= 100_000 for entry in CORPUS)


@given(st.text(max_size=30), st.sampled_from(sorted(YES)), st.text(max_size=30))
@settings(max_examples=500, deadline=None)
def test_a_yes_among_other_words_is_no_yes(before: str, yes: str, after: str) -> None:
    """G01: whatever letters stand around a yes, it is read only where nothing else is said."""
    if any(character.isalnum() for character in before + after):
        said = yes_or_no(f"{before} {yes} {after}")
        text = f"{before} {yes} {after}".casefold()
        assert said is None or all(part in YES | COURTESY for part in _parts(text)), text


def _parts(text: str) -> list[str]:
    import re
    import unicodedata

    kept = new_text(text) or ""
    parts = (
        " ".join(unicodedata.normalize("NFKC", part).casefold().split()) for part in re.split(r"[,.!;\n、。！，]+", kept)
    )
    return [re.sub("[\U0001f3fb-\U0001f3ff\ufe0f]", "", part) for part in parts if part]


def test_words_are_told_apart() -> None:
    """G01: no word is in two lists."""
    assert not YES & NO and not YES & COURTESY and not NO & COURTESY


@pytest.mark.parametrize("word", ["no", "not", "don't", "nein", "nicht", "non", "pas", "não", "不"])
@pytest.mark.parametrize("yes", sorted(YES))
def test_a_negated_yes_is_no_yes(word: str, yes: str) -> None:
    """G01: in every language's order of words."""
    for reply in (f"{word} {yes}", f"{yes} {word}", f"{yes}, {word}", f"{word}{yes}"):
        assert yes_or_no(reply) is not True
