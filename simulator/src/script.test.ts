import { expect, test } from "vitest";
import { behaviourOf, readScript, scriptInKey, UnknownDirective } from "./script.ts";

const cases: readonly [key: string, behaviour: object][] = [
  ["sim-ok", {}],
  ["sim-ok+as-second", {}],
  ["sim-401", { fail: { status: 401 } }],
  ["sim-fail-503", { fail: { status: 503 } }],
  ["sim-fail-429-retry-2", { fail: { status: 429, retryAfter: "2" } }],
  ["sim-fail-429-retry--5", { fail: { status: 429, retryAfter: "-5" } }],
  ["sim-fail-429-retry-ms-1204", { fail: { status: 429, retryAfterMs: "1204" } }],
  ["sim-fail-429-retry-date-30", { fail: { status: 429, retryDateSeconds: 30 } }],
  ["sim-hang", { hang: true }],
  ["sim-slow-500", { slowMs: 500 }],
  ["sim-slow-200-2000", { slowMs: 200, slowMsP99: 2000 }],
  ["sim-cut-5", { cutAfter: 5 }],
  ["sim-error-5", { errorAfter: 5 }],
  ["sim-no-usage", { noUsage: true }],
  ["sim-truncate-json", { truncateJson: true }],
  ["sim-wire-crlf", { wire: "crlf" }],
  ["sim-pace-20+tokens-200", { paceMs: 20, tokens: 200 }],
];

test.each(cases)("the key %s defines its behaviour", (key, behaviour) => {
  expect(behaviourOf(scriptInKey(key) ?? [], 1)).toEqual(behaviour);
});

test("first-N holds for the first calls only", () => {
  const script = scriptInKey("sim-pace-20+fail-503-first-3") ?? [];
  expect([1, 3, 4].map((call) => behaviourOf(script, call).fail?.status)).toEqual([
    503,
    503,
    undefined,
  ]);
  expect(behaviourOf(script, 4).paceMs).toBe(20);
});

test("every-N holds for each Nth call", () => {
  const script = scriptInKey("sim-500-every-2") ?? [];
  expect([1, 2, 3, 4].map((call) => behaviourOf(script, call).fail?.status)).toEqual([
    undefined,
    500,
    undefined,
    500,
  ]);
});

test("a key of another format has no script", () => {
  expect(scriptInKey("sk-abc")).toBeUndefined();
});

test.each(["sim-fial-503", "sim-", "sim-ok+", "sim-wire-morse", "sim-503-first-0"])(
  "the typo %s is reported",
  (key) => {
    expect(() => scriptInKey(key)).toThrow(UnknownDirective);
  },
);

test("a script can be text, one directive or several", () => {
  expect(readScript("hang")).toEqual([{ hang: true }]);
  expect(readScript({ paceMs: 20 })).toEqual([{ paceMs: 20 }]);
  expect(readScript([{ paceMs: 20 }, { fail: { status: 503 }, first: 1 }])).toHaveLength(2);
});

test.each([
  [{ pace: 20 }, /'pace'/],
  [{ paceMs: "20" }, /'paceMs' cannot be "20"/],
  [{ fail: { status: 42 } }, /'fail'/],
  [{ first: 0, hang: true }, /'first'/],
  [undefined, /A directive is an object/],
])("the script %j is refused", (script, message) => {
  expect(() => readScript(script)).toThrow(message);
});
