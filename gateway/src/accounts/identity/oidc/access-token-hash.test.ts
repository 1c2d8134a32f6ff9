import { expect, test } from "vitest";
import { hashAccessToken } from "./access-token-hash.ts";

test("the hash of the example in OpenID Connect Core, appendix A.3, is the one printed there", () => {
  expect(hashAccessToken("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", "RS256")).toBe(
    "77QmUPtjPfzWtF2AnpK9RQ",
  );
});

test("the length follows the algorithm, and an unknown algorithm has no hash", () => {
  expect(hashAccessToken("token", "ES384")).toHaveLength(32);
  expect(hashAccessToken("token", "PS512")).toHaveLength(43);
  expect(hashAccessToken("token", "EdDSA")).toHaveLength(43);
  for (const algorithm of ["none", "", "RS1", "ML-DSA-44"])
    expect(hashAccessToken("token", algorithm)).toBeUndefined();
});
