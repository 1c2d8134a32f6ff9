/**
 * The npm package: the gateway and each of its threads as bundles, the console's build, and a
 * program that starts them. It needs nothing from the registry but Node itself. Two builds of the
 * same sources have the same bytes.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { commitFile } from "@tollgate/gateway/commands/command-line/program-version.ts";
import { rolldown } from "rolldown";
import { bundleGateway } from "./bundle-gateway.ts";
import { coreFor, packageName, readBundled, readLockfile, wingPackages } from "./npm-packages.ts";

/**
 * Returns the path of the archive. The console must be built; `commit` is that of the sources, and
 * empty where they differ from it.
 */
export async function buildNpmPackage(root: string, outDir: string, commit = ""): Promise<string> {
  const packageDir = join(outDir, "npm");
  rmSync(packageDir, { recursive: true, force: true });
  mkdirSync(packageDir, { recursive: true });
  await bundleGateway(root, join(packageDir, "gateway/lib"));
  writeFileSync(join(packageDir, "gateway/lib", commitFile), `${commit}\n`);
  await bundleLauncher(root, join(packageDir, "bin"));
  cpSync(join(root, "console/dist"), join(packageDir, "console/dist"), {
    recursive: true,
    filter: (source) => !source.includes("/.vite"),
  });
  for (const name of ["LICENSE", "README.md"]) cpSync(join(root, name), join(packageDir, name));
  writeFileSync(join(packageDir, "THIRD-PARTY.txt"), licenceTexts(root));
  writeFileSync(join(packageDir, "package.json"), `${JSON.stringify(manifest(root), null, 2)}\n`);
  const packed = execFileSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", outDir],
    {
      cwd: packageDir,
      encoding: "utf8",
      env: { ...process.env, PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH },
    },
  );
  const [{ filename } = { filename: "" }] = JSON.parse(packed) as { filename: string }[];
  return join(outDir, filename);
}

async function bundleLauncher(root: string, dir: string): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: join(root, "scripts/packaged-start.ts"),
  });
  await bundle.write({
    dir,
    format: "esm",
    entryFileNames: "tollgate.mjs",
    banner: "#!/usr/bin/env node",
  });
}

function manifest(root: string) {
  const { version, license } = manifestOf(root, "gateway");
  const { node } = manifestOf(root, ".").devDependencies ?? {};
  return {
    name: "tollgate",
    version,
    description:
      "A self-hosted gateway for AI APIs: quotas, exact charges, failover, and a web console",
    license,
    type: "module",
    bin: { tollgate: "bin/tollgate.mjs" },
    engines: { node: ">=20" },
    dependencies: { node },
  };
}

interface Manifest {
  version: string;
  license: string;
  devDependencies?: Record<string, string>;
}

const manifestOf = (root: string, folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;

/** Their authors allow copies that carry these texts. */
function licenceTexts(root: string): string {
  const lock = readLockfile(root);
  const folders = [
    ...new Set([...coreFor(lock, "gateway"), ...wingPackages(lock).keys(), ...readBundled(root)]),
  ];
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .sort()
    .map((folder) => {
      const [file] = globSync("{LICENSE,LICENCE,license,License}*", {
        cwd: join(root, folder),
      }).sort();
      const text = file === undefined ? "" : readFileSync(join(root, folder, file), "utf8").trim();
      const { version = "", license = "" } = lock[folder] ?? {};
      return `${packageName(folder)} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}
