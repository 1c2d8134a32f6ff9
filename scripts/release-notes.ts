/** The changelog of a release, made of the files in `changes`. Pure. */

/** In the order of the changelog; the names are those of the files. */
const kinds = {
  added: "Added",
  changed: "Changed",
  fixed: "Fixed",
  removed: "Removed",
  security: "Security",
} as const;

type ChangeKind = keyof typeof kinds;

const isChangeKind = (word: string): word is ChangeKind => Object.hasOwn(kinds, word);

export interface ChangeFile {
  /** `added-teams.md` */
  name: string;
  text: string;
}

/** What a person can read of one release; details stay in git. */
export const releaseLinesMax = 80;

/** Throws an `Error` that names the file whose name has no kind. */
export function composeReleaseNotes(
  version: string,
  day: string,
  files: readonly ChangeFile[],
): string {
  const entries = files.map(({ name, text }) => {
    const [kind = ""] = name.split("-");
    if (!isChangeKind(kind))
      throw new Error(
        `changes/${name}: its name begins with none of ${Object.keys(kinds).join(", ")}`,
      );
    return { kind, text: writeEntry(text) };
  });
  const sections = Object.entries(kinds).flatMap(([kind, title]) => {
    const listed = entries.filter((entry) => entry.kind === kind).map(({ text }) => text);
    return listed.length === 0 ? [] : [`### ${title}\n\n${listed.join("\n")}\n`];
  });
  return `## ${version} – ${day}\n\n${sections.join("\n")}`;
}

/**
 * One point of the list; its links lead from the root, where the changelog is, not from `changes`.
 */
const writeEntry = (text: string): string =>
  `- ${text
    .trim()
    .replaceAll("](../", "](")
    .replaceAll(/\n(?=\S)/g, "\n  ")}`;

const pointer = "Newer changes have files of their own in [changes](changes/README.md).";

/**
 * `insertReleaseNotes` puts the notes below "Unreleased", which must hold no entries of its own:
 * they would be in no release. Throws an `Error` that says what to do.
 */
export function insertReleaseNotes(changelog: string, notes: string): string {
  const lines = notes.trimEnd().split("\n").length;
  if (lines > releaseLinesMax)
    throw new Error(
      `the notes have ${lines} lines, and ${releaseLinesMax} is what a person reads: merge files in changes, and leave details to git`,
    );
  const [head, rest] = changelog.split("## Unreleased\n", 2);
  if (head === undefined || rest === undefined)
    throw new Error('CHANGELOG.md has no "## Unreleased"');
  const next = rest.indexOf("\n## ");
  const waiting = (next < 0 ? rest : rest.slice(0, next)).replace(pointer, "").trim();
  if (waiting !== "")
    throw new Error(
      `CHANGELOG.md has ${waiting.split("\n").length} lines under "Unreleased": move what users must read into changes, and delete the rest`,
    );
  return `${head}## Unreleased\n\n${pointer}\n\n${notes.trimEnd()}\n${next < 0 ? "" : rest.slice(next)}`;
}

const versionPattern = /^(\d+)\.(\d+)\.(\d+)$/;

/**
 * Whether `next` is a version that follows `current`: one of its three numbers is one higher, and
 * those behind it are 0.
 */
export function isNextVersion(current: string, next: string): boolean {
  const [now, then] = [versionPattern.exec(current), versionPattern.exec(next)];
  if (!now || !then) return false;
  const [a, b] = [now, then].map((found) => found.slice(1).map(Number)) as [number[], number[]];
  const at = a.findIndex((part, index) => b[index] !== part);
  return at >= 0 && b[at] === (a[at] ?? 0) + 1 && b.slice(at + 1).every((part) => part === 0);
}
