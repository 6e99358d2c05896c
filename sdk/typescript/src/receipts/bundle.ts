/**
 * Verifying a bundle: receipts with their proofs up to one signed checkpoint, and nothing else at hand.
 *
 * A bundle is a JSON document: `{v: 1, origin, checkpoint, keys, receipts: [{seq, receipt, proof}],
 * revealed: [{value, k}]}`, where `checkpoint` is a signed note, `proof` the hashes (hexadecimal) from the leaf up, and
 * `k` (32 bytes, hexadecimal) opens the commitment `SHA-256(k || value)` under which receipts name an id of the caller's own.
 */

import { type Bytes, fromHex, hex, sha256, utf8 } from "../bytes.js";
import { type Fields, fields } from "../json.js";
import { type Answered, answer, detailOf, type Proved } from "./answer.js";
import { canonical } from "./canonical.js";
import {
  type Cosignature,
  cosignatureOf,
  isSigned,
  type NoteKey,
  parseLogKey,
  readCheckpoints,
  type SignedCheckpoint,
} from "./checkpoint.js";
import { leafHash, verifyInclusion } from "./merkle.js";

// With a `k` of any length its end could be told as the beginning of the value, or the other way round.
const OPENING_BYTES = 32;

/** What is wrong, in a sentence, and at which place of the log if at one. */
export interface BundleFinding {
  readonly sentence: string;
  readonly seq: number | undefined;
}

/**
 * What a bundle holds and what is wrong with it; `unchecked` is what could not be checked.
 *
 * `receipts` are those that are proved, oldest first, each with its `seq`. `revealed` maps what was asked about to the
 * places of the receipts that name it, `answers` tells what the agents had been given under it and who vouched for that.
 */
export interface BundleReport {
  readonly ok: boolean;
  readonly origin: string;
  readonly size: number;
  readonly receipts: readonly Proved[];
  readonly revealed: ReadonlyMap<string, readonly number[]>;
  readonly answers: readonly Answered[];
  readonly firstBadSeq: number | undefined;
  readonly witnessed: readonly Cosignature[];
  readonly findings: readonly string[];
  readonly unchecked: readonly string[];
}

/**
 * Verifies a bundle with the public key that its reader trusts; else with the key that it brings along.
 *
 * Each of `witnesses` must have cosigned its checkpoint. Rejects with `TypeError` for what is no bundle, never for a bad
 * one.
 */
export async function verifyBundle(
  document: unknown,
  trusted: { readonly key?: NoteKey; readonly witnesses?: readonly NoteKey[] } = {},
): Promise<BundleReport> {
  const { key, witnesses = [] } = trusted;
  const { signed, keys, rows, opened } = await parts(document);
  const findings: BundleFinding[] = [];
  if (!(await isVouchedFor(signed, key ? [key] : keys))) {
    findings.push(finding("The checkpoint is not signed by the key: nothing in this bundle is vouched for."));
  }
  const witnessed = await seen(signed, witnesses, findings);
  const receipts = await allProved(rows, signed, findings);
  const revealed = await reveal(opened, receipts, findings);
  const bad = findings.flatMap((one) => (one.seq === undefined ? [] : [one.seq]));
  return {
    ok: findings.length === 0,
    origin: signed.origin,
    size: signed.size,
    receipts,
    revealed,
    answers: [...revealed].map(([value, places]) => answer(value, places, receipts)),
    firstBadSeq: bad.length > 0 ? Math.min(...bad) : undefined,
    witnessed,
    findings: findings.map((one) => one.sentence),
    unchecked: unchecked(key !== undefined, witnessed.length > 0),
  };
}

function finding(sentence: string, seq?: number): BundleFinding {
  return { sentence, seq };
}

async function isVouchedFor(signed: SignedCheckpoint, keys: readonly NoteKey[]): Promise<boolean> {
  for (const key of keys) {
    if (key.kind === "log" && key.name === signed.origin && (await isSigned(signed, key))) {
      return true;
    }
  }
  return false;
}

async function seen(
  signed: SignedCheckpoint,
  witnesses: readonly NoteKey[],
  findings: BundleFinding[],
): Promise<readonly Cosignature[]> {
  const found: Cosignature[] = [];
  for (const key of witnesses) {
    const said = key.kind === "witness" ? await cosignatureOf(signed, key) : undefined;
    if (said === undefined) {
      findings.push(finding(`The checkpoint is not cosigned by the witness with key ${key.keyId}.`));
    } else {
      found.push(said);
    }
  }
  return found;
}

function unchecked(hasKey: boolean, hasWitness: boolean): readonly string[] {
  const key = "whose key signed it: it came with the bundle. Give the one that you were told.";
  const witness = "whether the log that this checkpoint belongs to is the one that others are shown.";
  return [...(hasKey ? [] : [key]), ...(hasWitness ? [] : [witness])];
}

interface Parts {
  readonly signed: SignedCheckpoint;
  readonly keys: readonly NoteKey[];
  readonly rows: readonly unknown[];
  readonly opened: readonly unknown[];
}

async function parts(given: unknown): Promise<Parts> {
  const document = fields(given);
  if (document?.v !== 1) {
    throw noBundle("it does not say `v: 1`");
  }
  const [signed, ...more] = readCheckpoints(String(document.checkpoint));
  if (signed === undefined || more.length > 0 || signed.origin !== document.origin) {
    throw noBundle("it must have one checkpoint of its own origin");
  }
  const keys = await Promise.all(list(document, "keys").map((one) => parseLogKey(String(one))));
  const opened = Array.isArray(document.revealed) ? document.revealed : [];
  return { signed, keys, rows: list(document, "receipts"), opened };
}

function list(document: Fields, name: string): readonly unknown[] {
  const found = document[name];
  if (!Array.isArray(found)) {
    throw noBundle(`\`${name}\` must be a list`);
  }
  return found;
}

function noBundle(why: string): TypeError {
  return new TypeError(`This is no bundle of receipts: ${why}.`);
}

async function allProved(
  rows: readonly unknown[],
  signed: SignedCheckpoint,
  findings: BundleFinding[],
): Promise<readonly Proved[]> {
  const found: Proved[] = [];
  for (const row of rows) {
    const outcome = await proved(fields(row), signed);
    if ("sentence" in outcome) {
      findings.push(outcome as BundleFinding);
    } else {
      found.push(outcome as Proved);
    }
  }
  return found.sort((one, other) => one.seq - other.seq);
}

/** The receipt of a row with its place, or a finding. */
async function proved(row: Fields | undefined, signed: SignedCheckpoint): Promise<Proved | BundleFinding> {
  const { seq, proof } = row ?? {};
  const receipt = fields(row?.receipt);
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || receipt === undefined || !Array.isArray(proof)) {
    return finding("A row of the bundle is not a receipt with a place and a proof.");
  }
  const path = proof.map((one) => fromHex(String(one)));
  const leaf = await leafOf(receipt);
  if (leaf === undefined || !path.every((one) => one !== undefined)) {
    return finding(`The receipt at seq ${seq}, or its proof, can't be read.`, seq);
  }
  if (!(await verifyInclusion(seq, signed.size, leaf, path, signed.root))) {
    return finding(`The receipt at seq ${seq} is not the one of the log, or is not at this place.`, seq);
  }
  if (receipt.space_id !== signed.origin.slice(signed.origin.lastIndexOf("/") + 1)) {
    return finding(`The receipt at seq ${seq} belongs to another space.`, seq);
  }
  return { ...receipt, seq };
}

/** The leaf hash of a receipt, undefined for one that has no canonical form. */
async function leafOf(receipt: Fields): Promise<Bytes | undefined> {
  try {
    return await leafHash(utf8(canonical(receipt)));
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** For each value that the bundle opens, the places of the receipts that name it. */
async function reveal(
  opened: readonly unknown[],
  receipts: readonly Proved[],
  findings: BundleFinding[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>();
  for (const one of opened.map(fields)) {
    const value = String(one?.value);
    const commitment = await commitmentOf(value, fromHex(String(one?.k)));
    if (one === undefined || commitment === undefined || found.has(value)) {
      findings.push(finding("What opens a commitment can't be read, or opens one id twice."));
      continue;
    }
    const naming = receipts.filter((receipt) => {
      const { conversation, task } = detailOf(receipt);
      return conversation === commitment || task === commitment;
    });
    found.set(
      value,
      naming.map((receipt) => receipt.seq),
    );
  }
  return found;
}

/** Undefined for what opens nothing. */
async function commitmentOf(value: string, opening: Bytes | undefined): Promise<string | undefined> {
  const isReadable = opening?.length === OPENING_BYTES && !/\p{Surrogate}/u.test(value);
  return isReadable ? hex(await sha256(opening, utf8(value))) : undefined;
}
