"""Words: how a text is cut into sentences of plain lower-case words, and which forms are of one family."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

LONGEST: Final = 4_000
"""Characters of a text that are looked at."""

_TOKEN: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)*|[,;:–—()]| - ")
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'", "é": "e", "\r": "\n"})

_LOOSE: Final = {
    "u": "you", "ur": "your", "r": "are", "im": "i am", "ive": "i have", "youre": "you are", "youve": "you have",
    "youll": "you will", "youd": "you would", "yall": "you", "hes": "he is", "shes": "she is", "theyre": "they are",
    "theyve": "they have", "theres": "there is", "thats": "that is", "whats": "what is", "whos": "who is",
    "hows": "how is", "wheres": "where is", "itll": "it will", "thatll": "that will", "mustve": "must have",
    "couldve": "could have", "shouldve": "should have", "wouldve": "would have", "howd": "how did", "lets": "let us",
    "cant": "can not", "cannot": "can not", "wont": "will not", "dont": "do not", "doesnt": "does not",
    "didnt": "did not", "isnt": "is not", "arent": "are not", "wasnt": "was not", "werent": "were not",
    "havent": "have not", "hasnt": "has not", "hadnt": "had not", "wouldnt": "would not", "couldnt": "could not",
    "shouldnt": "should not", "mustnt": "must not", "neednt": "need not", "aint": "is not", "gotta": "have to",
    "gonna": "going to", "wanna": "want to", "kinda": "rather", "sorta": "rather", "cos": "because", "cuz": "because",
    "coz": "because", "bc": "because", "mum": "mother", "mom": "mother", "mummy": "mother", "dad": "father",
    "mums": "mother", "moms": "mother", "dads": "father", "ppl": "people", "tho": "though", "rn": "right now",
    "thx": "thanks", "pls": "please", "plz": "please", "abt": "about", "becos": "because", "anymore": "any more",
    "its": "it is", "no-one": "nobody", "ya": "you", "yous": "you", "dunno": "do not know", "lemme": "let me",
    "gimme": "give me", "tbh": "honestly", "alright": "all right", "ought'nt": "ought not", "theyd": "they would",
    "shed": "she would", "whatre": "what are", "howre": "how are", "yourself": "yourself",
    "urself": "yourself", "thru": "through", "bout": "about", "wot": "what", "wat": "what", "didn": "did not",
    "don": "do not", "doesn": "does not", "isn": "is not", "can't": "can not", "won't": "will not",
    "shan't": "shall not", "ain't": "is not", "y'all": "you", "let's": "let us",
}  # fmt: skip
"""What people write for short, without an apostrophe or in a way of its own."""

_IS: Final = frozenset(
    (
        "that",
        "it",
        "what",
        "who",
        "how",
        "where",
        "there",
        "here",
        "he",
        "she",
        "this",
        "when",
        "why",
        "everything",
        "nothing",
    )
)
_ENDS: Final = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'m": "am", "'d": "would"}

_IRREGULAR: Final = {
    "told": "tell", "left": "leave", "lost": "lose", "loss": "lose", "went": "go", "gone": "go", "slept": "sleep",
    "drank": "drink", "drunk": "drink", "felt": "feel", "ate": "eat", "eaten": "eat", "fought": "fight",
    "hidden": "hide", "died": "die", "dead": "die", "death": "die", "dying": "die", "dies": "die", "said": "say",
    "spoke": "speak", "spoken": "speak", "broke": "break", "broken": "break", "kept": "keep", "wrote": "write",
    "written": "write", "met": "meet", "ran": "run", "gave": "give", "given": "give", "took": "take",
    "taken": "take", "thought": "think", "found": "find", "bought": "buy", "paid": "pay", "sold": "sell",
    "fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow", "knew": "know", "known": "know",
    "saw": "see", "seen": "see", "heard": "hear", "made": "make", "meant": "mean", "sent": "send", "sat": "sit",
    "stood": "stand", "taught": "teach", "threw": "throw", "thrown": "throw", "woke": "wake", "woken": "wake",
    "awake": "wake", "wore": "wear", "worn": "wear", "won": "win", "began": "begin", "begun": "begin",
    "came": "come", "chose": "choose", "chosen": "choose", "drove": "drive", "driven": "drive", "lying": "lie",
    "lies": "lie", "lied": "lie", "rang": "ring", "rung": "ring", "shook": "shake", "stole": "steal",
    "stolen": "steal", "swore": "swear", "wept": "weep", "forgot": "forget", "forgotten": "forget",
    "children": "child", "kids": "kid", "wives": "wife", "men": "man", "women": "woman", "people": "person",
    "better": "good", "best": "good", "learnt": "learn", "built": "build", "caught": "catch", "held": "hold",
    "fed": "feed", "bitten": "bite", "split": "split", "had": "have", "has": "have", "did": "do", "done": "do",
    "does": "do", "was": "be", "were": "be", "is": "be", "are": "be", "am": "be", "been": "be", "being": "be",
    "sleepless": "sleep", "illness": "ill", "jobless": "job", "goodness": "good",
    "friendship": "friend", "loneliness": "lonely",
}  # fmt: skip


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """Return what the forms of a word have in common: "shouting", "shouted" and "shouts" are one."""
    known = _IRREGULAR.get(word)
    if known is not None:
        word = known
    if len(word) <= 3:
        return word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "sl":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@lru_cache(maxsize=32_768)
def _expanded(token: str) -> str:
    """Return a token in full words: "you've" is "you have"; of "Ben's" the name is left."""
    loose = _LOOSE.get(token)
    if loose is not None:
        return loose
    base, mark, _ = token.partition("'")
    if not mark:
        return token
    if token.endswith("n't"):
        return token[:-3] + " not"
    ending = token[len(base) :]
    if ending == "'s":
        return f"{base} is" if base in _IS else _LOOSE.get(base, base)
    if ending == "'d":
        return f"{base} did" if base in ("how", "why", "where") else f"{base} would"
    return f"{base} {_ENDS[ending]}" if ending in _ENDS else base


_YOUR_ARE: Final = re.compile(  # "ur doing", "ur so", where it is short for "you are"
    r"\byour(?= (?:so|really|not|only|just|a|an|such|still|one|very|too|\w+ing)\b)"
)


_SHORT: Final = frozenset(_LOOSE)


def fold(text: str) -> str:
    """Return the first 4,000 characters of a text in lower case, with plain quotes."""
    folded = text[:LONGEST].lower()
    return folded if folded.isascii() else folded.translate(_QUOTES)


def tokens(sentence: str) -> list[str]:
    """Return the words of a folded sentence, short forms written out, with commas between clauses."""
    found = _TOKEN.findall(sentence)
    if "'" in sentence or not _SHORT.isdisjoint(found):
        whole = " ".join([_expanded(token) for token in found])
        if "ur" in found:
            whole = _YOUR_ARE.sub("you are", whole)
        if "would been" in whole:
            whole = whole.replace("would been", "had been")
        found = whole.split(" ") if whole else []
    words = [word if word.isalnum() else "," for word in found]
    while words and words[0] == ",":
        del words[0]
    return words
