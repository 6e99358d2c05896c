/**
 * What every adapter shares: reading the notes for a run, where they go, and the tools beside them.
 *
 * Nothing here outlasts the client's budgets, and unless the client is strict nothing throws.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { Tarimba } from "../client.js";
import { type Composed, compose } from "../composing.js";
import type { Tool } from "../tools.js";

const CONTEXT = new AsyncLocalStorage<string>();

/** The customer's context of what `work` runs: each adapter puts it behind the notes. Follows promises. */
export function customerContext<T>(text: string, work: () => T): T {
  return CONTEXT.run(text, work);
}

/**
 * An agent's notes for an adapter: whose they are, how much of them, and whether the model may write.
 *
 * `agentMemory` is true unless told (key and address from the environment), false for none, or a client. `maxTokens`,
 * `tags` and `view` are those of `Tarimba.agentMemory`; `write` offers `remember`, where the key may.
 */
export interface NotesOptions {
  readonly agentMemory?: boolean | Tarimba;
  readonly write?: boolean;
  readonly maxTokens?: number;
  readonly tags?: readonly string[];
  readonly view?: string;
}

/** What stands in a prompt: the block's text, empty for none, and the customer's context. */
export interface Standing {
  readonly notes: string;
  readonly context: string;
}

export class Notes {
  readonly #client: Tarimba;
  readonly #options: NotesOptions;

  constructor(client: Tarimba, options: NotesOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** What an adapter was given, undefined for no memory. */
  static of(options: NotesOptions): Notes | undefined {
    const { agentMemory = true } = options;
    if (agentMemory === false) {
      return undefined;
    }
    return new Notes(agentMemory === true ? new Tarimba() : agentMemory, options);
  }

  async standing(): Promise<Standing> {
    const { maxTokens = 300, tags = [], view } = this.#options;
    const { text } = await this.#client.agentMemory({ maxTokens, tags, view });
    return { notes: text, context: CONTEXT.getStore() ?? "" };
  }

  /** The system prompt of this run: instructions, notes, then the context of `customerContext`. */
  async compose(instructions: string): Promise<Composed> {
    const { notes, context } = await this.standing();
    return compose(instructions, notes, context);
  }

  /** The tools that the server lists for the key; `remember` only with `write`. */
  tools(): Promise<readonly Tool[]> {
    return this.#client.tools({ write: this.#options.write ?? false });
  }
}
