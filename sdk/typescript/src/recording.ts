/** Sending what was said and done in the background: an agent never waits for it, and nothing is lost unsaid. */

import { known } from "./errors.js";
import type { Item } from "./events.js";
import type { Recorded } from "./models.js";

export const AT_ONCE = 100;

/** What became of the items so far. `dropped` were given up: the queue was full, or the server refused them. */
export interface Tally {
  readonly waiting: number;
  readonly sent: number;
  readonly dropped: number;
}

/**
 * A bounded queue and one sender at a time, so that the items of one process arrive in order.
 *
 * `send` gives a batch to the server, with retries, and throws when that failed for good.
 */
export class Recorder {
  readonly #send: (items: readonly Item[]) => Promise<Recorded>;
  readonly #most: number;
  readonly #warn: (sentence: string) => void;
  readonly #queue: Item[] = [];
  #sent = 0;
  #dropped = 0;
  #closed = false;
  #working: Promise<void> | undefined;

  constructor(send: (items: readonly Item[]) => Promise<Recorded>, most: number, warn: (sentence: string) => void) {
    this.#send = send;
    this.#most = most;
    this.#warn = warn;
  }

  get tally(): Tally {
    return { waiting: this.#queue.length, sent: this.#sent, dropped: this.#dropped };
  }

  /** Queues an item; never waits and never throws. A full queue drops the new item and counts it. */
  put(item: Item): void {
    if (this.#closed || this.#queue.length >= this.#most) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(item);
    this.#working ??= this.#work();
  }

  /** Waits until all that was queued has been sent or given up. False when the time was not enough. */
  async flush(milliseconds: number): Promise<boolean> {
    if (this.#working === undefined) {
      return true;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, milliseconds, false);
    });
    try {
      return await Promise.race([this.#working.then(() => true), over]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Flushes, and takes nothing more. What could not be sent in that time is told by its number. */
  async close(milliseconds: number): Promise<void> {
    this.#closed = true;
    if (!(await this.flush(milliseconds))) {
      this.#warn(`closed with ${this.#queue.length} events that were not sent`);
    }
  }

  async #work(): Promise<void> {
    // What is said in one turn goes together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, AT_ONCE);
      const refused = await this.#refused(batch);
      this.#queue.splice(0, batch.length);
      this.#sent += batch.length - refused;
      this.#dropped += refused;
    }
    this.#working = undefined;
  }

  async #refused(batch: readonly Item[]): Promise<number> {
    try {
      const { refused } = await this.#send(batch);
      if (refused > 0) {
        this.#warn(`${refused} events broke a rule and were not taken`);
      }
      return refused;
    } catch (error) {
      this.#warn(`${batch.length} events were given up: ${known(error).code}`);
      return batch.length;
    }
  }
}
