/** One attempt over `fetch`: sends a request and reads all of its answer, within what is left of the call's budget. */

import type { Address } from "./configured.js";
import { badResponse, outOfTime, TarimbaError } from "./errors.js";
import type { Request, Response } from "./wire.js";

const BODY_MAX = 8 * 1024 * 1024;

/** The answer, at the latest after `left` milliseconds. Throws a `TarimbaError`. */
export async function exchange(
  address: Address,
  request: Request,
  left: number,
  send: typeof fetch,
): Promise<Response> {
  if (address.problem !== undefined) {
    throw address.problem;
  }
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Not all that sends requests listens to a signal: the caller goes on in time all the same.
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      ending.abort();
      reject(outOfTime());
    }, left);
  });
  try {
    return await Promise.race([answered(address, request, send, ending.signal), over]);
  } finally {
    clearTimeout(timer);
  }
}

async function answered(
  address: Address,
  request: Request,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const answer = await send(address.baseUrl + request.target, {
      method: request.method,
      headers: headers(address, request),
      // The key goes to the address that it was given for, and nowhere else.
      redirect: "manual",
      signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const body = await read(answer);
    return { status: answer.status, body, header: (name) => answer.headers.get(name) ?? undefined };
  } catch (error) {
    throw failed(error, signal);
  }
}

function headers(address: Address, request: Request): Record<string, string> {
  return {
    authorization: `Bearer ${address.apiKey}`,
    accept: "application/json, application/problem+json",
    "user-agent": "tarimba-typescript",
    ...request.headers,
  };
}

async function read(answer: globalThis.Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const piece of pieces(answer.body)) {
    size += piece.byteLength;
    if (size > BODY_MAX) {
      throw badResponse("The answer is too long.", answer.status);
    }
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

async function* pieces(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      yield next.value;
    }
  } finally {
    // Whoever stops in the middle wants no more of it; what that says is of no use to anybody.
    reader?.cancel().catch(() => undefined);
  }
}

function failed(error: unknown, signal: AbortSignal): TarimbaError {
  if (error instanceof TarimbaError) {
    return error;
  }
  return signal.aborted
    ? outOfTime()
    : new TarimbaError("connection_failed", "The server could not be reached.", {}, { cause: error });
}
