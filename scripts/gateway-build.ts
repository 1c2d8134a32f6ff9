/** Bundles the gateway of a clone when no bundle of its sources is there. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { sourcesHash } from "./sources-hash.ts";

const gatewaySources = [
  "gateway/src/**/*",
  "contract/src/**/*",
  "scripts/bundle-gateway.ts",
  "package-lock.json",
];
/**
 * Two levels below the root, as the sources are: the gateway finds the console's build from there.
 */
const prefix = "gateway-";
/** A gateway that still runs from an older bundle loads parts of it later. */
const keptMs = 24 * 60 * 60 * 1000;

/**
 * Returns the path of `main.mjs` in a folder named after the hash of the sources. Two programs that
 * build at the same time get the same folder. Throws what the bundler finds wrong.
 */
export async function ensureGatewayBuild(root: string): Promise<string> {
  const cache = join(root, ".cache");
  const folder = join(cache, prefix + sourcesHash(root, gatewaySources).slice(0, 16));
  const main = join(folder, "main.mjs");
  if (existsSync(main)) return main;
  // Loaded on demand: the process that supervises the gateway stays, and needs no bundler.
  const { bundleGateway } = await import("./bundle-gateway.ts");
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, `${prefix}unfinished-`));
  try {
    await bundleGateway(root, unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    // Another program may have built it meanwhile.
    if (!existsSync(main)) throw error;
  }
  removeOldBuilds(cache);
  return main;
}

function removeOldBuilds(cache: string): void {
  for (const name of readdirSync(cache).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(cache, name);
    if (Date.now() - statSync(folder).mtimeMs > keptMs)
      rmSync(folder, { recursive: true, force: true });
  }
}
