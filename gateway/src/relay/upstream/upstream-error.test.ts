import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addStateNamed,
  answerLost,
  buildConnectionFailed,
  buildErrorFromResponse,
  buildErrorInStream,
  isSentOn,
} from "./upstream-error.ts";

const now = Date.UTC(2026, 10, 20, 12);

describe("an upstream's refusal", () => {
  const refused = (
    status: number,
    body: unknown = { error: { message: "no", type: "t", code: "c", param: "p" } },
  ) =>
    buildErrorFromResponse(
      status,
      Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
      {},
      now,
    );

  test.each([401, 403, 408, 413, 424, 429, 500, 502, 503, 504, 529])(
    "%i may succeed on another channel",
    (status) => expect(refused(status).isRetryable).toBe(true),
  );
  test.each([400, 404, 405, 409, 415, 422])("%i is the client's own mistake", (status) =>
    expect(refused(status).isRetryable).toBe(false),
  );

  test("keeps the upstream's message", () => {
    expect(refused(400).refusal).toMatchObject({
      status: 400,
      message: "no",
      type: "t",
      code: "c",
      param: "p",
    });
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
  ])(
    "%i is called by the name that Amazon's header %s has for it",
    (status, header, body, code) => {
      const { reported, reason } = buildErrorFromResponse(
        status,
        Buffer.from(JSON.stringify(body)),
        { "x-amzn-errortype": header },
        now,
      );
      expect([reported?.code, reason]).toEqual([code, `status ${status}: Too many tokens`]);
    },
  );
  test("of the operator's key is recognised in Google's 400, too", () => {
    const details = [
      null,
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
    ];
    const error = { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details };
    expect(refused(400, { error })).toMatchObject({
      isRetryable: true,
      reported: { code: "invalid_api_key" },
      refusal: { status: 502, code: "upstream_credentials" },
    });
    // Its compatible API says it in words alone, in a list.
    const words = "API key not valid. Please pass a valid API key.";
    expect(
      refused(400, [{ error: { ...error, message: words, details: undefined } }]),
    ).toMatchObject({
      isRetryable: true,
      refusal: { status: 502, code: "upstream_credentials" },
    });
    const other = { ...error, message: "Role is not valid.", details: [{ reason: "OTHER" }] };
    expect(refused(400, { error: other })).toMatchObject({
      isRetryable: false,
      refusal: { status: 400, code: 400, message: "Role is not valid." },
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
    expect(
      refused(400, { error: { message: "x".repeat(60_000) } }).refusal.message.length,
    ).toBeLessThanOrEqual(2_000);
  });
  test("S2-19 tells users less than administrators", { tags: ["S2-19"] }, () => {
    const errorBody = {
      error: { message: "Rate limit reached for org-4711", code: "rate_limit_exceeded" },
    };
    expect(refused(429, errorBody)).toMatchObject({
      reason: "status 429: Rate limit reached for org-4711",
      publicReason: "status 429: The provider's rate limit is reached; try again in a while",
    });
    expect(refused(400)).toMatchObject({
      reason: "status 400: no",
      publicReason: "status 400: no",
    });
  });
  test("of an account that cannot pay rests the key, and the client learns nothing of it", () => {
    const low = {
      error: {
        type: "invalid_request_error",
        message: "Your credit balance is too low to access the API",
      },
    };
    expect(refused(400, low)).toMatchObject({
      isRetryable: true,
      isCreditLow: true,
      refusal: { status: 503, code: "upstream_unavailable" },
    });
  });
  test("about a missing model may succeed elsewhere, unless the request names state of the provider", () => {
    const missing = refused(404, { error: { message: "no resp_1", type: "not_found_error" } });
    expect(addStateNamed(missing, false)).toMatchObject({
      isRetryable: true,
      refusal: { code: "model_not_found" },
    });
    expect(addStateNamed(missing, true)).toMatchObject({
      isRetryable: false,
      publicReason: "status 404: no resp_1",
      refusal: { status: 404, message: "no resp_1" },
    });
    expect(addStateNamed(refused(500), true)).toMatchObject({ isRetryable: true });
  });
  test("of Google's names the wait in its body: as a list of one, quoted by another gateway and in a stream too", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "33.2s" }];
    const error = { code: 429, message: "Quota exceeded.", status: "RESOURCE_EXHAUSTED", details };
    const quoted = { error: { message: JSON.stringify({ error }) } };
    const seen = [
      refused(429, { error }),
      refused(429, [{ error }]),
      refused(429, quoted),
      buildErrorInStream(error),
    ];
    for (const { status, retryAfterMs, refusal } of seen)
      expect([status, retryAfterMs, refusal.retryAfter]).toEqual([429, 33_200, 34]);
  });
  test("about the context is no failure of a server that a client would ask again", () => {
    const error = refused(500, { error: { message: "exceeds the available context size" } });
    expect(error).toMatchObject({
      isRetryable: false,
      requestFault: "context",
      refusal: { status: 400, isContextTooLong: true },
    });
    expect(refused(413, {})).toMatchObject({
      isRetryable: true,
      refusal: { status: 413, isContextTooLong: true },
    });
  });
  test("inside a stream is read like one in a response", () => {
    expect(buildErrorInStream({ type: "overloaded_error", message: "Overloaded" })).toMatchObject({
      status: 529,
      isRetryable: true,
      reported: { type: "overloaded_error", code: null },
      refusal: { status: 529, type: "overloaded_error" },
    });
    expect(buildErrorInStream({ code: "insufficient_quota", message: "x" })).toMatchObject({
      isCreditLow: true,
      reported: { code: "insufficient_quota" },
    });
    expect(buildErrorInStream({ type: "invalid_request_error", message: "bad" })).toMatchObject({
      isRetryable: false,
      refusal: { status: 400, message: "bad" },
    });
    expect(buildErrorInStream("only words")).toMatchObject({
      status: 502,
      reason: "status 502: only words",
    });
    expect(buildErrorInStream(null)).toMatchObject({
      status: 502,
      reason: "status 502: no reason given",
    });
  });
  test("S2-07 after silence or too long an answer asks for no other attempt, neither here nor at the client", {
    tags: ["S2-07"],
  }, () => {
    for (const cause of ["silent", "too_large"] as const) {
      expect(answerLost("why", { cause, bytes: 5 })).toMatchObject({
        status: 0,
        isRetryable: false,
        lost: { cause, bytes: 5 },
        refusal: { headers: ["x-should-retry", "false"] },
      });
    }
  });
  test("without any response is a 502 and may succeed on another channel", () => {
    expect(buildConnectionFailed("ECONNRESET")).toMatchObject({
      status: 0,
      isRetryable: true,
      refusal: { status: 502 },
    });
  });
});

test("an operator's statuses decide which failures go on, but never for a request that names state of one provider", () => {
  const range = fc
    .integer({ min: 400, max: 599 })
    .map((from) => ({ from, to: Math.min(599, from + 20) }));
  const list = fc.array(range, { maxLength: 3 });
  const status = fc.oneof(fc.constant(0), fc.integer({ min: 400, max: 599 }));
  fc.assert(
    fc.property(
      status,
      fc.boolean(),
      list,
      list,
      fc.boolean(),
      (failed, isRetryable, retried, final, namesState) => {
        const isIn = (ranges: typeof final) =>
          ranges.some(({ from, to }) => failed >= from && failed <= to);
        const sentOn = isSentOn({ status: failed, isRetryable }, { retried, final }, namesState);
        expect(sentOn).toBe(!isIn(final) && (isRetryable || (isIn(retried) && !namesState)));
        // Without a list, today's rules.
        expect(
          isSentOn({ status: failed, isRetryable }, { retried: [], final: [] }, namesState),
        ).toBe(isRetryable);
      },
    ),
  );
});
