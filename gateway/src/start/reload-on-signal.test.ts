import { afterEach, expect, test } from "vitest";
import { awaitReloads } from "./reload-on-signal.ts";

afterEach(() => process.removeAllListeners("SIGHUP"));

test("a signal of the start is answered once the reload can be done, and later ones at once", () => {
  const onReload = awaitReloads();
  let reloads = 0;
  process.emit("SIGHUP");
  onReload(() => {
    reloads += 1;
  });
  expect(reloads).toBe(1);
  process.emit("SIGHUP");
  expect(reloads).toBe(2);
});

test("a start without a signal reloads nothing", () => {
  let reloads = 0;
  awaitReloads()(() => {
    reloads += 1;
  });
  expect(reloads).toBe(0);
});
