/** The version that `--version` prints. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };

export async function formatVersionText(): Promise<string> {
  const { commit, schema } = await readBuild();
  return `tollgate ${packageJson.version} (${commit === null ? "" : `commit ${commit}, `}schema ${schema})`;
}

/**
 * `readBuild` tells what this program was made of: the commit, null where nothing tells it, and the
 * newest schema that it knows.
 */
export async function readBuild(): Promise<{ commit: string | null; schema: number }> {
  const { migrations } = await import("../../storage/migration-list.ts");
  return { commit: findCommit(import.meta.dirname) ?? null, schema: migrations.at(-1)?.id ?? 0 };
}

/** The file in which `npm run package` puts the commit, beside the bundle. */
export const commitFile = "commit.txt";
const commitPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * `findCommit` gives the commit of the package, or of the clone in which `folder` is, two or four
 * levels below its root; undefined where neither tells.
 */
export function findCommit(folder: string): string | undefined {
  const packaged = findTextOfFile(join(folder, commitFile));
  if (packaged !== undefined) return parseCommit(packaged);
  return (
    commitOfClone(join(folder, "../../.git")) ?? commitOfClone(join(folder, "../../../../.git"))
  );
}

const parseCommit = (text: string): string | undefined =>
  commitPattern.test(text) ? text.slice(0, 12) : undefined;

/**
 * `commitOfClone` reads it as git stores it: the head names a commit or a branch; a worktree names
 * the folder of its head.
 */
function commitOfClone(git: string): string | undefined {
  const linked = /^gitdir: (.+)$/.exec(findTextOfFile(git) ?? "")?.[1];
  const own = linked === undefined ? git : resolve(git, "../..", linked);
  const head = findTextOfFile(join(own, "HEAD")) ?? "";
  const branch = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  if (branch === undefined) return parseCommit(head);
  const common = resolve(own, findTextOfFile(join(own, "commondir")) ?? ".");
  const loose = findTextOfFile(join(common, branch));
  if (loose !== undefined) return parseCommit(loose);
  const packed = (findTextOfFile(join(common, "packed-refs")) ?? "").split("\n");
  return parseCommit(packed.find((line) => line.endsWith(` ${branch}`))?.split(" ")[0] ?? "");
}

function findTextOfFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
