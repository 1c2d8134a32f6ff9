/**
 * The program of the single executable. Node.js loads threads and code on demand from files, so the
 * gateway's files are unpacked into the user's cache, once for each build, and run from there.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { getAsset, getAssetKeys, getRawAsset } from "node:sea";
import { buildAsset, startAsset } from "./executable-assets.ts";
import { usualCacheDir, usualDataDir } from "./usual-folders.ts";

const build = getAsset(buildAsset, "utf8");
// A program of the gateway starts another one by the name of its file, perhaps without the right to
// write or the same environment.
const own = process.argv.findIndex((argument) => argument.includes(`/${build}/`));
const file = process.argv[own];
if (file === undefined) startGateway(process.argv.slice(2));
else start(file.slice(0, file.indexOf(build) + build.length), file, process.argv.slice(own + 1));

function startGateway(args: readonly string[]): void {
  const cache = usualCacheDir();
  const folder = join(cache, build);
  if (!existsSync(folder)) unpack(cache, folder);
  const { env } = process;
  env.DATA_DIR ||= usualDataDir();
  // A terminal shows the address and errors; collected output contains the whole log.
  if (process.stdout.isTTY) env.LOG_LEVEL ||= "warn";
  enableCompileCache(join(cache, "compiled"));
  start(folder, join(folder, "gateway/lib/main.mjs"), args);
}

function start(folder: string, program: string, args: readonly string[]): void {
  process.argv = [process.execPath, program, ...args];
  createRequire(program)(join(folder, startAsset));
}

/**
 * Whole or not at all: another start may do the same at this moment, and this one may be killed.
 */
function unpack(cache: string, folder: string): void {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const unfinished = mkdtempSync(join(cache, "unfinished-"));
  for (const name of getAssetKeys()) {
    const file = join(unfinished, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, new Uint8Array(getRawAsset(name)));
  }
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
