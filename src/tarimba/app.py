"""The composition root: settings to kernel, kernel to one ASGI application. Only here and in `background` is wired."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from functools import partial
from typing import Any

from tarimba import __version__
from tarimba.background import working
from tarimba.blocks.cache import BlockCache
from tarimba.callers import Callers
from tarimba.clock import SECOND, Clock
from tarimba.conversations.neighbour import CustomerMemory
from tarimba.conversations.neighbour_turns import TurnsMemory
from tarimba.draining import DRAIN_SECONDS, Draining
from tarimba.errors import Refusal
from tarimba.figures import watch
from tarimba.graph.meaning import meaning
from tarimba.http.route import Route
from tarimba.kernel import Kernel
from tarimba.notes.words import Words
from tarimba.personal_data.detectors import Detectors
from tarimba.receipts.cold import Cold
from tarimba.receipts.cold_places import Folder
from tarimba.receipts.writer import GroupCommit
from tarimba.settings import Settings
from tarimba.skills.index_cache import IndexCache
from tarimba.spaces import SpaceKeys, has_spaces
from tarimba.storage import Database, migrate
from tarimba.storage.alone import serving_alone
from tarimba.storage.interrupted import require_whole
from tarimba.telemetry import Telemetry
from tarimba.telemetry.logs import configure
from tarimba.tokens import O200k
from tarimba.vault import open_vault

KEEP_ALIVE_SECONDS = 180
# What is queued is committed, however little time is left.
WRITER_SECONDS = 1.0
# The last spans have so long to leave.
SPANS_SECONDS = 2.0
# Of a server without a kernel: nothing of it waits for a database.
DETECTORS_DRAIN_SECONDS = 15


@contextmanager
def open_kernel(
    settings: Settings,
    *,
    rotating: bool = False,
    upgrading: bool = True,
    customers: CustomerMemory | None = None,
) -> Iterator[Kernel]:
    """Opens the database, starts the writer, and closes both at the end.

    The database is brought to the present schema; not `upgrading`, an older one is refused and stays as it is.
    The master key must open every space, unless it is about to take an old one's place (`rotating`). Contexts and
    histories come from `customers`, else from the turns that agents recorded.
    Raises `DatabaseError`, `VaultError` and `EmbedderError`, each with a sentence for the operator.
    """
    settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
    require_whole(settings.data)
    database = Database(settings.url, direct=settings.db_direct)
    try:
        if not database.is_sqlite:
            # With a database of several hosts no command does anything before the key is there.
            open_vault(settings, may_create=False)
        (migrate.upgrade if upgrading else migrate.check)(database)
        vault = open_vault(settings, may_create=database.is_sqlite and not has_spaces(database))
        database.check_durability()
        keys = SpaceKeys(database, vault)
        if not rotating:
            keys.check()
        kernel = _kernel(settings, database, keys, vault, customers)
        watch(kernel)
        kernel.writer.start()
        try:
            yield kernel
        finally:
            kernel.writer.stop(max(WRITER_SECONDS, kernel.draining.left()))
            kernel.detectors.close()
            kernel.telemetry.tracing.close(kernel.draining.left(SPANS_SECONDS))
    finally:
        database.close()


def _kernel(
    settings: Settings,
    database: Database,
    keys: SpaceKeys,
    vault: Any,
    customers: CustomerMemory | None,
) -> Kernel:
    clock = Clock(settings.clock_offset_s * SECOND)
    words = Words()
    telemetry = _telemetry(settings)
    return Kernel(
        settings=settings,
        clock=clock,
        database=database,
        vault=vault,
        keys=keys,
        writer=GroupCommit(database, clock, keys.of, queue_max=settings.queue_max, telemetry=telemetry),
        tokenizer=O200k(),
        words=words,
        detectors=_detectors(settings, telemetry),
        blocks=BlockCache(),
        indexes=IndexCache(),
        customers=customers or TurnsMemory(database, keys, words),
        meaning=meaning(settings.embedder),
        cold=_cold(settings),
        telemetry=telemetry,
        callers=Callers(settings.reads_per_second),
        draining=Draining(settings.drain_delay_s + DRAIN_SECONDS),
    )


def _cold(settings: Settings) -> Cold:
    if settings.cold_url is None:
        return Cold(None if settings.cold_dir is None else Folder(settings.cold_dir))
    try:
        from tarimba.receipts.cold_bucket import Bucket
    except ImportError:
        says = "TARIMBA_COLD_URL needs the extra `s3`: pip install 'tarimba[s3]'."
        raise Refusal("unavailable", says) from None
    access, secret = settings.cold_access_key, settings.cold_secret_key
    bucket = Bucket(
        settings.cold_url,
        endpoint=settings.cold_endpoint,
        region=settings.cold_region,
        access_key=None if access is None else access.get_secret_value(),
        secret_key=None if secret is None else secret.get_secret_value(),
    )
    return Cold(bucket)


def _telemetry(settings: Settings) -> Telemetry:
    if not settings.otel:
        return Telemetry()
    from tarimba.telemetry.otel import OtelTracing

    return Telemetry(tracing=OtelTracing(__version__))


def _detectors(settings: Settings, telemetry: Telemetry) -> Detectors:
    if settings.detectors_url is None:
        return Detectors.local().watched(telemetry)
    from tarimba.personal_data.model_server.client import Address, ModelServer

    address = Address(settings.detectors_url, settings.detectors_label)
    server = ModelServer(address, settings.detectors_timeout_ms / 1000)
    telemetry.metrics.gauge(
        "tarimba_model_server_given_up",
        "Whether the server of names has failed time and again, so that nobody waits for it.",
        lambda: {(language,): float(is_open) for language, is_open in server.given_up.items()},
        ("language",),
    )
    return Detectors.local(model=False).beside(server).watched(telemetry)


def build_app(kernel: Kernel) -> Any:
    """The ASGI application over a kernel: the API, the block's fast path, the MCP servers and the console."""
    from tarimba.console.app import Console
    from tarimba.console.entrance import Entrance
    from tarimba.http.counted import Counted
    from tarimba.http.front import FrontDoor
    from tarimba.http.metrics import PATH, MetricsPage
    from tarimba.http.problems import Guard
    from tarimba.http.skin import make_app
    from tarimba.mcp.server import NotesMcp

    console, notes, graph = Console(kernel), NotesMcp(kernel), _graph(kernel)
    routes = all_routes()

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        for opened in (console, front):
            opened.open()
        async with AsyncExitStack() as running:
            for server in (notes, *graph):
                await running.enter_async_context(server.running())
            yield
        for closed in (console, front):
            await asyncio.to_thread(closed.close)

    app = make_app(kernel, routes, lifespan=lifespan)
    own = {"/": Entrance(app), "/mcp": notes, "/console/*": console}
    for server in graph:
        own |= server.own
    own = {path: Counted(kernel.telemetry, one, path) for path, one in own.items()}
    if kernel.settings.metrics_token is not None:
        own[PATH] = MetricsPage(kernel.telemetry.metrics.registry, kernel.settings.metrics_token)
    front = FrontDoor(kernel, routes, app, own)
    return Guard(front)


def _graph(kernel: Kernel) -> list[Any]:
    """The server of the memory graph, where there is a graph."""
    from tarimba.graph.service import has_graph
    from tarimba.mcp.graph_server import GraphMcp

    return [GraphMcp(kernel)] if has_graph(kernel.settings) else []


def all_routes() -> tuple[Route, ...]:
    """Every declared URL of the API."""
    from tarimba.blocks import routes as blocks
    from tarimba.conversations import neighbour_routes as neighbour
    from tarimba.conversations import routes as conversations
    from tarimba.distill import routes as distill
    from tarimba.erasure import member_routes as member_data
    from tarimba.erasure import routes as erasure
    from tarimba.evolution import routes as evolution
    from tarimba.graph import routes as graph
    from tarimba.graph import turn_routes as turns
    from tarimba.http import health
    from tarimba.identity import member_routes as members
    from tarimba.identity import routes as identity
    from tarimba.jobs import routes as jobs
    from tarimba.notes import routes as notes
    from tarimba.personal_data import routes as personal_data
    from tarimba.proof import routes as proof
    from tarimba.receipts import routes as receipts
    from tarimba.skills import member_routes as member_skills
    from tarimba.skills import routes as skills
    from tarimba.skills import sync_routes as synced_skills
    from tarimba.webhooks import routes as webhooks
    from tarimba.workspaces import memory_routes, public_routes
    from tarimba.workspaces import routes as workspaces
    from tarimba.workspaces import secret_routes as secrets

    slices = (
        health,
        blocks,
        notes,
        conversations,
        neighbour,
        distill,
        evolution,
        erasure,
        member_data,
        identity,
        members,
        turns,
        personal_data,
        skills,
        member_skills,
        synced_skills,
        graph,
        secrets,
        receipts,
        proof,
        jobs,
        webhooks,
        workspaces,
        memory_routes,
        public_routes,
    )
    return tuple(route for one in slices for route in one.ROUTES)


def serve(
    settings: Settings,
    *,
    ready: Callable[[str | None], None] | None = None,
    customers: CustomerMemory | None = None,
) -> None:
    """Serves until it is told to stop. `customers` is a memory of the company's own.

    `ready` is called when it listens, with the link by which the first owner comes in where there is no space yet.

    All of it ends within 15 seconds then: idle connections are closed, and requests under way have 11.
    """
    import uvicorn

    from tarimba.http.beside import watching
    from tarimba.http.heads import Heads
    from tarimba.http.listening import Listening

    configure(settings)
    # Before anything is opened: a newer version must not change the schema under a server that it can't stand beside.
    with serving_alone(settings.url), open_kernel(settings, customers=customers) as kernel:
        kernel.tokenizer.count("warm")
        config = uvicorn.Config(
            build_app(kernel),
            http=Heads,
            host=settings.host,
            port=settings.port,
            access_log=False,
            server_header=False,
            log_config=None,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            **before(settings),
        )
        with watching(kernel), working(kernel) if settings.jobs else nullcontext() as wind_down:
            Listening(
                config,
                kernel.draining,
                ready=None if ready is None else partial(ready, _first_link(kernel)),
                told=wind_down,
                delay=settings.drain_delay_s,
            ).run()


def before(settings: Settings) -> dict[str, Any]:
    """What the server takes from proxies before it: nothing, unless the settings name them."""
    proxies = settings.trusted_proxies
    return {"proxy_headers": bool(proxies), "forwarded_allow_ips": proxies or []}


def _first_link(kernel: Kernel) -> str | None:
    from tarimba.identity.links import first_link

    secret = first_link(kernel)
    return None if secret is None else f"{kernel.settings.address}/console/first/{secret}"


def work(settings: Settings, *, threads: int = 2, ready: Callable[[], None] | None = None) -> None:
    """Does the work beside the requests until it is told to stop (SIGTERM, SIGINT); `ready` is called when it does.

    The jobs under way have 10 seconds to end.
    """
    from tarimba.http.beside import watching

    configure(settings)
    # A pipe, because a handler may write to it whatever it interrupts: a lock it might find held by whom it interrupts.
    told, tell = os.pipe()
    with open_kernel(settings) as kernel, watching(kernel), working(kernel, threads=threads, share=1.0):

        def end(*_: object) -> None:
            if kernel.draining.is_on:
                kernel.draining.hurry()
            kernel.draining.begin()
            os.write(tell, b".")

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, end)
        if ready is not None:
            ready()
        os.read(told, 1)


def serve_detectors(settings: Settings, host: str, port: int) -> None:
    """Serves the detectors of this package to other processes until it is told to stop. Needs no database."""
    import uvicorn

    from tarimba.personal_data.model_server.serve import application

    configure(settings)
    config = uvicorn.Config(
        application(Detectors.local()),
        host=host,
        port=port,
        access_log=False,
        server_header=False,
        log_config=None,
        timeout_graceful_shutdown=DETECTORS_DRAIN_SECONDS,
    )
    uvicorn.Server(config).run()
