/**
 * The program of the single executable. Node.js loads threads and code on demand from files, so the gateway's files are unpacked into
 * the user's cache, once for each build, and run from there.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { getAsset, getAssetKeys, getRawAsset } from "node:sea";
import { buildAsset, startAsset } from "./executable-assets.ts";
import { usualCacheDir, usualDataDir } from "./usual-folders.ts";

const cache = usualCacheDir();
const program = join(cache, getAsset(buildAsset, "utf8"));
if (!existsSync(program)) unpack();

const { env } = process;
env.DATA_DIR ||= usualDataDir();
// A terminal shows the address and errors; collected output contains the whole log.
if (process.stdout.isTTY) env.LOG_LEVEL ||= "warn";
enableCompileCache(join(cache, "compiled"));

const main = join(program, "gateway/lib/main.mjs");
// `serve --processes` starts this program as it would start Node.js: with options and the name of the file first.
const own = process.argv.indexOf(main);
process.argv = [process.execPath, main, ...process.argv.slice(own === -1 ? 2 : own + 1)];
createRequire(main)(join(program, startAsset));

/** Whole or not at all: another start may do the same at this moment, and this one may be killed. */
function unpack(): void {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const unfinished = mkdtempSync(join(cache, "unfinished-"));
  for (const name of getAssetKeys()) {
    const file = join(unfinished, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, new Uint8Array(getRawAsset(name)));
  }
  try {
    renameSync(unfinished, program);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  }
}
