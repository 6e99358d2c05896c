/** The client. */

import { Calls } from "./calls.js";
import { type Composed, compose } from "./composing.js";
import { configured, refuseBrowsers, shown } from "./configured.js";
import { Conversation } from "./conversation.js";
import type { Handle } from "./events.js";
import type { AgentMemory, Found, Remembered, ToolDefinition } from "./models.js";
import { settled, type TarimbaOptions } from "./options.js";
import { Recorder, type Tally } from "./recording.js";
import { type Tool, toolsOf } from "./tools.js";
import type { NewNote, Occasion } from "./wire.js";

/** `maxTokens` is 50 to 2000, 300 unless told, in o200k_base. */
export interface BlockOptions extends Occasion {
  readonly maxTokens?: number;
  readonly tags?: readonly string[];
  readonly view?: string | undefined;
}

/** `limit` is 1 to 20, 5 unless told. */
export interface SearchOptions extends Occasion {
  readonly tags?: readonly string[];
  readonly limit?: number;
}

/**
 * An agent's memory. One for a process is enough.
 *
 * Memory never breaks an agent: calls end within their budget and return an empty value whose `error` is a code. With
 * `strict` they, and this constructor, throw `TarimbaError` instead. In a browser the constructor always throws: an
 * agent's key is a secret.
 */
export class Tarimba {
  readonly #address: string;
  readonly #calls: Calls;
  readonly #recorder: Recorder;

  constructor(options: TarimbaOptions = {}) {
    refuseBrowsers();
    const address = configured(options.apiKey, options.baseUrl);
    const chosen = settled(options);
    if (address.problem !== undefined && chosen.strict) {
      throw address.problem;
    }
    if (address.problem !== undefined) {
      chosen.warn(`there will be no memory: ${address.problem.message}`);
    }
    this.#address = shown(address.baseUrl);
    this.#calls = new Calls(address, chosen);
    this.#recorder = new Recorder((items) => this.#calls.batch(items), chosen.eventsWaiting, chosen.warn);
  }

  /**
   * The agent's notes as one text.
   *
   * Answers from memory for `blockTtl`, then asks the server whether it changed; when that fails, gives the last good
   * block with `source` `cache` and `error` set. `conversationId` and `taskId` go into the receipt of what is read from
   * the server, they never change the text.
   */
  agentMemory(options: BlockOptions = {}): Promise<AgentMemory> {
    const { maxTokens = 300, tags = [], view } = options;
    return this.#calls.block(maxTokens, tags, view, options);
  }

  /** The notes that match, best first. */
  searchAgentMemory(query: string, options: SearchOptions = {}): Promise<Found> {
    const { tags = [], limit = 5 } = options;
    return this.#calls.search(query, tags, limit, options);
  }

  /**
   * Keeps a note about the agent's work, never about a customer: personal data is refused.
   *
   * `kind` is procedure, tool_note, process_note or pitfall. Needs a key with the scope `agent_memory:write`. Sent once
   * however often it is retried.
   */
  remember(note: NewNote): Promise<Remembered> {
    return this.#calls.remember(note);
  }

  /**
   * The function tools for a model: `search_agent_memory`, and with `write` also `remember`.
   *
   * Only what the server lists for this key is there; a tool's `run` never throws.
   */
  async tools(options: { readonly agentMemory?: boolean; readonly write?: boolean } = {}): Promise<readonly Tool[]> {
    const { agentMemory = true, write = false } = options;
    return agentMemory ? toolsOf(this.#carriers(), await this.definitions(), write) : [];
  }

  /** The tools that the server lists for this key, in the form of function calling. */
  definitions(): Promise<readonly ToolDefinition[]> {
    return this.#calls.tools();
  }

  /**
   * The system prompt: the instructions, then the agent's notes, then the customer's context.
   *
   * `memory` is a block that was read already, else it is read now with its defaults.
   */
  async compose(instructions: string, context = "", memory?: AgentMemory): Promise<Composed> {
    return compose(instructions, (memory ?? (await this.agentMemory())).text, context);
  }

  /**
   * Records turns and actions of a conversation in the background. Needs a key with the scope `track`.
   *
   * `customer` names who it is with, by handles that only the server's keyed hashes are kept of.
   */
  conversation(
    conversationId: string,
    options: { readonly channel?: string; readonly customer?: readonly Handle[] } = {},
  ): Conversation {
    const { channel = "chat", customer = [] } = options;
    return new Conversation(this.#recorder, { conversationId, channel, customer });
  }

  /** Records the actions of a task, in a conversation or in none. Needs a key with the scope `track`. */
  task(taskId: string, options: { readonly conversationId?: string; readonly channel?: string } = {}): Conversation {
    const { conversationId, channel = "task" } = options;
    return new Conversation(this.#recorder, { conversationId, taskId, channel, customer: [] });
  }

  /** How many events wait, were sent, and were given up. */
  get recorded(): Tally {
    return this.#recorder.tally;
  }

  /** Waits until all that was recorded is sent or given up; false when that took longer than `milliseconds`. */
  flush(milliseconds = 5000): Promise<boolean> {
    return this.#recorder.flush(milliseconds);
  }

  /** Sends what was recorded, for 5 s at most: a program that ends without it may lose events. Later calls fail with `closed`. */
  async close(): Promise<void> {
    await this.#recorder.close(5000);
    this.#calls.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Without the key, for logs. */
  toString(): string {
    return `Tarimba(${this.#address})`;
  }

  #carriers() {
    return {
      search: (query: string, tags: readonly string[]) => this.searchAgentMemory(query, { tags }),
      remember: (note: NewNote) => this.remember(note),
    };
  }
}
