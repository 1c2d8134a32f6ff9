// Which file may import which, so that the picture in ARCHITECTURE.md stays true:
//
//   console ──▶ contract ◀── gateway      console:  main → router → routes → features → shell → components → ui · api
//                                         gateway:  main → app → openers → wings (gateway-wings.ts)
//
// Types count for the direction of arrows and for circles of files, because knowing a type is
// knowing the file. Neighbouring folders of the gateway form no circle of values either, and the
// rooms of the relay have an order of their own (relay-rooms.ts).
import { posix } from "node:path";
import { findFolderCircles } from "./folder-circles.ts";
import { findWrongWing } from "./gateway-wings.ts";
import { findCircles } from "./import-circles.ts";
import { type ImportStatement, readImports } from "./read-imports.ts";
import { wrongBetweenRooms } from "./relay-rooms.ts";

export type Violation = { file: string; line: number; message: string };

/** `sources` maps paths from the root of the repository, with slashes, to contents. */
export function findWrongArrows(sources: ReadonlyMap<string, string>): Violation[] {
  const arrows = [...sources].flatMap(([file, source]) =>
    readImports(file, source).map((read) => ({
      ...read,
      file,
      target: targetOf(file, read.specifier),
    })),
  );
  const wrong = arrows.flatMap((arrow): Violation[] => {
    const reason = wrongBecause(arrow);
    if (!reason) return [];
    return [
      {
        file: arrow.file,
        line: arrow.line,
        message: `imports ${arrow.target ?? arrow.specifier}: ${reason}`,
      },
    ];
  });
  return [...wrong, ...circles(arrows, sources), ...folderCircles(arrows)].sort(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line,
  );
}

/** `target` is a file of ours; undefined for a package. */
type Arrow = ImportStatement & { file: string; target: string | undefined };

function targetOf(file: string, specifier: string): string | undefined {
  const path = specifier.replace(/\?.*$/, "");
  if (path.startsWith(".")) return posix.join(posix.dirname(file), path);
  return path.startsWith("@tollgate/")
    ? path.replace(/^@tollgate\/([^/]+)\//, "$1/src/")
    : undefined;
}

/**
 * A value from elsewhere may change, and with it the checksum of a released migration: no database
 * would open again.
 */
const migrationsDir = "gateway/src/storage/migrations/";

function wrongBecause({ file, target, specifier, values, isTypeOnly }: Arrow): string | undefined {
  const from = modulePathOf(file);
  if (file.startsWith(migrationsDir) && values.length > 0 && !target?.startsWith(migrationsDir)) {
    return "a migration is frozen text: it imports only types from outside migrations";
  }
  if (target === undefined)
    return from.workspace === "contract" ? wrongPackage(from, specifier) : undefined;
  const to = modulePathOf(target);
  if (from.workspace !== to.workspace) return wrongWorkspace(from, to);
  if (from.isTest) return undefined;
  if (from.workspace === "gateway" && to.isInFolder) {
    const isInRelay = from.top === "relay" && to.top === "relay" && !isTypeOnly;
    const wrong = wrongInGateway(from, to, values);
    return wrong ?? (isInRelay ? wrongBetweenRooms(from.second ?? "", to.second ?? "") : undefined);
  }
  return from.workspace === "console" ? wrongInConsole(from, to) : undefined;
}

type ModulePath = {
  workspace: string;
  /** The first folder below src, or the name of a file that lies there: "accounts", "main.tsx". */
  top: string;
  isInFolder: boolean;
  /** "tokens" in console/src/features/tokens/token-form.tsx. */
  second: string | undefined;
  name: string;
  isTest: boolean;
};

function modulePathOf(file: string): ModulePath {
  const [workspace = "", , top = "", second] = file.split("/");
  const name = posix.basename(file);
  const isTest = /\.(test|test-support)\.tsx?$/.test(name);
  return { workspace, top, isInFolder: second !== undefined, second, name, isTest };
}

const mayImport: Record<string, readonly string[]> = {
  contract: [],
  gateway: ["contract"],
  console: ["contract"],
  simulator: [],
};
const testsMayImport = ["contract", "simulator", "tests"];

function wrongWorkspace(from: ModulePath, to: ModulePath): string | undefined {
  const allowed = mayImport[from.workspace];
  // tests, benchmarks and scripts look at everything.
  if (
    !allowed ||
    allowed.includes(to.workspace) ||
    (from.isTest && testsMayImport.includes(to.workspace))
  )
    return undefined;
  const halves = ["console", "gateway"];
  if (halves.includes(from.workspace) && halves.includes(to.workspace)) {
    return "console and gateway never import each other; what both need to know stands in the contract";
  }
  const those = allowed.length === 0 ? "no other workspace" : `only ${allowed.join(", ")}`;
  return `${from.workspace} imports ${those}`;
}

function wrongPackage(from: ModulePath, specifier: string): string | undefined {
  if (from.isTest || /^zod($|\/)/.test(specifier)) return undefined;
  return "the contract depends on zod and nothing else";
}

/** `startRank` orders the wing `start`; any other file of it stands below these. */
const startRank: Record<string, number> = {
  "main.ts": 3,
  "app.ts": 2,
  "background-jobs.ts": 1,
  "database-commands.ts": 1,
  "http-server.ts": 1,
};
/** `relayOpeners` are the files that import the relay. */
const relayOpeners = ["app.ts", "http-server.ts", "open-relay-objects.ts", "open-relay.ts"];

const rankInStart = (name: string): number => startRank[name] ?? (name.startsWith("open-") ? 1 : 0);

function wrongInGateway(
  from: ModulePath,
  to: ModulePath,
  values: readonly string[],
): string | undefined {
  const composes = from.top === "start" && rankInStart(from.name) > 0;
  if (/-routes\.ts$/.test(to.name) && !composes)
    return "only main, app and the openers touch routes";
  const isOwnSql =
    from.top === to.top && from.second === to.second && /-store\.ts$/.test(from.name);
  const constructs =
    /-store\.ts$/.test(to.name) && values.some((name) => name === "*" || /Store$/.test(name));
  if (constructs && !composes && !isOwnSql) {
    return "only main, app and the openers construct stores; take the store as an argument and import its type";
  }
  if (from.top === "start" && to.top === "start") {
    const climbs = rankInStart(from.name) < rankInStart(to.name);
    return climbs ? `main → app → openers: ${nameOf(from)} never imports ${nameOf(to)}` : undefined;
  }
  const opensRelay = from.top !== "start" || relayOpeners.includes(from.name);
  if (to.top === "relay" && !opensRelay)
    return "only the openers of relay and server import the relay";
  return findWrongWing(from.top, to.top);
}

const consoleRank: Record<string, number> = {
  "main.tsx": 7,
  "router.ts": 6,
  "routes.tsx": 5,
  features: 4,
  shell: 3,
  components: 2,
  ui: 0,
};
const consoleOrder = "main → router → routes → features → shell → components → ui · api";

function wrongInConsole(from: ModulePath, to: ModulePath): string | undefined {
  if (from.top === "ui" && to.top !== "ui") return "ui imports nothing of ours";
  if (from.top === "features" && to.top === "features" && from.second !== to.second) {
    return "a feature imports no other feature; what two share becomes a piece";
  }
  const rankOf = (place: ModulePath) => consoleRank[place.top] ?? 1;
  return rankOf(from) < rankOf(to)
    ? `${consoleOrder}: ${nameOf(from)} never imports ${nameOf(to)}`
    : undefined;
}

function nameOf({ top, name }: ModulePath): string {
  return (top === "start" ? name : top).replace(/\.tsx?$/, "");
}

function circles(arrows: readonly Arrow[], sources: ReadonlyMap<string, string>): Violation[] {
  const graph = new Map([...sources.keys()].map((file): [string, string[]] => [file, []]));
  for (const { file, target } of arrows) {
    if (target !== undefined && sources.has(target)) graph.get(file)?.push(target);
  }
  return findCircles(graph).map((circle) => {
    const [file = "", next = file] = circle;
    const line = arrows.find((arrow) => arrow.file === file && arrow.target === next)?.line ?? 1;
    return { file, line, message: `imports go in a circle: ${[...circle, file].join(" → ")}` };
  });
}

function folderCircles(arrows: readonly Arrow[]): Violation[] {
  const imports = arrows.flatMap(({ file, target, isTypeOnly }) =>
    target === undefined || isTypeOnly || modulePathOf(file).isTest ? [] : [{ file, target }],
  );
  return findFolderCircles(imports, "gateway/src").map(({ parent, members, example }) => {
    const line =
      arrows.find(({ file, target }) => file === example.file && target === example.target)?.line ??
      1;
    const around = [...members, members[0]].join(" → ");
    return {
      file: example.file,
      line,
      message: `folders of ${parent} import each other: ${around}`,
    };
  });
}
