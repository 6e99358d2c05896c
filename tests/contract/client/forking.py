"""A program that forks: the parent and its child use the one client that was there before. Arguments: the address."""

import asyncio
import os
import sys

from tarimba.client import AsyncTarimba, Budgets, Options

KEY = "tar_sk_test_0123456789abcdef_aSecretThatIsNoSecretOfAnybody12"


def used(client: AsyncTarimba) -> None:
    """Both kinds of client answer, and what is recorded is sent."""
    threaded = client.synchronous
    assert threaded.search_agent_memory("q").error is None
    assert asyncio.run(client.search_agent_memory("q")).error is None
    threaded.conversation("c-1").customer("Hello")
    assert threaded.flush(60)
    assert threaded.recorded.waiting == threaded.recorded.dropped == 0
    asyncio.run(client.close())


def main(base_url: str) -> None:
    client = AsyncTarimba(KEY, base_url, options=Options(budgets=Budgets(search=60)))
    assert client.synchronous.search_agent_memory("q").error is None
    client.synchronous.conversation("c-0").customer("Before")
    assert client.synchronous.flush(60)
    child = os.fork()
    if child == 0:
        assert client.synchronous.recorded.sent == 0
        used(client)
        os._exit(0)
    used(client)
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(sys.argv[1])
