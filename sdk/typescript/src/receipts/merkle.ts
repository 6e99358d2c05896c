/**
 * The Merkle tree of RFC 6962: hashes, and verifying proofs of inclusion and consistency. Hashes are 32 bytes each.
 *
 * Sizes and places go up to 2**53 - 1, so they are halved, not shifted.
 */

import { type Bytes, isSame, sha256 } from "../bytes.js";

const HASH_SIZE = 32;
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function leafHash(data: Uint8Array): Promise<Bytes> {
  return sha256(LEAF, data);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Promise<Bytes> {
  return sha256(NODE, left, right);
}

/** The root over the leaf hashes, oldest first; SHA-256 of nothing for the empty tree. */
export async function root(leaves: readonly Uint8Array[]): Promise<Uint8Array> {
  const [first] = leaves;
  if (first === undefined) {
    return sha256();
  }
  if (leaves.length === 1) {
    return first;
  }
  const half = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return nodeHash(await root(leaves.slice(0, half)), await root(leaves.slice(half)));
}

/** Whether the proof leads from the leaf hash at `index` to the root `expected` of `size` leaves. */
export async function verifyInclusion(
  index: number,
  size: number,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
  expected: Uint8Array,
): Promise<boolean> {
  if (!Number.isSafeInteger(index) || !(index >= 0 && index < size) || !areHashes([leaf, ...proof])) {
    return false;
  }
  let [place, computed]: [Place, Uint8Array] = [{ node: index, last: size - 1 }, leaf];
  for (const sibling of proof) {
    if (place.last === 0) {
      return false;
    }
    if (isRightmost(place)) {
      computed = await nodeHash(sibling, computed);
      place = upToLeftSibling(place);
    } else {
      computed = await nodeHash(computed, sibling);
    }
    place = up(place);
  }
  return place.last === 0 && isSame(computed, expected);
}

/**
 * Whether the tree of `oldSize` with `oldRoot` is a prefix of that of `newSize` with `newRoot`.
 *
 * False for an empty old tree: everything is consistent with it, so a proof of that says nothing.
 */
export async function verifyConsistency(
  oldSize: number,
  newSize: number,
  oldRoot: Uint8Array,
  newRoot: Uint8Array,
  proof: readonly Uint8Array[],
): Promise<boolean> {
  if (![oldSize, newSize].every(Number.isSafeInteger) || !(oldSize > 0 && oldSize <= newSize)) {
    return false;
  }
  if (oldSize === newSize) {
    return proof.length === 0 && isSame(oldRoot, newRoot);
  }
  if (!areHashes([oldRoot, ...proof])) {
    return false;
  }
  const path = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : proof;
  const roots = await fold({ node: oldSize - 1, last: newSize - 1 }, path);
  return roots !== undefined && isSame(roots[0], oldRoot) && isSame(roots[1], newRoot);
}

/** A node of a level and the last one of that level. */
interface Place {
  readonly node: number;
  readonly last: number;
}

/** Both roots that the path computes (RFC 9162, 2.1.4.2), or undefined when it is too short or too long. */
async function fold(start: Place, path: readonly Uint8Array[]): Promise<[Uint8Array, Uint8Array] | undefined> {
  let place = start;
  while (place.node % 2 === 1) {
    place = up(place);
  }
  const [first, ...siblings] = path;
  if (first === undefined) {
    return undefined;
  }
  let [older, newer] = [first, first];
  for (const sibling of siblings) {
    if (place.last === 0) {
      return undefined;
    }
    if (isRightmost(place)) {
      [older, newer] = [await nodeHash(sibling, older), await nodeHash(sibling, newer)];
      place = upToLeftSibling(place);
    } else {
      newer = await nodeHash(newer, sibling);
    }
    place = up(place);
  }
  return place.last === 0 ? [older, newer] : undefined;
}

function isRightmost({ node, last }: Place): boolean {
  return node % 2 === 1 || node === last;
}

/** Up the right edge, past the levels at which the node has no sibling, until it is a right child. */
function upToLeftSibling(place: Place): Place {
  let found = place;
  while (found.node > 0 && found.node % 2 === 0) {
    found = up(found);
  }
  return found;
}

function up({ node, last }: Place): Place {
  return { node: Math.floor(node / 2), last: Math.floor(last / 2) };
}

function isPowerOfTwo(size: number): boolean {
  return 2 ** Math.round(Math.log2(size)) === size;
}

function areHashes(values: readonly Uint8Array[]): boolean {
  return values.every((value) => value.length === HASH_SIZE);
}
