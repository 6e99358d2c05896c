/** Verifying receipts without the server: proofs, checkpoints, cosignatures and bundles. */

export type { Act, Answered, Given, Handed, Proved } from "./answer.js";
export { type BundleReport, verifyBundle } from "./bundle.js";
export { canonical } from "./canonical.js";
export {
  type Cosignature,
  cosignatureOf,
  isSigned,
  type NoteKey,
  parseLogKey,
  parseWitnessKey,
  readCheckpoints,
  type SignedCheckpoint,
} from "./checkpoint.js";
export { leafHash, root, verifyConsistency, verifyInclusion } from "./merkle.js";
