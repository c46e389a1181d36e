"""A server of chat completions that answers by a script, faults among them; each request has a thread of its own.

By hand: `python -m tests.llm_server` serves a parrot, which speaks for users, until it is stopped.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Talk = Callable[[dict[str, Any]], str]
"""Makes the reply's words of a request."""


def completion(text: str | None, **message: Any) -> dict[str, Any]:
    """Return the body of an answer with one reply; with finish= why it ended."""
    finish = message.pop("finish", "stop")
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return {"object": "chat.completion", "model": "toy-1", "choices": [choice], "usage": usage}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        state = self.server.state
        step = state.took(self.path, request, dict(self.headers))
        try:
            if isinstance(step, str):
                FAULTS[step](self, state)
            else:
                if state.delay:
                    time.sleep(state.delay)
                said = step(request)
                self.send(json.dumps(said if isinstance(said, Mapping) else completion(said)).encode())
        finally:
            with state.lock:
                state.live -= 1

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):  # who has read enough goes away
            self.wfile.write(body)

    def reset(self, body: bytes) -> None:
        """Send a part of an answer, then reset the connection."""
        self.send_response(200)
        self.send_header("Content-Length", str(2 * len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def chunks(self, *parts: bytes) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n")


@dataclass
class State:
    """What a server has left to do, and what it has met.

    Attributes:
        script: names of FAULTS and functions from a request to its words or its body, taken one a request.
        otherwise: what follows the script.
        delay: seconds before a reply.
        requests, paths, headers: of each request.
        most: most requests at one time.
    """

    script: list[str | Talk]
    otherwise: str | Talk
    delay: float = 0.0
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    live: int = 0
    most: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    def took(self, path: str, request: dict[str, Any], headers: dict[str, str]) -> str | Talk:
        with self.lock:
            self.requests.append(request)
            self.paths.append(path)
            self.headers.append(headers)
            self.live += 1
            self.most = max(self.most, self.live)
            return self.script.pop(0) if self.script else self.otherwise


class Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 64
    state: State

    def __init__(self, state: State, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.state = state
        self._taken: list[socket.socket] = []

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._taken.append(connection)
        return connection, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # of clients that went away

    def stop(self) -> None:
        self.state.over.set()
        self.shutdown()
        for connection in self._taken:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


def _wait(state: State) -> None:
    """Answer nothing until the server is stopped."""
    state.over.wait(20)


GOOD = json.dumps(completion("fine")).encode()

FAULTS: dict[str, Callable[[Handler, State], None]] = {
    "429": lambda to, _: to.send(b'{"error": {"message": "slow down"}}', 429),
    "429 with Retry-After": lambda to, _: to.send(b"{}", 429, Retry_After="3"),
    "500": lambda to, _: to.send(b"oops", 500),
    "503": lambda to, _: to.send(b"busy", 503),
    "401": lambda to, _: to.send(f"bad key: {to.headers['Authorization']}".encode(), 401),
    "404": lambda to, _: to.send(b'{"error": "no such model"}', 404),
    "timeout": lambda _, state: _wait(state),
    "reset": lambda to, _: to.reset(GOOD[:40]),
    "empty": lambda to, _: to.send(b""),
    "html": lambda to, _: to.send(b"<html>Bad gateway</html>", Content_Type="text/html"),
    "truncated": lambda to, _: to.send(GOOD[:-20]),
    "doubled chunk": lambda to, _: to.chunks(GOOD[:50], GOOD[50:99], GOOD[50:99], GOOD[99:]),
    "no choices": lambda to, _: to.send(b'{"object": "chat.completion"}'),
    "error in a 200": lambda to, _: to.send(b'{"error": {"message": "overloaded"}}'),
    "two choices": lambda to, _: to.send(json.dumps({"choices": completion("a")["choices"] * 2}).encode()),
    "missing content": lambda to, _: to.send(b'{"choices": [{"message": {"role": "assistant"}}]}'),
    "null content": lambda to, _: to.send(json.dumps(completion(None)).encode()),
    "10 MB": lambda to, _: to.send(json.dumps(completion("x" * 10_000_000)).encode()),
    "cut": lambda to, _: to.send(json.dumps(completion("I would like to", finish="length")).encode()),
    "refusal": lambda to, _: to.send(json.dumps(completion(None, refusal="I can't help with that.")).encode()),
    "filtered": lambda to, _: to.send(json.dumps(completion(None, finish="content_filter")).encode()),
}
"""What can go wrong with an endpoint, by name; a server that is not there needs none."""


def echo(request: dict[str, Any]) -> str:
    """Return words that follow from the request alone: the last message, and how many there were."""
    return f"({len(request['messages'])}) {request['messages'][-1]['content']}"


LEADS = ("Well. ", "Look. ", "To be honest: ", "Hm. ", "All right. ", "So: ")


def parrot(request: dict[str, Any]) -> str:
    """Speak for a user as `agentgym.llm.prompts` asks: the draft behind a few words that the seed chooses."""
    drafted = request["messages"][-1]["content"].rpartition("(Say this next, in your own words")[2]
    return LEADS[request["seed"] % len(LEADS)] + drafted.partition(": ")[2][:-1]


@contextmanager
def serving(*script: str | Talk, otherwise: str | Talk = echo, delay: float = 0.0, port: int = 0) -> Iterator[State]:
    """Run a server; gives what it does and has met. Its `url` is that of an endpoint."""
    state = State(list(script), otherwise, delay)
    server = Server(state, port)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.stop()
        thread.join(10)


if __name__ == "__main__":
    with serving(otherwise=parrot, port=8000) as running:
        print(running.url)
        threading.Event().wait()
