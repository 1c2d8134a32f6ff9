/**
 * The third-party packages of a running Tollgate, from the lockfile and from the console's build.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** `LockedPackage` is one entry of the lockfile. */
export interface LockedPackage {
  version: string;
  license?: string;
  integrity?: string;
  /** The source; without it, the npm registry. */
  resolved?: string;
  /** A workspace at `resolved`. */
  link?: boolean;
  /** Only for development. */
  dev?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
  peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>;
}

/** `Lockfile` goes by folder, such as `node_modules/pg`. */
export type Lockfile = Readonly<Record<string, LockedPackage>>;

export const readLockfile = (root: string): Lockfile =>
  (JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: Lockfile })
    .packages;

/**
 * Folders of the packages whose code the console's build includes (console/bundled-packages.ts).
 */
export const readBundled = (root: string): string[] =>
  JSON.parse(readFileSync(join(root, "console/dist/.vite/packages.json"), "utf8")) as string[];

/** The package name of a folder: `node_modules/@smithy/types` is `@smithy/types`. */
export const packageName = (folder: string): string =>
  folder.slice(folder.lastIndexOf("node_modules/") + 13);

export const isThirdParty = (folder: string, { link }: LockedPackage): boolean =>
  folder.includes("node_modules/") && !link;

/** Dependencies of the gateway that only a part of it loads, when it is first used. */
const wingDependencies: Readonly<Record<string, readonly string[]>> = {
  "command line": ["commander"],
  identity: ["jose", "openid-client"],
  import: ["mysql2", "@noble/ciphers"],
  configuration: ["yaml"],
  guards: ["re2js"],
};
export type WingName = keyof typeof wingDependencies;

/** Folders of the packages that a running gateway does not load, by folder the part that does. */
export function wingPackages(lock: Lockfile): ReadonlyMap<string, WingName> {
  const core = new Set(coreFor(lock, "gateway"));
  const wings = Object.entries(wingDependencies).flatMap(([wing, names]) =>
    wingFolders(lock, "gateway", names).flatMap((folder) =>
      [folder, ...installedFor(lock, folder)].map((needed) => [needed, wing] as const),
    ),
  );
  return new Map(wings.filter(([folder]) => !core.has(folder) && lock[folder] !== undefined));
}

/** `wingFolders` says where a workspace finds these packages. */
const wingFolders = (lock: Lockfile, workspace: string, names: readonly string[]): string[] =>
  names.map((name) => resolve(lock, workspace, name)).filter((folder) => folder !== undefined);

/** Folders of the dependencies of a workspace that are not loaded by a wing alone. */
export const coreFor = (lock: Lockfile, workspace: string): string[] =>
  installedFor(
    lock,
    workspace,
    wingFolders(lock, workspace, Object.values(wingDependencies).flat()),
  );

/** Folders of all direct and indirect dependencies of a workspace or package. */
export function installedFor(
  lock: Lockfile,
  workspace: string,
  without: readonly string[] = [],
): string[] {
  const found = new Set<string>(without);
  const waiting = [workspace];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const locked = lock[folder];
    if (!locked || found.has(folder)) continue;
    found.add(folder);
    waiting.push(...(locked.link ? [locked.resolved ?? ""] : dependenciesOf(lock, folder)));
  }
  return [...found]
    .filter(
      (folder) => !without.includes(folder) && isThirdParty(folder, lock[folder] as LockedPackage),
    )
    .sort();
}

/**
 * Folders of the direct dependencies of a package, as Node resolves them: beside it, then upwards.
 */
export function dependenciesOf(lock: Lockfile, folder: string): string[] {
  const {
    dependencies,
    optionalDependencies,
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = lock[folder] ?? {};
  const peers = Object.keys(peerDependencies).filter(
    (name) => !peerDependenciesMeta[name]?.optional,
  );
  const names = new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]);
  return [...names]
    .map((name) => resolve(lock, folder, name))
    .filter((found) => found !== undefined);
}

function resolve(lock: Lockfile, from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf("/")))) {
    const folder = place === "" ? `node_modules/${name}` : `${place}/node_modules/${name}`;
    if (lock[folder]) return folder;
    if (place === "") return undefined;
  }
}

/**
 * Folders of all packages that run, in the gateway's process or in a browser, without those of
 * wings.
 */
export const runtimePackages = (lock: Lockfile, bundled: readonly string[]): string[] =>
  [...new Set([...coreFor(lock, "gateway"), ...bundled])].sort((a, b) =>
    packageName(a).localeCompare(packageName(b), "en"),
  );
