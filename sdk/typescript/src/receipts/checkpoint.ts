/**
 * Signed checkpoints: the size and root of a log under an Ed25519 signature, and what witnesses outside say of them.
 *
 * Source: C2SP tlog-checkpoint, signed-note and tlog-cosignature (`cosignature/v1`).
 */

import { type Bytes, fromBase64, hex, isSame, joined, sha256, utf8 } from "../bytes.js";

const MARK_SIZE = 4;
const KEY_SIZE = 33;
const TIME_BYTES = 8;
// A moment of the year 9999: what is later is no moment that a clock shows.
const TIME_MAX = 253_402_300_799;
const NOTE = /^((\S+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*)\n((?:— [^\n]+\n)+)/gm;

/** A log of `size` receipts with that `root` (32 bytes), and the `note` that says so with its signatures. */
export interface SignedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
  readonly note: string;
}

/** A key of signed notes; `keyId` is what its signatures name it by. */
export interface NoteKey {
  readonly kind: "log" | "witness";
  readonly name: string;
  readonly keyId: string;
  readonly raw: Bytes;
}

/** That the witness with `keyId` saw the checkpoint `at` (Unix seconds). */
export interface Cosignature {
  readonly keyId: string;
  readonly at: number;
}

const ALGORITHMS = { log: 1, witness: 4 } as const;

/** The public key of a log, as its server shows it: `<name>+<key id>+<base64>`. Rejects with `TypeError`. */
export function parseLogKey(said: string): Promise<NoteKey> {
  return parseKey(said, "log");
}

/** The public key of a witness, in the same form. Rejects with `TypeError`. */
export function parseWitnessKey(said: string): Promise<NoteKey> {
  return parseKey(said, "witness");
}

/** The checkpoints in a text, in their order: a file may have gathered many. What else is there is passed over. */
export function readCheckpoints(text: string): readonly SignedCheckpoint[] {
  return [...text.replaceAll("\r\n", "\n").matchAll(NOTE)].flatMap((found) => {
    const [note, , origin = "", size, encoded = ""] = found;
    const root = fromBase64(encoded);
    return root && Number.isSafeInteger(Number(size)) ? [{ origin, size: Number(size), root, note }] : [];
  });
}

/** Whether one of its signatures is this key's. */
export async function isSigned(checkpoint: SignedCheckpoint, key: NoteKey): Promise<boolean> {
  for (const { body, said } of await signatures(checkpoint.note, key)) {
    if (await fits(key, said, body)) {
      return true;
    }
  }
  return false;
}

/** The newest that this witness gave to the checkpoint, or undefined when none of the lines of its note is one. */
export async function cosignatureOf(checkpoint: SignedCheckpoint, key: NoteKey): Promise<Cosignature | undefined> {
  const found: Cosignature[] = [];
  for (const { body, said } of await signatures(checkpoint.note, key)) {
    const at = said.subarray(0, TIME_BYTES).reduce((value, byte) => value * 256 + byte, 0);
    const message = `cosignature/v1\ntime ${at}\n${body}`;
    if (at <= TIME_MAX && (await fits(key, said.subarray(TIME_BYTES), message))) {
      found.push({ keyId: key.keyId, at });
    }
  }
  return found.reduce<Cosignature | undefined>((one, other) => (one && one.at >= other.at ? one : other), undefined);
}

async function parseKey(said: string, kind: "log" | "witness"): Promise<NoteKey> {
  const [, name = "", keyId = "", encoded = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(said.trim()) ?? [];
  const raw = fromBase64(encoded) ?? new Uint8Array();
  const isKey = raw.length === KEY_SIZE && raw[0] === ALGORITHMS[kind];
  const key: NoteKey = { kind, name, keyId, raw: raw.subarray(1) };
  if (!isKey || hex(await mark(key)) !== keyId) {
    throw new TypeError(`this is no public key of a ${kind}`);
  }
  return key;
}

async function mark(key: NoteKey): Promise<Bytes> {
  const named = joined(utf8(`${key.name}\n`), Uint8Array.of(ALGORITHMS[key.kind]), key.raw);
  return (await sha256(named)).subarray(0, MARK_SIZE);
}

/** The body of a note, and what each of its signature lines of this key holds after the mark. */
async function signatures(note: string, key: NoteKey): Promise<readonly { body: string; said: Bytes }[]> {
  const end = note.indexOf("\n\n");
  const body = note.slice(0, end + 1);
  const own = await mark(key);
  return note
    .slice(end + 2)
    .split("\n")
    .flatMap((line) => {
      const [name, encoded = ""] = line.replace(/^— /, "").split(" ");
      const said = fromBase64(encoded) ?? new Uint8Array();
      const isOwn = name === key.name && isSame(said.subarray(0, MARK_SIZE), own);
      return isOwn ? [{ body, said: said.subarray(MARK_SIZE) }] : [];
    });
}

async function fits(key: NoteKey, signature: Bytes, message: string): Promise<boolean> {
  const algorithm = { name: "Ed25519" };
  try {
    const imported = await crypto.subtle.importKey("raw", key.raw, algorithm, false, ["verify"]);
    return await crypto.subtle.verify(algorithm, imported, signature, utf8(message));
  } catch (error) {
    // So says a platform of 32 bytes that are no point of the curve.
    if (error instanceof DOMException && error.name === "DataError") {
      return false;
    }
    throw error;
  }
}
