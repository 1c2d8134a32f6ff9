import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findCommit, formatVersionText } from "./program-version.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const shown = commit.slice(0, 12);
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tollgate-version-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const found = (): string | undefined => findCommit(join(root, "gateway/src"));

test("a package knows the commit that it was built from, and one of unknown sources none", () => {
  put(".git/HEAD", commit);
  put("gateway/src/commit.txt", `${commit.replace("0", "f")}\n`);
  expect(found()).toBe(`f${shown.slice(1)}`);
  put("gateway/src/commit.txt", "");
  expect(found()).toBeUndefined();
});

test("a clone knows its commit: of a branch, packed or not, without one, and in a worktree", () => {
  expect(found()).toBeUndefined();
  put(".git/HEAD", "ref: refs/heads/main\n");
  put(".git/packed-refs", `# pack-refs with: peeled\n${commit} refs/heads/main\n`);
  expect(found()).toBe(shown);
  put(".git/refs/heads/main", `${commit.replace("0", "f")}\n`);
  expect(found()).toBe(`f${shown.slice(1)}`);
  put(".git/HEAD", `${commit}\n`);
  expect(found()).toBe(shown);

  rmSync(join(root, ".git"), { recursive: true });
  put(".git", `gitdir: ${join(root, "elsewhere/worktrees/one")}\n`);
  put("elsewhere/worktrees/one/HEAD", "ref: refs/heads/one\n");
  put("elsewhere/worktrees/one/commondir", "../..\n");
  put("elsewhere/refs/heads/one", `${commit}\n`);
  expect(found()).toBe(shown);
});

test("version and schema are told", async () => {
  expect(await formatVersionText()).toMatch(
    /^tollgate \d+\.\d+\.\d+ \((commit [0-9a-f]{12}, )?schema \d+\)$/,
  );
});
