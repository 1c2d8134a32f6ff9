/**
 * `npm run packages`: which packages have newer versions, for how long, and which have known faults. A registry that answers no questions
 * about faults is replaced by a file of advisories. Ends with 1 where a package has one.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findAdvisories, type InstalledPackage, type OsvRecord } from "./package-advisories.ts";
import { readScriptOptions } from "./script-options.ts";

const root = join(import.meta.dirname, "..");
const { values } = readScriptOptions({
  command: "npm run packages",
  summary: "packages with newer versions, and with known faults",
  options: {
    advisories: {
      type: "string",
      default: "",
      value: "FILE",
      help: "a JSON list of OSV records, where the registry tells none",
    },
  },
});

/** npm ends with 1 where it has something to say: what counts is whether it wrote JSON. */
function askNpm<Answer>(...args: string[]): Answer | undefined {
  const { stdout } = spawnSync("npm", [...args, "--json"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  try {
    return JSON.parse(stdout || "{}") as Answer;
  } catch {
    return undefined;
  }
}

interface OutdatedPackage {
  current?: string;
  latest: string;
}

const dayMs = 86_400_000;

function reportOutdated(): void {
  const outdated = askNpm<Record<string, OutdatedPackage | OutdatedPackage[]>>("outdated");
  if (outdated === undefined)
    throw new Error("npm outdated gave no answer; is the registry reachable?");
  const rows = Object.entries(outdated).map(([name, found]) => {
    const [one] = Array.isArray(found) ? found : [found];
    const published = askNpm<Record<string, string>>("view", name, "time")?.[one?.latest ?? ""];
    const days =
      published === undefined ? "?" : Math.floor((Date.now() - Date.parse(published)) / dayMs);
    return `${name}: ${one?.current ?? "not installed"}, newest ${one?.latest} since ${days} days`;
  });
  console.log(rows.length === 0 ? "Every package is the newest." : rows.join("\n"));
}

interface NpmAudit {
  vulnerabilities?: Record<string, { severity: string; range: string }>;
  error?: unknown;
  message?: string;
}

function listInstalled(): InstalledPackage[] {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string }>;
  };
  return Object.entries(lock.packages).flatMap(([path, { version }]) => {
    const name = path.split("node_modules/").at(-1) ?? "";
    return version !== undefined && path.includes("node_modules/") ? [{ name, version }] : [];
  });
}

function reportFaults(): boolean {
  if (values.advisories !== "") {
    const records = JSON.parse(readFileSync(values.advisories, "utf8")) as OsvRecord[];
    const found = findAdvisories(listInstalled(), records);
    for (const { name, version, id, summary } of found)
      console.error(`${name} ${version}: ${id} ${summary}`);
    if (found.length === 0)
      console.log(`None of ${records.length} advisories is about an installed package.`);
    return found.length > 0;
  }
  const audit = askNpm<NpmAudit>("audit");
  if (audit?.vulnerabilities === undefined)
    throw new Error(
      "the registry tells no faults of packages; give a file of OSV records with --advisories",
    );
  const found = Object.entries(audit.vulnerabilities);
  for (const [name, { severity, range }] of found) console.error(`${name} ${range}: ${severity}`);
  if (found.length === 0) console.log("The registry knows of no fault.");
  return found.length > 0;
}

try {
  reportOutdated();
  process.exitCode = reportFaults() ? 1 : 0;
} catch (error) {
  console.error(`npm run packages: ${(error as Error).message}`);
  process.exitCode = 2;
}
