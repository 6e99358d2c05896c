/** What the package weighs for a program that bundles all of it, without the frameworks: bytes, minified. */

import { build } from "esbuild";

const ADAPTERS = ["ai", "anthropic", "langchain", "mastra", "openai"].map((name) => `dist/adapters/${name}.js`);

const made = await build({
  entryPoints: ["dist/index.js", "dist/webhooks.js", "dist/receipts/index.js", ...ADAPTERS],
  external: ["langchain", "@langchain/core"],
  bundle: true,
  minify: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  outdir: "dist",
  write: false,
});
const bytes = made.outputFiles.reduce((sum, file) => sum + file.contents.length, 0);
process.stdout.write(`${bytes}\n`);
