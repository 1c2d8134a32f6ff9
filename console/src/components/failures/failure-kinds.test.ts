import { expect, test } from "vitest";
import { buildFailureKind } from "./failure-kinds.ts";

test.each([
  ["Channel test failed: ENOTFOUND", "unknown_host"],
  ["UND_ERR_SOCKET", "closed"],
  ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
  ["status 401: Incorrect API key provided", "key_refused"],
  ["status 503: busy", "provider_error"],
  ["the upstream address is a private address; to allow it, add x", "private_address"],
  ["the reply is not in the expected format", "wrong_format"],
  ["The model is overloaded", undefined],
  ["", undefined],
])("the failure %j is of the kind %s", (text, kind) => {
  expect(buildFailureKind(text)).toBe(kind);
});
