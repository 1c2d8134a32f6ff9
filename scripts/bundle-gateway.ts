/**
 * The gateway as bundles: a start reads a few files in place of a thousand, in half the time and
 * with 30 MB less.
 */
import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Programs of their own, which the gateway starts as threads; all other files become parts of
 * these.
 */
const entries = [
  "start/main",
  "storage/sqlite-writer",
  "storage/sqlite-reader",
  "relay/counting/tokenizer-thread",
  "accounts/identity/users/bcrypt-thread",
  "telemetry/span-thread",
  "commands/import/source-process",
  "relay/call-bodies/body-thread",
] as const;
/** Read beside the bundle, as it is beside its source. */
const dataFiles = [
  "money/prices/price-data.json",
  "money/prices/output-limits.json",
  "catalogue/models/model-ends.json",
] as const;

/**
 * `undiciParts` are what the gateway uses of undici. Its entry loads everything, its own `fetch`,
 * WebSocket, caches and mocks among it: 4 MB more of memory. Another name that a source imports
 * from undici ends the build.
 */
const undiciParts = `
import api from "undici/lib/api/index.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
Object.assign(Dispatcher.prototype, api);
export { default as buildConnector } from "undici/lib/core/connect.js";
export { default as Pool } from "undici/lib/dispatcher/pool.js";
`;

const undiciEntry = "\0undici";

/**
 * Writes `main.mjs`, the threads, their shared parts and the data files to `dir`. Two builds of the
 * same sources are equal.
 */
export async function bundleGateway(root: string, dir: string): Promise<void> {
  const sources = join(root, "gateway/src/");
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: Object.fromEntries(entries.map((entry) => [basename(entry), `${sources}${entry}.ts`])),
    // The driver's other half, in C, which is not installed.
    external: ["pg-native"],
    plugins: [
      {
        name: "undici in parts",
        resolveId: (source) => (source === "undici" ? undiciEntry : null),
        load: (id) => (id === undiciEntry ? undiciParts : null),
      },
      {
        name: "files beside the bundle",
        transform: (code, id) => (id.startsWith(sources) ? withBundledNames(code) : null),
      },
    ],
  });
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    // The engine keeps the text of a program, at two bytes for each character when one of them is
    // outside of Latin-1.
    comments: false,
    minify: {
      compress: false,
      mangle: false,
      codegen: { removeWhitespace: false, asciiOnly: true },
    },
  });
  for (const file of dataFiles) cpSync(join(sources, file), join(dir, basename(file)));
}

/** Threads and the processes of a group are found by the names that their sources have. */
const withBundledNames = (code: string): string =>
  code
    .replaceAll(
      /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/g,
      'new URL("./$1.mjs", import.meta.url)',
    )
    .replace(
      'join(import.meta.dirname, "../start/main.ts")',
      'join(import.meta.dirname, "main.mjs")',
    )
    // The bundle stands one folder less deep than the sources.
    .replace(
      'new URL("../../../console/dist", import.meta.url)',
      'new URL("../../console/dist", import.meta.url)',
    );
