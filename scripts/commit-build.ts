/**
 * The gateway's bundle of another commit, built by that commit's own script in a worktree of its
 * own.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`);
  return stdout.trim();
}

/**
 * Returns the path of the program. The worktree stays in `.cache` for the next run; packages are
 * installed there where they differ.
 */
export function buildCommit(name: string): { commit: string; main: string } {
  const commit = run(root, "git", "rev-parse", "--verify", `${name}^{commit}`).slice(0, 12);
  const folder = join(root, ".cache/commits", commit);
  run(root, "git", "worktree", "prune");
  if (!existsSync(folder)) run(root, "git", "worktree", "add", "--detach", folder, commit);
  if (!existsSync(join(folder, "node_modules"))) {
    const isSame =
      run(root, "git", "diff", "--name-only", commit, "--", "package-lock.json") === "";
    if (isSame) linkPackages(folder);
    else run(folder, "npm", "ci");
  }
  // 0.1.0 ran from its sources.
  if (!existsSync(join(folder, "scripts/gateway-build.ts")))
    return { commit, main: join(folder, "gateway/src/main.ts") };
  const script =
    'import("./scripts/gateway-build.ts").then(({ ensureGatewayBuild }) => ensureGatewayBuild(process.cwd())).then(console.log)';
  const main = run(folder, process.execPath, "-e", script).split("\n").at(-1) ?? "";
  return { commit, main };
}

/** The workspaces stay those of the commit: their names are links into its own folders. */
function linkPackages(folder: string): void {
  const [packages, workspaces] = ["node_modules", "node_modules/@tollgate"] as const;
  mkdirSync(join(folder, workspaces), { recursive: true });
  for (const name of readdirSync(join(root, packages)))
    if (name !== "@tollgate") symlinkSync(join(root, packages, name), join(folder, packages, name));
  for (const name of readdirSync(join(root, workspaces)))
    symlinkSync(readlinkSync(join(root, workspaces, name)), join(folder, workspaces, name));
  for (const part of ["gateway", "contract", "console"].map((name) => `${name}/node_modules`))
    if (existsSync(join(root, part))) symlinkSync(join(root, part), join(folder, part));
}
