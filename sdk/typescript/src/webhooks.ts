/**
 * Signatures of webhooks: HMAC-SHA256 over id, time and the very bytes of the payload.
 *
 * Source: the Standard Webhooks specification, 1.0.
 */

import { base64, fromBase64, joined, utf8 } from "./bytes.js";

const TOLERANCE_SECONDS = 300;
const PREFIX = "whsec_";

/** A request does not come from who holds the secret, or is too old. */
export class NotGenuineError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = "NotGenuineError";
  }
}

/** The headers of a request: of `fetch`, or of Node (names in lower case). */
export type GivenHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The event's id when the request is genuine: answer a second one of the same id without doing it again.
 *
 * `secret` is as it was shown, `whsec_` and base64; `payload` is the body as it arrived, before anybody parsed it; `now`
 * is in seconds since the epoch. Rejects with `NotGenuineError`, with `TypeError` for what is no secret.
 */
export async function verifyWebhook(
  secret: string,
  headers: GivenHeaders,
  payload: string | Uint8Array,
  now: number = Date.now() / 1000,
): Promise<string> {
  const [id, seconds] = [header(headers, "webhook-id"), header(headers, "webhook-timestamp")];
  if (id === "" || !/^[0-9]+$/.test(seconds)) {
    throw new NotGenuineError("The headers webhook-id and webhook-timestamp are missing or malformed.");
  }
  if (Math.abs(now - Number(seconds)) > TOLERANCE_SECONDS) {
    throw new NotGenuineError("The webhook-timestamp is more than five minutes away from now.");
  }
  const wanted = await signature(secret, id, seconds, payload);
  const given = header(headers, "webhook-signature").split(" ");
  if (!given.map((one) => isEqual(one, wanted)).includes(true)) {
    throw new NotGenuineError("No signature of the webhook-signature was made with this secret.");
  }
  return id;
}

async function signature(secret: string, id: string, seconds: string, payload: string | Uint8Array): Promise<string> {
  const raw = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : undefined;
  if (raw === undefined || raw.length < 24) {
    throw new TypeError("must be a secret as it was shown: whsec_ and base64");
  }
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const body = typeof payload === "string" ? utf8(payload) : payload;
  const signed = await crypto.subtle.sign("HMAC", key, joined(utf8(`${id}.${seconds}.`), body));
  return `v1,${base64(new Uint8Array(signed))}`;
}

function header(headers: GivenHeaders, name: string): string {
  if (headers instanceof Headers) {
    return headers.get(name) ?? "";
  }
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

/** In a time that does not tell where they differ. */
function isEqual(one: string, other: string): boolean {
  let differing = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) {
    differing |= one.charCodeAt(at % (one.length || 1)) ^ other.charCodeAt(at);
  }
  return differing === 0;
}
