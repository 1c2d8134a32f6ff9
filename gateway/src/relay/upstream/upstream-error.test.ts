import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connectionFailed, errorFromResponse, retryAfterOf } from "./upstream-error.ts";

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

  test("is never negative and never longer than a minute, whatever the header says", () => {
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
    errorFromResponse(status, Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), undefined, now);

  test.each([401, 403, 408, 413, 424, 429, 500, 502, 503, 504, 529])("%i may succeed on another channel", (status) =>
    expect(refused(status).isRetryable).toBe(true),
  );
  test.each([400, 404, 405, 409, 415, 422])("%i is the client's own mistake", (status) =>
    expect(refused(status).isRetryable).toBe(false),
  );

  test("keeps the upstream's message", () => {
    expect(refused(400).refusal).toMatchObject({ status: 400, message: "no", type: "t", code: "c", param: "p" });
  });
  test("about the operator's key does not reach the client", () => {
    const { refusal } = refused(401, {
      error: { message: "Incorrect API key provided: sk-ab***yz", code: "invalid_api_key" },
    });
    expect(refusal.status).toBe(502);
    expect(JSON.stringify(refusal)).not.toMatch(/sk-ab|invalid_api_key/);
  });
  test.each([
    [429, "ThrottlingException", { message: "Too many tokens" }, "ThrottlingException"],
    [
      400,
      "ValidationException:http://internal.amazon.com/coral/",
      { message: "Too many tokens" },
      "ValidationException",
    ],
    [403, "AccessDeniedException", { Message: "Too many tokens" }, "AccessDeniedException"],
    [403, "UnrecognizedClientException", { message: "Too many tokens" }, "invalid_api_key"],
    [403, "InvalidSignatureException", { message: "Too many tokens" }, "invalid_api_key"],
  ])("%i is called by the name that Amazon's header %s has for it", (status, header, body, code) => {
    const { reported, reason } = errorFromResponse(status, Buffer.from(JSON.stringify(body)), undefined, now, header);
    expect([reported?.code, reason]).toEqual([code, `status ${status}: Too many tokens`]);
  });
  test("of the operator's key is recognised in Google's 400, too", () => {
    const details = [null, { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
    const error = { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details };
    expect(refused(400, { error })).toMatchObject({
      isRetryable: true,
      reported: { code: "invalid_api_key" },
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
  test("of any length is truncated", () => {
    expect(refused(400, { error: { message: "x".repeat(60_000) } }).refusal.message.length).toBeLessThanOrEqual(2_000);
  });
  test("without any response is a 502 and may succeed on another channel", () => {
    expect(connectionFailed("ECONNRESET")).toMatchObject({ status: 0, isRetryable: true, refusal: { status: 502 } });
  });
});
