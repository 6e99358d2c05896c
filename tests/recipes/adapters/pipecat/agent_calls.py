"""A call without its audio: the pipeline between what the caller said and what the agent says."""

from pipecat.frames.frames import EndFrame, LLMMessagesAppendFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    AssistantTurnStoppedMessage,
    LLMContextAggregatorPair,
)
from pipecat.services.llm_service import LLMService
from pipecat.workers.runner import WorkerRunner


async def call(llm: LLMService, question: str, before: list[dict[str, object]] | None = None) -> str:
    """What the agent says to the one thing that it is asked; `before` is what the context has already."""
    context = LLMContext(before)
    pair = LLMContextAggregatorPair(context)
    worker = PipelineWorker(Pipeline([pair.user(), llm, pair.assistant()]), idle_timeout_secs=None)
    said: list[str] = []

    @pair.assistant().event_handler("on_assistant_turn_stopped")
    async def stopped(_aggregator: object, message: AssistantTurnStoppedMessage) -> None:
        if message.content:
            said.append(message.content)
            await worker.queue_frame(EndFrame())

    await worker.queue_frame(
        LLMMessagesAppendFrame(messages=[{"role": "user", "content": question}], run_llm=True)
    )
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await runner.run()
    assert "<agent_notes>" not in str(context.get_messages())
    return said[-1]
