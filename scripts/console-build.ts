/** Builds the console when its build does not match its sources. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { sourcesHash } from "./sources-hash.ts";

export const consoleSources = ["console/**/*", "contract/src/**/*", "package-lock.json"];

/** Beside the build, where the gateway does not serve it; any other build removes it. */
const hashFile = (root: string): string => join(root, "console/dist/.vite/sources.sha256");

/**
 * Builds when there is no build or its sources changed. Returns whether it built; throws the output
 * of a failed build.
 */
export async function ensureConsoleBuild(root: string, onBuild: () => void): Promise<boolean> {
  const hash = sourcesHash(root, consoleSources);
  if (isBuiltFrom(root, hash)) return false;
  onBuild();
  await build(root);
  // The hash from before the build: a change during the build makes the next start build again.
  writeFileSync(hashFile(root), `${hash}\n`);
  return true;
}

export function isBuiltFrom(root: string, hash: string): boolean {
  const file = hashFile(root);
  const isThere = existsSync(join(root, "console/dist/index.html")) && existsSync(file);
  return isThere && readFileSync(file, "utf8").trim() === hash;
}

async function build(root: string): Promise<void> {
  const child = spawn("npm", ["run", "build", "--workspace", "console"], {
    cwd: root,
    // A build that a test asks for is no build for tests.
    env: {
      ...process.env,
      NODE_ENV: "production",
      PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`the console cannot be built:\n${output.trim()}`);
}
