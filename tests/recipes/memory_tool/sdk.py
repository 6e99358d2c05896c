"""The SDK's memory tool on a local disk: a command a line comes in, what it answers goes out. Runs in its own place."""

import json
import sys

from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool


def main() -> None:
    tool = BetaLocalFilesystemMemoryTool(sys.argv[1])
    for line in sys.stdin:
        try:
            answer = {"answer": tool.call(json.loads(line))}
        except ToolError as refused:
            answer = {"refused": str(refused)}
        except Exception as error:  # noqa: BLE001 - what the SDK does not say itself has no sentence to compare
            answer = {"failed": type(error).__name__}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
