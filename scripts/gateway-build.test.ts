import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureGatewayBuild } from "./gateway-build.ts";

let root = "";
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tollgate-gateway-build-"));
  put(
    "gateway/src/start/main.ts",
    'export const writer = new URL("./sqlite-writer.ts", import.meta.url).pathname;',
  );
  for (const thread of [
    "storage/sqlite-writer",
    "storage/sqlite-reader",
    "relay/counting/tokenizer-thread",
    "accounts/identity/users/bcrypt-thread",
    "telemetry/span-thread",
    "relay/call-bodies/body-thread",
    "commands/import/source-process",
  ])
    put(`gateway/src/${thread}.ts`, "export {};");
  for (const data of [
    "money/prices/price-data",
    "money/prices/output-limits",
    "catalogue/models/model-ends",
  ])
    put(`gateway/src/${data}.json`, "{}");
});
afterEach(() => rmSync(root, { recursive: true }));

test("a build starts its threads from the files beside it, two folders below the root", async () => {
  const main = await ensureGatewayBuild(root);
  expect(dirname(dirname(dirname(main)))).toBe(root);
  const { writer } = (await import(main)) as { writer: string };
  expect(writer).toBe(join(dirname(main), "sqlite-writer.mjs"));
  expect(existsSync(writer)).toBe(true);
  expect(existsSync(join(dirname(main), "price-data.json"))).toBe(true);
});

test("sources that did not change are bundled once, also for programs that start together", async () => {
  const mains = await Promise.all([ensureGatewayBuild(root), ensureGatewayBuild(root)]);
  const { mtimeMs } = statSync(mains[0]);
  expect(await ensureGatewayBuild(root)).toBe(mains[0]);
  expect(mains[1]).toBe(mains[0]);
  expect(statSync(mains[0]).mtimeMs).toBe(mtimeMs);
  expect(readdirSync(join(root, ".cache"))).toHaveLength(1);
});

test("a changed source gets a build of its own; those of the last day stay for gateways that run from them", async () => {
  const before = await ensureGatewayBuild(root);
  put("gateway/src/start/main.ts", "export const changed = 1;");
  const after = await ensureGatewayBuild(root);
  expect(after).not.toBe(before);
  expect(existsSync(before)).toBe(true);

  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
  utimesSync(dirname(before), twoDaysAgo, twoDaysAgo);
  put("gateway/src/start/main.ts", "export const changed = 2;");
  await ensureGatewayBuild(root);
  expect(existsSync(before)).toBe(false);
  expect(existsSync(after)).toBe(true);
});

test("sources that cannot be bundled leave no build behind", async () => {
  put("gateway/src/start/main.ts", 'import "./not-there.ts";');
  await expect(ensureGatewayBuild(root)).rejects.toThrow("not-there");
  expect(readdirSync(join(root, ".cache"))).toEqual([]);
});
