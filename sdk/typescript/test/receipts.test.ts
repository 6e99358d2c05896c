/** Proofs, checkpoints, cosignatures and bundles: this verifier says what the one in Python says. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bytes, fromHex, hex, utf8 } from "../src/bytes.js";
import {
  type Act,
  type BundleReport,
  canonical,
  cosignatureOf,
  isSigned,
  leafHash,
  parseLogKey,
  parseWitnessKey,
  readCheckpoints,
  root,
  verifyBundle,
  verifyConsistency,
  verifyInclusion,
} from "../src/receipts/index.js";
import { golden, receiptVectors, type Vector } from "./golden.js";

const vectors = receiptVectors();

function bytes(text: string): Bytes {
  const found = fromHex(text);
  assert.ok(found);
  return found;
}

test("canonical bytes and leaves", async () => {
  for (const one of vectors.canonical) {
    assert.equal(canonical(one.value), one.bytes);
    assert.equal(hex(await leafHash(utf8(one.bytes))), one.leaf);
  }
});

test("what other readers might see differently has no canonical form", () => {
  for (const value of [
    2 ** 53,
    -(2 ** 53),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "\ud800",
    { "\udc00": 1 },
    [undefined],
  ]) {
    assert.throws(() => canonical(value), TypeError);
  }
});

test("roots, inclusion and consistency", async () => {
  for (const one of vectors.roots) {
    assert.equal(hex(await root(one.leaves.map(bytes))), one.root);
  }
  for (const one of vectors.inclusion) {
    const proof = one.proof.map(bytes);
    assert.equal(await verifyInclusion(one.index, one.size, bytes(one.leaf), proof, bytes(one.root)), one.ok);
  }
  for (const one of vectors.consistency) {
    const roots = [bytes(one.old_root), bytes(one.new_root)] as const;
    assert.equal(await verifyConsistency(one.old_size, one.new_size, ...roots, one.proof.map(bytes)), one.ok);
  }
});

test("places that no tree has are in none", async () => {
  const leaf = new Uint8Array(32);
  for (const [index, size] of [
    [0, 0],
    [1, 1],
    [-1, 1],
    [0.5, 1],
    [Number.NaN, 1],
  ] as const) {
    assert.equal(await verifyInclusion(index, size, leaf, [], leaf), false);
  }
  assert.equal(await verifyConsistency(0, 1, leaf, leaf, []), false);
  assert.equal(await verifyConsistency(2, 1, leaf, leaf, []), false);
});

test("checkpoints and cosignatures", async () => {
  const { checkpoint, cosignature } = vectors;
  const [key, witness] = [await parseLogKey(checkpoint.public_key), await parseWitnessKey(cosignature.public_key)];
  assert.deepEqual([key.keyId, witness.keyId], [checkpoint.key_id, cosignature.key_id]);
  const [signed] = readCheckpoints(cosignature.note);
  assert.ok(signed);
  assert.deepEqual(
    [signed.origin, signed.size, hex(signed.root)],
    [checkpoint.origin, checkpoint.size, checkpoint.root],
  );
  assert.equal(await isSigned(signed, key), true);
  assert.deepEqual(await cosignatureOf(signed, witness), { keyId: cosignature.key_id, at: cosignature.at });
  const [altered] = readCheckpoints(cosignature.note.replace("\n13\n", "\n14\n"));
  assert.ok(altered);
  assert.equal(await isSigned(altered, key), false);
  assert.equal(await cosignatureOf(altered, witness), undefined);
});

test("what is no key of its kind is refused", async () => {
  const { checkpoint, cosignature } = vectors;
  await assert.rejects(parseLogKey(cosignature.public_key), TypeError);
  await assert.rejects(parseWitnessKey(checkpoint.public_key), TypeError);
  await assert.rejects(parseLogKey(checkpoint.public_key.replace("+", "x+")), TypeError);
});

for (const one of golden("bundles")) {
  test(`bundle: ${one.case}`, async () => {
    const witnesses = await Promise.all(one.witnesses.map(parseWitnessKey));
    const trusted = one.key === null ? { witnesses } : { witnesses, key: await parseLogKey(one.key) };
    const verified = verifyBundle(one.document, trusted);
    if (one.report === null) {
      await assert.rejects(verified, { name: "TypeError", message: one.refused });
    } else {
      assert.deepEqual(asPython(await verified), one.report);
    }
  });
}

function asPython(report: BundleReport): Vector {
  const act = (one: Act | undefined) => one ?? null;
  return {
    ok: report.ok,
    origin: report.origin,
    size: report.size,
    receipts: report.receipts,
    revealed: Object.fromEntries(report.revealed),
    answers: report.answers.map(({ value, reads }) => ({
      value,
      reads: reads.map(({ read, agent, notes }) => ({
        read,
        agent,
        notes: notes.map((one) => ({
          note_id: one.noteId,
          content_hash: one.contentHash ?? null,
          kept: act(one.kept),
          proposed: act(one.proposed),
          approved: act(one.approved),
        })),
      })),
    })),
    first_bad_seq: report.firstBadSeq ?? null,
    witnessed: report.witnessed.map(({ keyId, at }) => ({ key_id: keyId, at: moment(at) })),
    findings: report.findings,
    unchecked: report.unchecked,
  };
}

function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000", "");
}
