/** What `--version` prints. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };

export async function versionText(): Promise<string> {
  const { migrations } = await import("../storage/migration-list.ts");
  const commit = commitOf(import.meta.dirname);
  return `tollgate ${packageJson.version} (${commit === undefined ? "" : `commit ${commit}, `}schema ${migrations.at(-1)?.id})`;
}

/** The file in which `npm run package` puts the commit, beside the bundle. */
export const commitFile = "commit.txt";
const commitPattern = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Of the package, or of the clone in which `folder` is, two or three levels below its root; undefined where neither tells. */
export function commitOf(folder: string): string | undefined {
  const packaged = textOfFile(join(folder, commitFile));
  if (packaged !== undefined) return commitIn(packaged);
  return commitOfClone(join(folder, "../../.git")) ?? commitOfClone(join(folder, "../../../.git"));
}

const commitIn = (text: string): string | undefined => (commitPattern.test(text) ? text.slice(0, 12) : undefined);

/** As git stores it: the head names a commit or a branch; a worktree names the folder of its head. */
function commitOfClone(git: string): string | undefined {
  const linked = /^gitdir: (.+)$/.exec(textOfFile(git) ?? "")?.[1];
  const own = linked === undefined ? git : resolve(git, "..", linked);
  const head = textOfFile(join(own, "HEAD")) ?? "";
  const branch = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  if (branch === undefined) return commitIn(head);
  const common = resolve(own, textOfFile(join(own, "commondir")) ?? ".");
  const loose = textOfFile(join(common, branch));
  if (loose !== undefined) return commitIn(loose);
  const packed = (textOfFile(join(common, "packed-refs")) ?? "").split("\n");
  return commitIn(packed.find((line) => line.endsWith(` ${branch}`))?.split(" ")[0] ?? "");
}

function textOfFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
