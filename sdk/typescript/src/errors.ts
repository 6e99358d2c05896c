/**
 * What can go wrong with a call, by code: the codes of the API and those that only a client knows.
 *
 * No message holds anything that the caller sent: the API's details name fields and rules only.
 */

/** Where personal data was found in a refused note: positions in code points, never the value. */
export interface Finding {
  readonly kind: string;
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

/**
 * What an answer said besides its code. `status` is the HTTP status, undefined when nothing was answered;
 * `retryAfter` is in seconds; `kinds` and `findings` say which kinds of personal data a refused note has and where.
 */
export interface Facts {
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly kinds?: readonly string[];
  readonly findings?: readonly Finding[];
}

// Whether the same request may do better a moment later.
const PASSING: ReadonlySet<number> = new Set([429]);

/** A call failed. `code` is stable; `message` is a sentence for a person. */
export class TarimbaError extends Error {
  readonly code: string;
  readonly facts: Facts;

  constructor(code: string, message: string, facts: Facts = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "TarimbaError";
    this.code = code;
    this.facts = facts;
  }

  /** Whether the same request may do better a moment later. */
  get passing(): boolean {
    const status = this.facts.status;
    if (status === undefined) {
      return this.code === "connection_failed";
    }
    return PASSING.has(status) || (status >= 500 && status !== 501);
  }

  /** Whether the key is unknown, revoked, expired, or may not do this. */
  get forbidding(): boolean {
    return this.facts.status === 401 || this.facts.status === 403;
  }
}

/** The call took longer than its time budget. */
export function outOfTime(): TarimbaError {
  return new TarimbaError("timeout", "The call took longer than its time budget.");
}

/** What answered does not speak this API. */
export function badResponse(sentence: string, status?: number): TarimbaError {
  // Its status is kept apart from `passing`: an answer that can't be read is not better a moment later.
  return new BadResponse(sentence, status);
}

class BadResponse extends TarimbaError {
  constructor(sentence: string, status?: number) {
    super("bad_response", sentence, { status });
  }

  override get passing(): boolean {
    return false;
  }
}

/** Any failure as one of ours. */
export function known(error: unknown): TarimbaError {
  if (error instanceof TarimbaError) {
    return error;
  }
  const kind = error instanceof Error ? error.name : "unknown";
  return new TarimbaError("client_error", `The client failed (${kind}).`, {}, { cause: error });
}
