"""Names of people by a model in another process, over one contract: Presidio's `POST /analyze`.

`client` asks such a server and lets nothing pass while it does not answer; `serve` is one.
"""
