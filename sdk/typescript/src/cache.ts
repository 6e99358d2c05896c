/** The last good block for each question. No clock and no network: callers say what time it is. */

import type { AgentMemory } from "./models.js";

/** What decides a block's bytes, besides the agent. Tags are a set to the server. */
export interface BlockKey {
  readonly maxTokens: number;
  readonly tags: readonly string[];
  readonly view: string | undefined;
}

export function blockKey(maxTokens: number, tags: readonly string[], view: string | undefined): BlockKey {
  return { maxTokens, tags: [...new Set(tags)].sort(), view };
}

/** A block and the moment (monotonic milliseconds) at which the server last vouched for it. */
export interface Held {
  readonly memory: AgentMemory;
  readonly confirmedAt: number;
}

/** Holds at most `most` blocks, the least used leave first. */
export class BlockCache {
  readonly #held = new Map<string, Held>();
  readonly #ttl: number;
  readonly #most: number;
  #drops = 0;

  constructor(ttl: number, most = 64) {
    this.#ttl = ttl;
    this.#most = most;
  }

  /** How often the cache was dropped. Take it before asking the server, give it to `put`. */
  get drops(): number {
    return this.#drops;
  }

  get(key: BlockKey): Held | undefined {
    const name = JSON.stringify(key);
    const held = this.#held.get(name);
    if (held !== undefined) {
      this.#held.delete(name);
      this.#held.set(name, held);
    }
    return held;
  }

  isFresh(held: Held, now: number): boolean {
    return now - held.confirmedAt < this.#ttl;
  }

  /** Keeps a block, unless the cache was dropped while it was under way: it may be older than that. */
  put(key: BlockKey, held: Held, drops: number): void {
    if (drops !== this.#drops) {
      return;
    }
    const name = JSON.stringify(key);
    this.#held.delete(name);
    this.#held.set(name, held);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= this.#most) {
        break;
      }
      this.#held.delete(oldest);
    }
  }

  /** Forgets everything: what the agent may read has changed, or it may read nothing any more. */
  drop(): void {
    this.#held.clear();
    this.#drops += 1;
  }
}
