import { expect, test } from "vitest";
import { findDisablingReason, findVerdict } from "./channel-health-rules.ts";

const refusal = { status: 400, type: "invalid_request_error", code: null };

test.each([
  [{ status: 401 }, "The provider refused the key: status 401"],
  [{ status: 403, type: "permission_error" }, "The provider refused the key: permission_error"],
  [{ status: 429, type: "insufficient_quota" }, "The provider refused the key: insufficient_quota"],
  [{ code: "account_deactivated" }, "The provider refused the key: account_deactivated"],
  [{ status: 403 }, undefined],
  [{ status: 429, type: "rate_limit_error" }, undefined],
  [{ status: 500, type: "server_error", code: "overloaded" }, undefined],
])("a refusal with %o disables the channel with the reason: %s", (sentence, reason) => {
  expect(findDisablingReason({ ...refusal, ...sentence })).toBe(reason);
});

const on = { disables: true, enables: true, slowestSeconds: 5 };
const passed = { ok: true, message: "2", elapsedMs: 900 };
const failed = { ok: false, message: "status 500: no", elapsedMs: 20 };
const slow = { ok: true, message: "2", elapsedMs: 5_100 };

test("a failed or slow test disables an enabled channel", () => {
  expect(findVerdict(1, failed, on)).toEqual({
    status: 3,
    reason: "Channel test failed: status 500: no",
  });
  expect(findVerdict(1, slow, on)).toEqual({
    status: 3,
    reason: "The test took 5.1 s; the limit is 5 s",
  });
  expect(findVerdict(1, slow, { ...on, slowestSeconds: 0 })).toBeUndefined();
  expect(findVerdict(1, passed, on)).toBeUndefined();
});

test("a passed test enables only channels that were disabled automatically", () => {
  expect(findVerdict(3, passed, on)).toEqual({ status: 1 });
  expect(findVerdict(2, passed, on)).toBeUndefined();
  expect(findVerdict(3, failed, on)).toBeUndefined();
  expect(findVerdict(2, failed, on)).toBeUndefined();
});

test("nothing changes automatically while the settings are off", () => {
  const off = { ...on, disables: false, enables: false };
  expect([findVerdict(1, failed, off), findVerdict(3, passed, off)]).toEqual([
    undefined,
    undefined,
  ]);
});
