import {
  quotedSecret,
  runsLeft,
  secretSpellings,
} from "@tollgate/tests/support/secret-spellings.ts";
import { expect, test } from "vitest";
import { redact, redactSecrets } from "./redact-secrets.ts";
import { buildErrorFromResponse } from "./upstream-error.ts";

const pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----\n";
const account = JSON.stringify({
  type: "service_account",
  project_id: "our-project",
  private_key: pem,
});

test.each([
  [
    "the key",
    "sk-proj-4711canary",
    "Incorrect API key provided: sk-proj-4711canary.",
    "Incorrect API key provided: [key].",
  ],
  ["the key twice", "sk-proj-4711canary", "sk-proj-4711canary, sk-proj-4711canary", "[key], [key]"],
  [
    "one of several that are joined",
    "AKIA4711CANARY|secret/4711+canary|us-east-1",
    "not signed by secret/4711+canary in us-east-1",
    "not signed by [key] in us-east-1",
  ],
  [
    "all of them",
    "AKIA4711CANARY|secret/4711+canary|us-east-1",
    "AKIA4711CANARY|secret/4711+canary|us-east-1",
    "[key]",
  ],
  [
    "one in an address",
    "key with 4711/canary",
    "GET /v1?key=key%20with%204711%2Fcanary",
    "GET /v1?key=[key]",
  ],
  [
    "a line of several",
    "sk-first-4711-canary\nsk-second-4711-canary",
    "sk-second-4711-canary is unknown",
    "[key] is unknown",
  ],
  ["a service account's", account, `invalid: ${pem.trim()}`, "invalid: [key]"],
  [
    "a service account's, as JSON",
    account,
    `{"private_key":${JSON.stringify(pem)}}`,
    '{"private_key":"[key]\\n"}',
  ],
  ["one line of it", `eu|p|${account}`, "near MIIEvQIBADANBgkqhkiG9w0B", "near [key]"],
  ["nothing", "sk-proj-4711canary", "The model does not exist", "The model does not exist"],
  ["no short words", "o|k", "look over there", "look over there"],
  ["nothing of no key", "", "some words", "some words"],
])("it takes out %s", (_, secret, said, left) => expect(redact(said, secret)).toBe(left));

const secret = quotedSecret;
test.each(secretSpellings)(
  "no run of a key is left of it in another spelling: %s",
  { tags: ["S2-10"] },
  (_, said, hidden = said) => {
    const cleaned = redact(`the header was <${said}>, try again`, secret);
    expect(cleaned).toContain("[key]");
    expect(runsLeft(cleaned, hidden)).toEqual([]);
  },
);

test("a word that is also in the key stays", () => {
  expect(redact("The upstream rejected the credentials", "sk-wrong-upstream-key")).toContain(
    "upstream",
  );
});

test("a text of many megabytes is cut, because cleaning it would stop other calls", () => {
  expect(redact("x".repeat(10_000_000), secret).length).toBe(65_536);
});

test("a project's name stays: it helps to understand", () => {
  expect(redact("our-project has no access to this model", account)).toContain("our-project");
});

test.each([400, 401, 429, 500])(
  "an upstream's error with status %d is redacted wherever it appears",
  (status) => {
    const key = "sk-proj-4711canary";
    const error = { message: `no ${key}`, type: `t ${key}`, code: `c ${key}`, param: key };
    const upstreamError = buildErrorFromResponse(
      status,
      Buffer.from(JSON.stringify({ error })),
      {},
      0,
    );
    expect(JSON.stringify(upstreamError)).toContain(key);
    const cleaned = redactSecrets(upstreamError, "", key);
    expect(JSON.stringify(cleaned)).not.toContain(key);
    expect(cleaned).toMatchObject({
      status,
      isRetryable: upstreamError.isRetryable,
      reason: `status ${status}: no [key]`,
    });
  },
);
