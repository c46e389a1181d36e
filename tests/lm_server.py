"""A real small language model behind an endpoint on this machine, by which the cassettes of the tests were recorded.

`python -m tests.lm_server FOLDER [--gguf FILE] [--port 8100]` serves the model in a folder, as transformers reads it,
on one thread of one CPU: requests wait for each other, and equal ones get equal replies. It needs the extra `train`,
and the package gguf where the weights are in a file of that kind.
"""

from __future__ import annotations

import argparse
import threading
from typing import Any

from tests.llm_server import completion, serving


class Speaker:
    """Replies of one model; a request's seed decides what is drawn."""

    def __init__(self, folder: str, gguf: str | None) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(1)
        given = {"gguf_file": gguf} if gguf else {}
        self._torch = torch
        self._tokenizer = AutoTokenizer.from_pretrained(folder, **given)
        self._model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **given).eval()
        self._turn = threading.Lock()

    def __call__(self, request: dict[str, Any]) -> Any:
        """Return the body of the answer to a request."""
        with self._turn, self._torch.inference_mode():
            shown = self._tokenizer.apply_chat_template(
                request["messages"], add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
            warmth = float(request.get("temperature", 1.0))
            self._torch.manual_seed(int(request.get("seed", 0)))
            drawn = (
                {"do_sample": True, "temperature": warmth, "top_p": 0.9, "top_k": 0} if warmth else {"do_sample": False}
            )
            most = int(request.get("max_tokens", 128))
            stops = list(request.get("stop", ()))
            if stops:
                drawn |= {"stop_strings": stops, "tokenizer": self._tokenizer}
            made = self._model.generate(**shown, max_new_tokens=most, repetition_penalty=1.1, **drawn)[0]
        new = made[shown["input_ids"].shape[1] :]
        text = self._tokenizer.decode(new, skip_special_tokens=True)
        for stop in stops:
            text = text.partition(stop)[0]
        found = completion(text, finish="length" if len(new) >= most else "stop")
        usage = {"prompt_tokens": int(shown["input_ids"].shape[1]), "completion_tokens": len(new)}
        return {**found, "model": request["model"], "usage": usage}


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--gguf")
    parser.add_argument("--port", type=int, default=8100)
    asked = parser.parse_args()
    with serving(otherwise=Speaker(asked.folder, asked.gguf), port=asked.port) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
