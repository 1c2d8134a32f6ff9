/** Which installed packages an advisory is about, by the ranges of the OSV format (ossf.github.io/osv-schema). Pure. */

/** The members of an OSV record that are read. */
export interface OsvRecord {
  id: string;
  summary?: string;
  affected?: readonly {
    package?: { ecosystem?: string; name?: string };
    versions?: readonly string[];
    ranges?: readonly { type?: string; events?: readonly OsvEvent[] }[];
  }[];
}

type OsvEvent = { introduced?: string; fixed?: string; last_affected?: string };

export interface InstalledPackage {
  name: string;
  version: string;
}

export interface FoundAdvisory extends InstalledPackage {
  id: string;
  summary: string;
}

/** `compareVersions` orders by semver.org, item 11: a version with a pre-release comes before the one without. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map(splitVersion) as [VersionParts, VersionParts];
  for (const at of [0, 1, 2]) {
    const difference = (a.numbers[at] ?? 0) - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  for (const [at, part] of a.before.entries()) {
    const against = b.before[at];
    if (against === undefined) return 1;
    if (part !== against) return compareParts(part, against);
  }
  return a.before.length - b.before.length;
}

interface VersionParts {
  numbers: number[];
  /** The parts of the pre-release; none for a release. */
  before: string[];
}

function splitVersion(version: string): VersionParts {
  const [main = "", ...rest] = (version.replace(/^v/, "").split("+")[0] ?? "").split("-");
  const before = rest.join("-");
  return { numbers: main.split(".").map(Number), before: before === "" ? [] : before.split(".") };
}

function compareParts(one: string, other: string): number {
  const [a, b] = [one, other].map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
  if (a !== undefined && b !== undefined) return a - b;
  if (a !== undefined || b !== undefined) return a !== undefined ? -1 : 1;
  return one < other ? -1 : 1;
}

/** `isInRange` takes events in their order: an introduction opens, a fix closes. */
function isInRange(version: string, events: readonly OsvEvent[]): boolean {
  let isOpen = false;
  for (const { introduced, fixed, last_affected } of events) {
    if (
      introduced !== undefined &&
      (introduced === "0" || compareVersions(version, introduced) >= 0)
    )
      isOpen = true;
    if (fixed !== undefined && compareVersions(version, fixed) >= 0) isOpen = false;
    if (last_affected !== undefined && compareVersions(version, last_affected) > 0) isOpen = false;
  }
  return isOpen;
}

export function findAdvisories(
  installed: readonly InstalledPackage[],
  records: readonly OsvRecord[],
): FoundAdvisory[] {
  return records.flatMap(({ id, summary = "", affected = [] }) =>
    installed.flatMap(({ name, version }) => {
      const isHit = affected.some(
        (one) =>
          one.package?.ecosystem === "npm" &&
          one.package.name === name &&
          (one.versions?.includes(version) ||
            one.ranges?.some(
              ({ type, events = [] }) => type === "SEMVER" && isInRange(version, events),
            )),
      );
      return isHit ? [{ name, version, id, summary }] : [];
    }),
  );
}
