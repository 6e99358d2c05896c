/** What the package weighs for a program that bundles all of it but the adapters: bytes, minified. */

import { build } from "esbuild";

const made = await build({
  entryPoints: ["dist/index.js", "dist/webhooks.js", "dist/receipts/index.js"],
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  target: "node20",
  outdir: "dist",
  write: false,
});
const bytes = made.outputFiles.reduce((sum, file) => sum + file.contents.length, 0);
process.stdout.write(`${bytes}\n`);
