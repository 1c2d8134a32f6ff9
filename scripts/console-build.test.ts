import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { consoleSources, isBuiltFrom } from "./console-build.ts";
import { sourcesHash } from "./sources-hash.ts";

let root = "";
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tollgate-console-build-"));
  put("console/index.html", "<!doctype html>");
  put("console/src/main.tsx", "start();");
  put("contract/src/accounts/tokens.ts", "export {};");
  put("package-lock.json", "{}");
});
afterEach(() => rmSync(root, { recursive: true }));

test("the hash changes with every source: content, name, contract, lockfile", () => {
  const seen = new Set([sourcesHash(root, consoleSources)]);
  put("console/src/main.tsx", "start(1);");
  seen.add(sourcesHash(root, consoleSources));
  put("console/src/other.tsx", "start(1);");
  seen.add(sourcesHash(root, consoleSources));
  put("contract/src/accounts/tokens.ts", "export const a = 1;");
  seen.add(sourcesHash(root, consoleSources));
  put("package-lock.json", "{ }");
  seen.add(sourcesHash(root, consoleSources));
  expect(seen.size).toBe(5);
});

test("what the build or npm puts beside the sources changes nothing", () => {
  const before = sourcesHash(root, consoleSources);
  put("console/dist/assets/a.js", "1");
  put("console/node_modules/.vite/cache.json", "1");
  put("gateway/src/start/main.ts", "1");
  expect(sourcesHash(root, consoleSources)).toBe(before);
});

test("a build counts only with its page and the hash of its sources", () => {
  const hash = sourcesHash(root, consoleSources);
  expect(isBuiltFrom(root, hash)).toBe(false);
  put("console/dist/index.html", "built");
  expect(isBuiltFrom(root, hash)).toBe(false);
  put("console/dist/.vite/sources.sha256", `${hash}\n`);
  expect(isBuiltFrom(root, hash)).toBe(true);
  put("console/src/main.tsx", "start(2);");
  expect(isBuiltFrom(root, sourcesHash(root, consoleSources))).toBe(false);
});
