"""Text to token ids and back, and the chat rendering in which every prompt is the beginning of the next.

Both tokenizers render a conversation in two calls: `opening` once, `following` for what came after each reply. What
the model wrote is never rendered again: its sampled ids stand between the two, so nothing can drift.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

Message = Mapping[str, Any]

ROLES = ("system", "user", "assistant", "tool")
SPECIAL = ("<pad>", "<unk>", "<end>", *(f"<{role}>" for role in ROLES))
CHARACTERS = ("\n", *map(chr, range(32, 127)))
_PIECE = re.compile(r" ?[^\W\d_]+| ?\d+|.", re.DOTALL)
_SENTINEL = "\u2060reply\u2060"


class Tokens(Protocol):
    """What rollouts need of a tokenizer.

    Attributes:
        end: the id that ends a reply; sampled like any other.
        pad: an id to fill rows with; always masked, so it may be one that has a meaning.
    """

    end: int
    pad: int

    @property
    def size(self) -> int:
        """Number of ids."""
        ...

    def opening(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> list[int]:
        """Return the ids of the first prompt, up to where the reply begins."""
        ...

    def following(self, messages: Sequence[Message], ended: bool) -> list[int]:
        """Return the ids between a reply and the next one; `ended`: the reply closed itself with `end`."""
        ...

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, special tokens never among them."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of sampled ids, special tokens left out."""
        ...


def heard(messages: Sequence[Message]) -> list[Message]:
    """Return the messages that the model did not write."""
    return [message for message in messages if message["role"] != "assistant"]


class WordTokens:
    """A tokenizer made for one world: a word with the blank before it is one token.

    A piece that is not in the vocabulary is spelt in characters; a character that is not there either becomes <unk>,
    which reads as U+FFFD. All of printable ASCII and the line break are there, so `decode(encode(text)) == text` for
    every text of them, and for every text that the vocabulary was made from. Markers such as <end> have ids of their
    own that no text encodes to.

    Args:
        words: the pieces besides the special tokens and the single characters, without repetition.
    """

    pad, unknown, end = 0, 1, 2

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._texts = [*SPECIAL, *CHARACTERS, *self.words]
        self._ids = {text: number for number, text in enumerate(self._texts) if number >= len(SPECIAL)}
        if len(self._ids) + len(SPECIAL) != len(self._texts):
            raise ValueError("the words of a vocabulary must differ from each other and from single characters")

    @classmethod
    def of(cls, texts: Iterable[str]) -> WordTokens:
        """Return the tokenizer of these texts; equal texts in any order give equal ids."""
        pieces = {piece for text in texts for piece in _PIECE.findall(text)}
        return cls(sorted(pieces - set(CHARACTERS)))

    @property
    def size(self) -> int:
        """Number of ids."""
        return len(self._texts)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text."""
        out: list[int] = []
        for piece in _PIECE.findall(text):
            number = self._ids.get(piece)
            if number is not None:
                out.append(number)
            else:
                out.extend(self._ids.get(char, self.unknown) for char in piece)
        return out

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text; markers have none, <unk> reads as U+FFFD."""
        first = len(SPECIAL)
        return "".join(self._texts[i] if i >= first else "\ufffd" * (i == self.unknown) for i in ids)

    def opening(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> list[int]:
        """Return marker and text of every message, tools as one more system message, and the marker of the reply."""
        listed = [{"role": "system", "content": json.dumps(list(tools))}] if tools else []
        return self._rendered([*listed, *messages])

    def following(self, messages: Sequence[Message], ended: bool) -> list[int]:
        """Return what stands between two replies."""
        return ([] if ended else [self.end]) + self._rendered(heard(messages))

    def _rendered(self, messages: Sequence[Message]) -> list[int]:
        out: list[int] = []
        for message in messages:
            out.append(SPECIAL.index(f"<{message['role']}>"))
            out.extend(self.encode(message["content"]))
        return [*out, SPECIAL.index("<assistant>")]


class HubTokens:
    """The tokenizer of a causal language model with its chat template.

    A template writes markers and texts into one string, so a world's text that spells a marker is read as one.

    Args:
        tokenizer: a transformers tokenizer.
        name: what to call it in errors.

    Raises:
        ValueError: it has no chat template, no end token, or a template that rewrites what came before.
    """

    def __init__(self, tokenizer: Any, name: str) -> None:
        if not tokenizer.chat_template:
            raise ValueError(
                f"the tokenizer of {name!r} has no chat template: give a chat model, or set tokenizer.chat_template "
                "and save it with the model"
            )
        if tokenizer.eos_token_id is None:
            raise ValueError(f"the tokenizer of {name!r} has no eos_token, with which a reply ends: set it and save it")
        self._tokenizer = tokenizer
        self._name = name
        self.end = int(tokenizer.eos_token_id)
        self.pad = self.end if tokenizer.pad_token_id is None else int(tokenizer.pad_token_id)
        self._head = [{"role": "user", "content": "?"}, {"role": "assistant", "content": _SENTINEL}]
        self.following([{"role": "user", "content": "?"}], True)

    @property
    def size(self) -> int:
        """Number of ids."""
        return len(self._tokenizer)

    def same(self, other: Tokens) -> bool:
        """Return whether another tokenizer gives every piece the same id."""
        return isinstance(other, HubTokens) and self._tokenizer.get_vocab() == other._tokenizer.get_vocab()

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, markers in it read as text where the tokenizer can."""
        return list(self._tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"])

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of sampled ids."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def opening(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> list[int]:
        """Return the ids of the template over the first messages."""
        return self._ids(self._text([dict(message) for message in messages], tools))

    def following(self, messages: Sequence[Message], ended: bool) -> list[int]:
        """Return the ids of what the template writes after a reply; nothing before it is rendered again."""
        whole = self._text([*self._head, *(dict(message) for message in heard(messages))])
        before, found, after = whole.partition(_SENTINEL)
        if not found or before != self._text(self._head, prompt=False).partition(_SENTINEL)[0]:
            raise ValueError(
                f"the chat template of {self._name!r} changes what stands before a message when another follows: "
                "give one whose output only grows"
            )
        close = self._tokenizer.eos_token
        if not after.startswith(close):
            raise ValueError(
                f"the chat template of {self._name!r} closes a reply with {after[:20]!r}, not with the eos_token "
                f"{close!r}: set the tokenizer's eos_token to what closes a reply"
            )
        return self._ids(after[len(close) :] if ended else after)

    def _text(self, messages: list[dict[str, Any]], tools: Sequence[Any] = (), prompt: bool = True) -> str:
        more = {"tools": list(tools)} if tools else {}
        render = self._tokenizer.apply_chat_template
        return str(render(messages, tokenize=False, add_generation_prompt=prompt, **more))

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
