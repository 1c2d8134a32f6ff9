import fc from "fast-check";
import { expect, test } from "vitest";
import { isTraceInRatio, parseTraceParent, traceParentText } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const valid = `00-${traceId}-${spanId}-01`;
const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })
    .filter((text) => /[1-9a-f]/.test(text));

test("a valid parent is read back from what it is written as", () => {
  fc.assert(
    fc.property(hex(32), hex(16), fc.boolean(), (trace, span, isSampled) => {
      const read = parseTraceParent(traceParentText(trace, span, isSampled), undefined);
      expect(read).toEqual({ traceId: trace, spanId: span, isSampled, state: "" });
    }),
  );
});

test.each([
  ["upper case", valid.toUpperCase()],
  ["an id of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
  ["a span of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
  ["the invalid version", valid.replace(/^00/, "ff")],
  ["more members than version 00 has", `${valid}-more`],
  ["two headers", `${valid}, ${valid}`],
  ["a short id", `00-${traceId.slice(1)}-${spanId}-01`],
  ["space around it", ` ${valid}`],
  ["a long text", `01-${traceId}-${spanId}-01-${"x".repeat(300)}`],
  ["nothing", ""],
])("%s is no parent", (_name, text) => expect(parseTraceParent(text, undefined)).toBeUndefined());

test("a later version is read by its first four members, and unknown flags say nothing", () => {
  expect(parseTraceParent(`cc-${traceId}-${spanId}-03-later`, undefined)).toMatchObject({
    traceId,
    isSampled: true,
  });
  expect(parseTraceParent(`00-${traceId}-${spanId}-02`, undefined)).toMatchObject({
    isSampled: false,
  });
});

test("no text that a client may send is a fault, and what is read holds valid ids alone", () => {
  const close = fc
    .array(fc.constantFrom(..."0123456789abcdefF-", "00-", valid, traceId, "\0", "é"), {
      maxLength: 80,
    })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), close),
      fc.option(fc.string(), { nil: undefined }),
      (text, state) => {
        const read = parseTraceParent(text, state);
        if (!read) return;
        expect(read.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
        expect(read.spanId).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
      },
    ),
  );
});

test("a tracestate that is no list of members is dropped, and the trace goes on", () => {
  const stateOf = (state: string) => parseTraceParent(valid, state)?.state;
  expect(stateOf("congo=t61rcWkgMzE, rojo=00f067aa0ba902b7")).toBe(
    "congo=t61rcWkgMzE, rojo=00f067aa0ba902b7",
  );
  expect(stateOf("1@vendor=x,")).toBe("1@vendor=x,");
  for (const bad of [
    "",
    ",",
    "Upper=1",
    "a=b=c",
    "a=line\nbreak",
    "a=é",
    "a",
    "=b",
    `a=${"x".repeat(600)}`,
  ])
    expect(stateOf(bad), bad).toBe("");
  expect(stateOf(Array.from({ length: 33 }, (_, at) => `a${at}=1`).join(","))).toBe("");
});

test("the ratio keeps its share of the traces, and a larger one keeps them too", () => {
  fc.assert(
    fc.property(
      hex(32),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (id, a, b) => {
        expect(isTraceInRatio(id, 1)).toBe(true);
        expect(isTraceInRatio(id, 0)).toBe(false);
        if (isTraceInRatio(id, Math.min(a, b)))
          expect(isTraceInRatio(id, Math.max(a, b))).toBe(true);
      },
    ),
  );
  const ids = Array.from(
    { length: 1_000 },
    (_, at) => `${"1".repeat(18)}${((at * 4_294_967) >>> 0).toString(16).padStart(8, "0")}111111`,
  );
  expect(ids.filter((id) => isTraceInRatio(id, 0.1)).length).toBeGreaterThan(90);
  expect(ids.filter((id) => isTraceInRatio(id, 0.1)).length).toBeLessThan(110);
});
