/** Telling what happens in a conversation or a task: turns and actions, recorded in the background. */

import { action, ended, type Item, message, type Scene, stampOf } from "./events.js";
import type { Block } from "./models.js";
import type { Recorder } from "./recording.js";

/**
 * A conversation, or a task. Nothing here waits or throws.
 *
 * Texts are masked by the server before anything is stored.
 */
export class Conversation {
  readonly #recorder: Recorder;
  readonly #scene: Scene;
  #stamp: Item | undefined;
  #ended = false;

  constructor(recorder: Recorder, scene: Scene) {
    this.#recorder = recorder;
    this.#scene = scene;
  }

  get conversationId(): string | undefined {
    return this.#scene.conversationId;
  }

  get taskId(): string | undefined {
    return this.#scene.taskId;
  }

  /** What the customer said. */
  customer(text: string): void {
    this.#recorder.put(message(this.#scene, "customer", text));
  }

  /** What the agent answered. Goes with the read that the agent had before, if `injected` was told of it. */
  agent(text: string): void {
    this.#recorder.put(message(this.#scene, "ai_agent", text, this.#stamp));
  }

  /** What the agent did in a system: a code such as `refund` or `invoice.void`, how it went and what for. */
  action(operation: string, told: { result?: string; purpose?: string } = {}): void {
    this.#recorder.put(action(this.#scene, operation, told));
  }

  /** The block that stands in the agent's prompt from now on: its receipt goes with each turn of the agent. */
  injected(memory: Block): void {
    this.#stamp = stampOf(memory) ?? this.#stamp;
  }

  /** The end, once. What succeeded may teach a skill; nothing is learned before the end. */
  end(succeeded?: boolean): void {
    if (!this.#ended) {
      this.#ended = true;
      this.#recorder.put(ended(this.#scene, succeeded));
    }
  }
}
