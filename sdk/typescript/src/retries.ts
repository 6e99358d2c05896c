/** When to ask again, and after how long. Pure. */

import type { TarimbaError } from "./errors.js";

/**
 * At most `attempts` requests for one call; pauses double from `first` up to `longest` milliseconds.
 *
 * Jitter takes between half and all of a pause, so that the agents of a fleet don't come back together.
 */
export interface Retries {
  readonly attempts: number;
  readonly first: number;
  readonly longest: number;
}

export const RETRIES: Retries = { attempts: 4, first: 50, longest: 1000 };
/** Nobody waits for events: they outlast a restart of the server. */
export const PATIENT: Retries = { attempts: 60, first: 100, longest: 10_000 };

/**
 * Milliseconds to wait before the next attempt, or undefined to give up.
 *
 * `made` attempts failed, the last one with `error`; `left` milliseconds remain; `draw` is random in 0..1.
 */
export function pauseAfter(
  retries: Retries,
  error: TarimbaError,
  made: number,
  left: number,
  draw: number,
): number | undefined {
  if (!error.passing || made >= retries.attempts) {
    return undefined;
  }
  const own = Math.min(retries.longest, retries.first * 2 ** (made - 1)) * (0.5 + draw / 2);
  const asked = error.facts.retryAfter;
  // What the server asks for is the least; jitter comes on top of it.
  const wait = asked === undefined ? own : asked * 1000 + own * draw;
  return wait < left ? wait : undefined;
}
