/**
 * The Debian package: Node, the gateway and the console, a system user, and a unit for systemd that
 * is not started.
 */
import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { gatewayFlags } from "./gateway-node-options.ts";
import { type Architecture, layNodeBinary } from "./node-runtime.ts";
import type { ImageSources } from "./oci-image.ts";

const run = promisify(execFile);
const maintainerScripts = ["postinst", "prerm", "postrm"];

/** Returns the path of the package. */
export async function buildDebianPackage(
  { root, packageDir, version, createdAt }: ImageSources,
  architecture: Architecture,
  outDir: string,
): Promise<string> {
  const dir = join(outDir, `debian-${architecture}`);
  rmSync(dir, { recursive: true, force: true });
  const source = (name: string): string => readFileSync(join(root, "deploy/debian", name), "utf8");
  const put = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), text);
    chmodSync(join(dir, path), mode);
  };
  await layNodeBinary(
    root,
    join(outDir, "downloads"),
    architecture,
    join(dir, "usr/lib/tollgate/bin"),
  );
  for (const name of ["gateway", "console"])
    cpSync(join(packageDir, name), join(dir, "usr/lib/tollgate", name), { recursive: true });
  for (const [name, target] of [
    ["README.md", "README.md"],
    ["LICENSE", "copyright"],
    ["THIRD-PARTY.txt", "THIRD-PARTY.txt"],
  ] as const)
    put(`usr/share/doc/tollgate/${target}`, readFileSync(join(packageDir, name), "utf8"));
  const variables = readFileSync(join(root, "docs/configuration.md"), "utf8");
  put("usr/share/doc/tollgate/configuration.md", variables);
  put("usr/bin/tollgate", source("tollgate.sh").replace("@FLAGS@", gatewayFlags.join(" ")), 0o755);
  await bundleStart(root, join(dir, "usr/lib/tollgate"));
  put("lib/systemd/system/tollgate.service", source("tollgate.service"));
  put("etc/tollgate/tollgate.env", source("tollgate.env"));
  put("DEBIAN/conffiles", "/etc/tollgate/tollgate.env\n");
  for (const name of maintainerScripts) put(`DEBIAN/${name}`, source(name), 0o755);
  const { stdout: size } = await run("du", ["-sk", "--exclude=DEBIAN", dir]);
  put(
    "DEBIAN/control",
    `Package: tollgate
Version: ${version}
Architecture: ${architecture}
Maintainer: The maintainers of Tollgate <tollgate@localhost>
Installed-Size: ${Number.parseInt(size, 10)}
Depends: adduser, libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6, util-linux
Section: web
Priority: optional
Description: self-hosted gateway for AI APIs
 Quotas, exact charges, failover between provider accounts, and a web console.
`,
  );
  const file = join(outDir, `tollgate_${version}_${architecture}.deb`);
  // dpkg-deb takes the time of all files from this variable.
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(createdAt) };
  await run("dpkg-deb", ["--root-owner-group", "-Zzstd", "--build", dir, file], { env });
  rmSync(dir, { recursive: true });
  return file;
}

async function bundleStart(root: string, dir: string): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: join(root, "scripts/debian-start.ts"),
  });
  await bundle.write({ dir, format: "esm", entryFileNames: "debian-start.mjs" });
}
