/** The golden vectors, which the client in Python agrees with too. */

import { readFileSync } from "node:fs";

// Where the repository is: the tests may run on a copy.
const ROOT = process.env.TARIMBA_ROOT ?? "../..";

// biome-ignore lint/suspicious/noExplicitAny: the files say what is in them.
export type Vector = any;

export function golden(name: string): Vector {
  return JSON.parse(readFileSync(`${ROOT}/sdk/vectors/${name}.json`, "utf8"));
}

export function receiptVectors(): Vector {
  return JSON.parse(readFileSync(`${ROOT}/tests/data/receipts/vectors.json`, "utf8"));
}
