/**
 * One file with Node.js, the gateway and the console, for a machine that has nothing but its C
 * library.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { buildAsset, startAsset } from "./executable-assets.ts";
import { gatewayFlags } from "./gateway-node-options.ts";
import { type Architecture, layNodeBinary } from "./node-runtime.ts";
import type { ImageSources } from "./oci-image.ts";

const run = promisify(execFile);
const packed = ["gateway/**", "console/**", "LICENSE", "THIRD-PARTY.txt"];

/** Returns the path of the executable. */
export async function buildExecutable(
  { root, packageDir, version }: Omit<ImageSources, "createdAt">,
  architecture: Architecture,
  outDir: string,
): Promise<string> {
  const dir = join(outDir, `executable-${architecture}`);
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const program = join(dir, "program.cjs");
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: join(root, "scripts/executable-start.ts"),
  });
  await bundle.write({ file: program, format: "cjs" });
  const start = join(dir, startAsset);
  writeFileSync(start, 'import(require("node:url").pathToFileURL(process.argv[1]));\n');
  const files = globSync(packed, { cwd: packageDir })
    .filter((name) => statSync(join(packageDir, name)).isFile())
    .sort();
  const build = join(dir, buildAsset);
  writeFileSync(
    build,
    `${version}-${digestOf([start, ...files.map((name) => join(packageDir, name))])}`,
  );

  const file = join(outDir, `tollgate-${version}-linux-${architecture}`);
  await layNodeBinary(root, join(outDir, "downloads"), architecture, dir);
  const config = join(dir, "sea.json");
  writeFileSync(
    config,
    JSON.stringify({
      main: program,
      executable: join(dir, "node"),
      output: file,
      disableExperimentalSEAWarning: true,
      execArgv: gatewayFlags,
      // Arguments are the gateway's, also those that Node.js knows: it hears of others by
      // NODE_OPTIONS.
      execArgvExtension: "env",
      assets: {
        [startAsset]: start,
        [buildAsset]: build,
        ...Object.fromEntries(files.map((name) => [name, join(packageDir, name)])),
      },
    }),
  );
  await run(join(root, "node_modules/node/bin/node"), ["--build-sea", config]);
  chmodSync(file, 0o755);
  rmSync(dir, { recursive: true });
  return file;
}

function digestOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex").slice(0, 16);
}
