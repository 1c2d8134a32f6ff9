import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSuspensions } from "./suspensions.ts";
import { brokenUpstream, failedUpstream, retryAfterOf } from "./trouble.ts";

const now = Date.UTC(2026, 10, 20, 12);

describe("Retry-After", () => {
  test.each([
    ["2", 2_000],
    [" 2 ", 2_000],
    ["0", 0],
    ["1.5", 1_500],
    ["999999999", 60_000],
    [new Date(now + 30_000).toUTCString(), 30_000],
    [new Date(now + 3_600_000).toUTCString(), 60_000],
    ["-5", undefined],
    ["soon", undefined],
    ["", undefined],
    ["Infinity", undefined],
    ["1e9", undefined],
    [new Date(now - 1_000).toUTCString(), undefined],
    [undefined, undefined],
  ])("%j is a wait of %s ms", (text, ms) => expect(retryAfterOf(text, now)).toBe(ms));

  test("is never negative, never longer than a minute, whatever it says", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.date().map(String)), (text) => {
        const ms = retryAfterOf(text, now);
        if (ms !== undefined) expect(ms >= 0 && ms <= 60_000).toBe(true);
      }),
    );
  });
});

describe("an upstream's refusal", () => {
  const refused = (status: number, body: unknown = { error: { message: "no", type: "t", code: "c", param: "p" } }) =>
    failedUpstream(status, Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), undefined, now);

  test.each([401, 403, 408, 413, 429, 500, 502, 503, 504, 529])("%i may be better elsewhere", (status) =>
    expect(refused(status).isRetryable).toBe(true),
  );
  test.each([400, 404, 405, 409, 415, 422])("%i is the caller's own", (status) =>
    expect(refused(status).isRetryable).toBe(false),
  );

  test("goes on in the upstream's words", () => {
    expect(refused(400).refusal).toMatchObject({ status: 400, message: "no", type: "t", code: "c", param: "p" });
  });
  test("about the operator's key is not told to the caller", () => {
    const { refusal } = refused(401, {
      error: { message: "Incorrect API key provided: sk-ab***yz", code: "invalid_api_key" },
    });
    expect(refusal.status).toBe(502);
    expect(JSON.stringify(refusal)).not.toMatch(/sk-ab|invalid_api_key/);
  });
  test("of the operator's key is one with Google's 400, too", () => {
    const details = [null, { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
    const error = { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details };
    expect(refused(400, { error })).toMatchObject({
      isRetryable: true,
      said: { code: "invalid_api_key" },
      refusal: { status: 502, code: "upstream_credentials" },
    });
    expect(refused(400, { error: { ...error, details: [{ reason: "OTHER" }] } })).toMatchObject({
      isRetryable: false,
      refusal: { status: 400, code: 400, message: "API key not valid." },
    });
  });
  test.each([
    "",
    "<html>",
    "null",
    "[]",
    "7",
    '{"error":null}',
    '{"error":7}',
    '{"error":{"message":7,"type":[],"code":{}}}',
  ])("without a readable body (%s) still has words and a type", (body) => {
    const { refusal } = refused(500, body);
    expect(refusal.message).not.toBe("");
    expect(refusal.type).toBe("upstream_error");
    expect(["string", "number", "object"]).toContain(typeof (refusal.code ?? null));
  });
  test("that is endless is cut", () => {
    expect(refused(400, { error: { message: "x".repeat(60_000) } }).refusal.message.length).toBeLessThanOrEqual(2_000);
  });
  test("no answer at all is a 502 and may be better elsewhere", () => {
    expect(brokenUpstream("ECONNRESET")).toMatchObject({ status: 0, isRetryable: true, refusal: { status: 502 } });
  });
});

describe("a channel that failed", () => {
  test("rests for its kind of failure, for that model alone, and comes back", () => {
    let at = 0;
    const suspensions = openSuspensions(() => at);
    suspensions.note(1, "small", 500, undefined);
    suspensions.note(2, "small", 429, undefined);
    suspensions.note(3, "small", 429, 2_000);
    suspensions.note(4, "small", 500, 2_000);
    expect(suspensions.find(1, "large")).toBeUndefined();
    expect([1, 2, 3, 4].map((id) => suspensions.find(id, "small")?.until)).toEqual([30_000, 60_000, 2_000, 30_000]);
    // Only a time that a rate limit named is binding.
    expect([1, 2, 3, 4].map((id) => suspensions.find(id, "small")?.isHard)).toEqual([false, false, true, false]);
    at = 2_000;
    expect(suspensions.find(3, "small")).toBeUndefined();
    suspensions.clear(1, "small");
    expect(suspensions.find(1, "small")).toBeUndefined();
    at = 60_000;
    expect(suspensions.find(2, "small")).toBeUndefined();
  });
});
