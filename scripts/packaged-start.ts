// The program of the npm package: `tollgate` starts the gateway, `tollgate <command>` runs one of
// its commands.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gatewayFlags } from "./gateway-node-options.ts";
import { superviseProgram } from "./supervise-gateway.ts";
import { usualCacheDir, usualDataDir } from "./usual-folders.ts";

/** The first version with argon2. */
const oldestNode = [24, 7] as const;

try {
  const node = nodeOfPackage() ?? process.execPath;
  if (node === process.execPath) requireNode();
  process.exitCode = await superviseProgram({
    node,
    args: [
      ...gatewayFlags,
      join(import.meta.dirname, "../gateway/lib/main.mjs"),
      ...process.argv.slice(2),
    ],
    env: {
      NODE_COMPILE_CACHE: usualCacheDir(),
      MALLOC_ARENA_MAX: "2",
      DATA_DIR: usualDataDir(),
    },
  });
} catch (error) {
  console.error(`tollgate: ${(error as Error).message}`);
  process.exitCode = 1;
}

/**
 * The Node.js release that the package depends on; undefined where its installation was not allowed
 * to fetch it.
 */
function nodeOfPackage(): string | undefined {
  try {
    const binary = join(createRequire(import.meta.url).resolve("node/package.json"), "../bin/node");
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = oldestNode;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor))
    throw new Error(
      `Node.js ${oldestNode.join(".")} or newer is needed and this is ${process.version}: install the package with its scripts allowed, which brings its own, or install a newer Node.js`,
    );
}
