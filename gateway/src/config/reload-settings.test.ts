import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { openEnvironment } from "./open-environment.ts";
import { createReload } from "./reload-settings.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-reload-"));
  file = join(folder, "tollgate.env");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that started with the file's first text, and with `stated` beside it. */
function start(text: string, stated: Record<string, string> = {}) {
  writeFileSync(file, text);
  const read = openEnvironment({ DATA_DIR: folder, ENVIRONMENT_FILE: file, ...stated });
  const settings = readSettings(read());
  return { settings, reload: createReload(read, settings) };
}

test("a live variable acts at once, and another one waits for each restart until it is undone", () => {
  const { settings, reload } = start("READ_ONLY=false\nPORT=3001\n");
  writeFileSync(file, "READ_ONLY=true\nPORT=3002\nLOG_LEVEL=warn\n");
  expect(reload()).toEqual({ changed: ["LOG_LEVEL", "READ_ONLY"], needsRestart: ["PORT"] });
  expect(settings).toMatchObject({ isReadOnly: true, logLevel: "warn", port: 3_001 });
  expect(reload()).toEqual({ changed: [], needsRestart: ["PORT"] });
  writeFileSync(file, "READ_ONLY=true\nPORT=3001\nLOG_LEVEL=warn\n");
  expect(reload()).toEqual({ changed: [], needsRestart: [] });
});

test("a variable that is deleted from the file has its default again, or what the environment says", () => {
  const copied = { READ_ONLY: "true", API_RATE_LIMIT: "7" };
  const { settings, reload } = start("READ_ONLY=true\nAPI_RATE_LIMIT=9\n", copied);
  expect(settings).toMatchObject({ isReadOnly: true, apiRateLimit: 9 });
  writeFileSync(file, "");
  expect(reload().changed).toEqual(["API_RATE_LIMIT", "READ_ONLY"]);
  expect(settings).toMatchObject({ isReadOnly: false, apiRateLimit: 7 });
});

test("who holds the private hosts sees the new ones", () => {
  const { settings, reload } = start("UPSTREAM_PRIVATE_HOSTS=10.0.0.1:80\n");
  const held = settings.upstreamPrivateHosts;
  writeFileSync(file, "UPSTREAM_PRIVATE_HOSTS=10.0.0.2:80\n");
  expect(reload().changed).toEqual(["UPSTREAM_PRIVATE_HOSTS"]);
  expect([...held]).toEqual(["10.0.0.2:80"]);
});

test("a secret in a file is read anew", () => {
  const secret = join(folder, "token");
  writeFileSync(secret, "the-first-token-of-metrics\n");
  const { settings, reload } = start(`METRICS_TOKEN_FILE=${secret}\n`);
  writeFileSync(secret, "another-token-of-metrics\n");
  expect(() => reload()).not.toThrow();
  expect(settings.metricsToken).toBe("another-token-of-metrics");
});

test.each([
  ["an invalid value", "READ_ONLY=true\nAPI_RATE_LIMIT=many\n", /API_RATE_LIMIT/],
  ["what is no variable", "READ_ONLY=true\nexport A=1\n", /"export A" is no variable/],
  ["a secret that is not there", "READ_ONLY=true\nSMTP_URL_FILE=/none\n", /SMTP_URL_FILE/],
])("%s changes nothing and is named", (_, text, reason) => {
  const { settings, reload } = start("READ_ONLY=false\n");
  writeFileSync(file, text);
  expect(reload).toThrow(ConfigError);
  expect(reload).toThrow(reason);
  expect(settings).toMatchObject({ isReadOnly: false, apiRateLimit: 480 });
});

test("a file that cannot be read stops the start, and changes nothing at a reload", () => {
  expect(() => openEnvironment({ ENVIRONMENT_FILE: join(folder, "none") })).toThrow(/ENOENT/);
  const { settings, reload } = start("READ_ONLY=true\n");
  rmSync(file);
  expect(reload).toThrow(/cannot be read \(ENOENT\)/);
  expect(settings.isReadOnly).toBe(true);
});

test("a file with a hyphen before it may be missing, and have lines that are no variables", () => {
  const read = openEnvironment({ ENVIRONMENT_FILE: `-${file}`, PORT: "1" });
  expect(read()).toMatchObject({ PORT: "1" });
  writeFileSync(file, "export A=1\nPORT=2\n");
  expect(read()).toMatchObject({ PORT: "2" });
});
