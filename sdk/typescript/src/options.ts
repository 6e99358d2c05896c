/** What may be set besides key and address. */

import { RETRIES, type Retries } from "./retries.js";

/**
 * Milliseconds for the whole of each kind of call: every attempt, the pauses, the slowest body.
 *
 * The block stands in the way of every turn of an agent; for `batch` nobody waits.
 */
export interface Budgets {
  readonly block: number;
  readonly search: number;
  readonly remember: number;
  readonly batch: number;
}

export const BUDGETS: Budgets = { block: 300, search: 600, remember: 5000, batch: 120_000 };

/** What `new Tarimba` takes. Everything has a default. */
export interface TarimbaOptions {
  /** The agent's key, else the environment's `TARIMBA_API_KEY`. */
  readonly apiKey?: string;
  /** The server's address, else `TARIMBA_BASE_URL`, else this machine's port 8750. */
  readonly baseUrl?: string;
  /** Throw a `TarimbaError` where a call fails, instead of returning an empty value with `error`. */
  readonly strict?: boolean;
  readonly budgets?: Partial<Budgets>;
  readonly retries?: Partial<Retries>;
  /** How long (milliseconds) a block answers without asking the server. 60,000 unless told. */
  readonly blockTtl?: number;
  /** How many events are kept that were recorded and not sent yet. 10,000 unless told. */
  readonly eventsWaiting?: number;
  /** What sends requests, for a proxy or a private authority. The platform's `fetch` unless told. */
  readonly fetch?: typeof fetch;
  /** Where a sentence about a failure goes; it never holds a text or a key. `console.warn` unless told. */
  readonly warn?: (sentence: string) => void;
  /** Replaced in tests. */
  readonly platform?: Partial<Platform>;
}

/**
 * Time and chance: `clock` in milliseconds, monotonic; `draw` is random in 0..1.
 *
 * A pause that does not `hold` keeps no process from ending.
 */
export interface Platform {
  readonly clock: () => number;
  readonly sleep: (milliseconds: number, hold: boolean) => Promise<void>;
  readonly draw: () => number;
}

/** The options with their defaults. */
export interface Settled {
  readonly strict: boolean;
  readonly budgets: Budgets;
  readonly retries: Retries;
  readonly blockTtl: number;
  readonly eventsWaiting: number;
  readonly fetch: typeof fetch;
  readonly warn: (sentence: string) => void;
  readonly platform: Platform;
}

export function settled(options: TarimbaOptions): Settled {
  return {
    strict: options.strict ?? false,
    budgets: { ...BUDGETS, ...options.budgets },
    retries: { ...RETRIES, ...options.retries },
    blockTtl: options.blockTtl ?? 60_000,
    eventsWaiting: options.eventsWaiting ?? 10_000,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    warn: options.warn ?? ((sentence) => console.warn(`tarimba: ${sentence}`)),
    platform: { ...PLATFORM, ...options.platform },
  };
}

const PLATFORM: Platform = {
  clock: () => performance.now(),
  sleep: (milliseconds, hold) =>
    new Promise((resolve) => {
      const timer: unknown = setTimeout(resolve, milliseconds);
      if (!hold) {
        (timer as { unref?: () => void }).unref?.();
      }
    }),
  draw: Math.random,
};
