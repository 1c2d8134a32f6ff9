import { execFileSync } from "node:child_process";

/**
 * Files whose names end so that differ from the main branch, committed or not; undefined where git
 * does not know, because there is no repository or no main branch.
 */
export function changedSources(root: string, endings: readonly string[]): string[] | undefined {
  const git = (...args: string[]): string[] =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .split("\n")
      .filter((line) => line !== "");
  try {
    const [base = "HEAD"] = git("merge-base", "HEAD", "main");
    const patterns = ["--", ...endings.map((ending) => `*${ending}`)];
    const changed = [
      ...git("diff", "--name-only", "--diff-filter=d", base, ...patterns),
      ...git("ls-files", "--others", "--exclude-standard", ...patterns),
    ];
    return [...new Set(changed)].sort();
  } catch {
    return undefined;
  }
}
