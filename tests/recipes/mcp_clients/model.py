"""A model as OpenAI's API serves one: it asks for one tool, then says what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Model(ThreadingHTTPServer):
    """Keeps what it was asked in `asked`; `wants` is the tool and its arguments."""

    def __init__(self, wants: tuple[str, dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.wants = wants
        self.asked: list[dict[str, Any]] = []

    def says(self, request: dict[str, Any]) -> dict[str, Any]:
        """The message for a request: the tool's result as it came, once there is one."""
        results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if results:
            return {"role": "assistant", "content": f"It said: {results[-1]}"}
        name, arguments = self.wants
        call = {"name": name, "arguments": json.dumps(arguments)}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": call}],
        }


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        request = json.loads(self.rfile.read(length))
        self.server.asked.append(request)
        message = self.server.says(request)
        ends = "tool_calls" if "tool_calls" in message else "stop"
        is_stream = bool(request.get("stream"))
        choice = {"index": 0, "finish_reason": ends, "delta" if is_stream else "message": message}
        told = {"id": "1", "created": 1, "model": "m", "choices": [choice]}
        told["object"] = "chat.completion.chunk" if is_stream else "chat.completion"
        body = json.dumps(told).encode()
        if is_stream:
            body = b"data: " + body + b"\n\ndata: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: what is asked is kept in `asked`."""


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """The base URL of the model's API."""
    thread = Thread(target=model.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{model.server_address[1]}/v1"
    finally:
        model.shutdown()
        thread.join()
        model.server_close()
