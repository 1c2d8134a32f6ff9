import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buildFailureKind,
  findNeutralRefusal,
  findRequestFault,
  mayHelp,
  type ReportedFailure,
  streamErrorStatus,
} from "./upstream-failure-kinds.ts";

const failure = (status: number, more: Partial<ReportedFailure> = {}): ReportedFailure => ({
  status,
  message: "no",
  type: "upstream_error",
  code: null,
  isJson: true,
  ...more,
});
const kind = (status: number, more: Partial<ReportedFailure> = {}) =>
  buildFailureKind(failure(status, more));

describe("what a failure means", () => {
  test.each([
    [400, "request"],
    [401, "credentials"],
    [402, "credit"],
    [403, "credentials"],
    [404, "request"],
    [408, "provider"],
    [409, "request"],
    [410, "request"],
    [413, "request"],
    [422, "request"],
    [424, "provider"],
    [429, "rate_limit"],
    [456, "credit"],
    [500, "provider"],
    [503, "provider"],
    [529, "provider"],
  ])("status %i is a matter of the %s", (status, expected) => expect(kind(status)).toBe(expected));

  test.each([
    "insufficient_quota",
    "billing_error",
    "billing_not_active",
    "insufficient_balance",
    "Arrearage",
  ])(
    "the name %s tells that the account cannot pay, as type and as code, whatever the status",
    (name) => {
      for (const status of [400, 403, 429]) {
        expect(kind(status, { type: name })).toBe("credit");
        expect(kind(status, { code: name })).toBe("credit");
      }
    },
  );

  test.each([
    "Your credit balance is too low to access the Anthropic API.",
    "Insufficient Balance",
    "Insufficient credits. Add more at https://openrouter.ai",
    "You exceeded your current quota, please check your plan",
    "余额不足，请充值",
  ])("a message that begins %j tells it, too", (message) => {
    expect(kind(400, { message })).toBe("credit");
    expect(kind(429, { message })).toBe("rate_limit");
  });

  test.each([
    { code: "tool_use_failed", message: "Failed to call a function. See 'failed_generation'." },
    { code: "json_validate_failed", message: "Failed to generate JSON." },
    {
      message:
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    },
  ])("%j is no fault of the request, whatever its status says", (told) => {
    expect(kind(400, told)).toBe("provider");
    expect(mayHelp("provider", 400)).toBe(true);
    expect(findNeutralRefusal("provider", failure(400, told))).toMatchObject({ status: 502 });
  });

  test("the same words in a text that a provider quotes tell nothing", () => {
    for (const message of [
      "Invalid value: 'Your credit balance is too low'. Supported values are: 'user'.",
      "messages.0: unknown role insufficient balance",
    ])
      expect(kind(400, { message })).toBe("request");
  });

  test.each([
    [400, "The provided model identifier is invalid.", "model_missing"],
    [400, "Model Not Exist", "model_missing"],
    [400, "You wrote: The provided model identifier is invalid.", "request"],
    [400, "You have reached your specified API usage limits.", "credit"],
  ])("status %i with the words %j is a matter of the %s", (status, message, expected) =>
    expect(kind(status, { message })).toBe(expected),
  );

  test.each([
    ["exceeded_current_quota_error", null],
    ["upstream_error", "1113"],
  ])("a 429 of type %s and code %s tells of an account that cannot pay", (type, code) =>
    expect(kind(429, { type, code })).toBe("credit"),
  );

  test.each([
    "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
    "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum",
    "Unable to submit request because the input token count is 1200000 but the model only supports up to 1048576.",
    "prompt token count of 140000 exceeds the limit of 128000",
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    "length of prompt_tokens (140000) must be less than max_seq_len (131072).",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769.",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    "The input (150000 tokens) is longer than the model's context length (131072 tokens).",
    "Request payload size exceeds the limit: 20971520 bytes.",
    'Provider returned error ({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2 > 1"}})',
  ])("the context is too small where a provider says %j", (message) =>
    expect(findRequestFault(failure(400, { message }))).toBe("context"),
  );

  test.each([
    ["messages[3].content", "context"],
    ["input[1].content[0].text", "context"],
    ["instructions", "context"],
    ["user", undefined],
    ["messages[1].tool_calls[0].id", undefined],
    ["input[95].call_id", undefined],
    ["tools[0].function.name", undefined],
    ["metadata.session", undefined],
  ])("OpenAI's refusal of a long %s is a fault of the %s", (member, fault) =>
    expect(
      findRequestFault(
        failure(400, {
          code: "string_above_max_length",
          message: `Invalid '${member}': string too long. Expected a string with maximum length 64.`,
        }),
      ),
    ).toBe(fault),
  );

  test("a body that is too large is a conversation that is, whatever its words", () => {
    for (const message of ["", "Request too large"])
      expect(findRequestFault(failure(413, { message }))).toBe("context");
    expect(findRequestFault(failure(400, { message: "Request too large" }))).toBeUndefined();
    const recording = "Maximum content size limit (26214400) exceeded (26220000 bytes read)";
    expect(findRequestFault(failure(413, { message: recording }))).toBeUndefined();
  });

  test("words about the context are the request's own fault with a status of the server, too", () => {
    const message = "the request exceeds the available context size";
    expect(kind(500, { message })).toBe("request");
    expect(kind(500, { message: "the server failed" })).toBe("provider");
  });

  test("words that a provider quotes tell nothing of the context", () =>
    expect(
      findRequestFault(failure(400, { message: `"${"x".repeat(90)}" prompt is too long` })),
    ).toBeUndefined());

  test("a model is missing when a code says so, or when the answer is no error in JSON", () => {
    for (const status of [404, 410]) {
      expect(kind(status, { code: "model_not_found" })).toBe("model_missing");
      expect(kind(status, { type: "not_found_error" })).toBe("model_missing");
      expect(kind(status, { name: "NOT_FOUND", code: 404 })).toBe("model_missing");
      expect(kind(status, { code: "DeploymentNotFound" })).toBe("model_missing");
      expect(kind(status, { isJson: false })).toBe("model_missing");
      expect(kind(status, { message: "the model m was not found" })).toBe("request");
    }
  });

  test("an error about context or content is the request's, also with a status of the provider", () => {
    for (const code of ["context_length_exceeded", "content_filter", "content_policy_violation"])
      for (const status of [400, 403, 500]) expect(kind(status, { code })).toBe("request");
  });
});

test("another attempt may help unless the request itself is refused; another channel may take a larger body", () => {
  for (const other of ["credentials", "credit", "rate_limit", "model_missing", "provider"] as const)
    expect(mayHelp(other, 400)).toBe(true);
  expect(mayHelp("request", 400)).toBe(false);
  expect(mayHelp("request", 413)).toBe(true);
});

describe("S2-19 what clients read", () => {
  const account = "org-4711 at billing.example.com";
  test.each([401, 402, 403, 429, 500, 503, 529])(
    "of status %i nothing of the provider's words",
    { tags: ["S2-19"] },
    (status) => {
      const reported = failure(status, { message: account, type: account, code: account });
      const refusal = findNeutralRefusal(buildFailureKind(reported), reported);
      expect(refusal).toBeDefined();
      expect(JSON.stringify(refusal)).not.toMatch(/4711|billing\.example/);
    },
  );

  test("of a refused request all of it", { tags: ["S2-19"] }, () => {
    for (const status of [400, 409, 413, 422])
      expect(
        findNeutralRefusal(buildFailureKind(failure(status)), failure(status)),
      ).toBeUndefined();
  });

  test("names that client libraries act on stay", () => {
    const named = (status: number, type: string, code: string) => {
      const reported = failure(status, { type, code });
      return findNeutralRefusal(buildFailureKind(reported), reported);
    };
    expect(named(429, "tokens", "rate_limit_exceeded")).toMatchObject({
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
    });
    expect(named(529, "overloaded_error", "x")).toMatchObject({
      status: 529,
      type: "overloaded_error",
      code: "bad_response_status_code",
    });
  });

  test("no refusal repeats a word of the provider, whatever it sends", { tags: ["S2-19"] }, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 400, max: 599 }),
        fc.uuid(),
        fc.uuid(),
        fc.uuid(),
        (status, message, type, code) => {
          const reported = failure(status, { message, type, code });
          const refusal = JSON.stringify(
            findNeutralRefusal(buildFailureKind(reported), reported) ?? {},
          );
          for (const word of [message, type, code]) expect(refusal).not.toContain(word);
        },
      ),
    );
  });
});

test.each([
  ["overloaded_error", null, 529],
  ["insufficient_quota", "insufficient_quota", 429],
  ["error", "rate_limit_exceeded", 429],
  ["invalid_request_error", null, 400],
  ["invalid_request_error", "context_length_exceeded", 400],
  ["upstream_error", 402, 402],
  ["upstream_error", "503", 503],
  ["upstream_error", 200, 502],
  ["upstream_error", null, 502],
  ["x", "content_filter", 400],
])("inside a stream, the type %s with the code %s stands for status %i", (type, code, status) =>
  expect(streamErrorStatus(type, code)).toBe(status),
);
