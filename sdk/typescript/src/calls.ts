/** The calls: budgets, retries, the cache of blocks. Only when strict do they throw. */

import { BlockCache, type BlockKey, blockKey, type Held } from "./cache.js";
import type { Address } from "./configured.js";
import { SEARCH_DEFINITION } from "./definitions.js";
import { known, outOfTime, TarimbaError } from "./errors.js";
import type { Item } from "./events.js";
import { type AgentMemory, EMPTY, type Found, type Recorded, type Remembered, type ToolDefinition } from "./models.js";
import type { Settled } from "./options.js";
import { PATIENT, pauseAfter, type Retries } from "./retries.js";
import { exchange } from "./transport.js";
import * as wire from "./wire.js";

// A server that does not list its tools is asked again after this, and not for every turn.
const UNLISTED_MILLISECONDS = 5000;

interface Listed {
  readonly tools: readonly ToolDefinition[];
  readonly until: number;
}

export class Calls {
  readonly #address: Address;
  readonly #settled: Settled;
  readonly #cache: BlockCache;
  #listed: Listed | undefined;
  #closed = false;

  constructor(address: Address, settled: Settled) {
    this.#address = address;
    this.#settled = settled;
    this.#cache = new BlockCache(settled.blockTtl);
  }

  /** Later calls fail with `closed`. */
  close(): void {
    this.#closed = true;
  }

  async block(
    maxTokens: number,
    tags: readonly string[],
    view: string | undefined,
    occasion: wire.Occasion,
  ): Promise<AgentMemory> {
    const { drops } = this.#cache;
    const key = blockKey(maxTokens, tags, view);
    const held = this.#cache.get(key);
    if (held !== undefined && this.#cache.isFresh(held, this.#now())) {
      return { ...held.memory, source: "cache", error: undefined };
    }
    try {
      return await this.#askBlock(key, held, drops, occasion);
    } catch (error) {
      const { code } = this.#settle("block", error);
      // A key that was revoked meanwhile must not go on reading from here.
      const last = this.#cache.drops === drops ? held : undefined;
      return last ? { ...last.memory, source: "cache", error: code } : { ...EMPTY, error: code };
    }
  }

  async search(query: string, tags: readonly string[], limit: number, occasion: wire.Occasion): Promise<Found> {
    try {
      const request = wire.searchRequest(query, tags, limit, occasion);
      return wire.readFound(await this.#call(request, this.#settled.budgets.search));
    } catch (error) {
      const { code, message } = this.#settle("search", error);
      return { notes: [], receiptId: undefined, error: code, detail: message };
    }
  }

  async remember(note: wire.NewNote): Promise<Remembered> {
    try {
      const request = wire.noteRequest(note, crypto.randomUUID());
      return wire.readRemembered(await this.#call(request, this.#settled.budgets.remember));
    } catch (error) {
      return refused(this.#settle("remember", error));
    } finally {
      // Also after a failure: a call that took too long may have stored the note all the same.
      this.#cache.drop();
    }
  }

  /** The tools that the server lists for this key. When it can't be asked, what it last listed, else searching. */
  async tools(): Promise<readonly ToolDefinition[]> {
    const now = this.#now();
    if (this.#listed !== undefined && now < this.#listed.until) {
      return this.#listed.tools;
    }
    try {
      const tools = wire.readTools(await this.#call(wire.toolsRequest(), this.#settled.budgets.block));
      this.#listed = { tools, until: now + this.#settled.blockTtl };
    } catch (error) {
      const tools = this.#instead(this.#settle("tools", error));
      this.#listed = { tools, until: now + UNLISTED_MILLISECONDS };
    }
    return this.#listed.tools;
  }

  /** Sends events. Throws a `TarimbaError`; an item is known by its key, so sending again records once. */
  async batch(items: readonly Item[]): Promise<Recorded> {
    const response = await this.#call(wire.batchRequest(items), this.#settled.budgets.batch, PATIENT);
    return wire.readRecorded(response);
  }

  #instead(error: TarimbaError): readonly ToolDefinition[] {
    return error.forbidding ? [] : (this.#listed?.tools ?? [SEARCH_DEFINITION]);
  }

  async #askBlock(key: BlockKey, held: Held | undefined, drops: number, occasion: wire.Occasion): Promise<AgentMemory> {
    const request = wire.blockRequest(key, held?.memory.etag ?? "", occasion);
    const response = await this.#call(request, this.#settled.budgets.block);
    const isSame = response.status === 304 && held !== undefined;
    const memory: AgentMemory = isSame
      ? { ...held.memory, receiptId: wire.receiptOf(response), source: "cache", error: undefined }
      : { ...wire.readBlock(response), source: "network", error: undefined };
    this.#cache.put(key, { memory, confirmedAt: this.#now() }, drops);
    return memory;
  }

  /** One call with its retries. Every attempt sends the same bytes and the same idempotency key. */
  async #call(request: wire.Request, budget: number, retries: Retries = this.#settled.retries): Promise<wire.Response> {
    const end = this.#now() + budget;
    for (let made = 1; ; made += 1) {
      try {
        return await this.#attempt(request, end);
      } catch (error) {
        const left = Math.max(0, end - this.#now());
        const pause = pauseAfter(retries, known(error), made, left, this.#settled.platform.draw());
        if (pause === undefined) {
          throw error;
        }
        // Nobody waits for events: a program that is done ends without them, unless it closes the client.
        await this.#settled.platform.sleep(pause, retries !== PATIENT);
      }
    }
  }

  async #attempt(request: wire.Request, end: number): Promise<wire.Response> {
    if (this.#closed) {
      throw new TarimbaError("closed", "The client was closed.");
    }
    const left = end - this.#now();
    if (left <= 0) {
      throw outOfTime();
    }
    const response = await exchange(this.#address, request, left, this.#settled.fetch);
    const error = wire.failure(response);
    if (error?.forbidding) {
      this.#cache.drop();
      this.#listed = undefined;
    }
    if (error !== undefined) {
      throw error;
    }
    return response;
  }

  #now(): number {
    return this.#settled.platform.clock();
  }

  /** The error as one of ours, told without a word of what was sent. Throws it when strict. */
  #settle(call: string, error: unknown): TarimbaError {
    const found = known(error);
    if (this.#settled.strict) {
      throw found;
    }
    this.#settled.warn(`${call} failed: ${found.code} (status ${found.facts.status ?? "none"})`);
    return found;
  }
}

function refused(error: TarimbaError): Remembered {
  const { kinds = [], findings = [], retryAfter } = error.facts;
  const { code, message } = error;
  return {
    note: undefined,
    proposalId: undefined,
    warnings: [],
    error: code,
    detail: message,
    kinds,
    findings,
    retryAfter,
  };
}
