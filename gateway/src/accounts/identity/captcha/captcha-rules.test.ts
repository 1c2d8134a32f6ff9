import { describe, expect, test } from "vitest";
import { isCaptchaToken, judgeCaptcha } from "./captcha-rules.ts";

const expected = { action: "register", hostnames: ["gate.example"] };
const passed = { success: true, hostname: "gate.example", action: "register", "error-codes": [] };
const verdict = (body: unknown, service: "turnstile" | "hcaptcha" = "turnstile", status = 200) =>
  judgeCaptcha(service, { status, body }, expected);

describe("the answer of a captcha service", () => {
  test("passes a token of this site and this action", () => {
    expect(verdict(passed)).toBe("passed");
    expect(verdict({ success: true, hostname: "gate.example", credit: false }, "hcaptcha")).toBe(
      "passed",
    );
    // The page of another console of the family.
    expect(verdict({ ...passed, action: "" })).toBe("passed");
  });

  test("is worth nothing for another site or another action", () => {
    expect(verdict({ ...passed, hostname: "shop.example" })).toEqual({
      refused: "it was solved for another host name",
    });
    expect(verdict({ success: true })).toHaveProperty("refused");
    expect(verdict({ ...passed, hostname: null }, "hcaptcha")).toHaveProperty("refused");
    expect(verdict({ ...passed, action: "sign-in" })).toEqual({
      refused: "it was solved for another action",
    });
  });

  test.each([
    "timeout-or-duplicate",
    "invalid-or-already-seen-response",
    "already-seen-response",
    "expired-input-response",
  ])("%s is a token that is not good any more", (code) =>
    expect(verdict({ success: false, "error-codes": [code] }, "hcaptcha")).toBe("expired"),
  );

  test("names what is wrong with a token", () => {
    for (const code of ["invalid-input-response", "bad-request", "sitekey-secret-mismatch"])
      expect(verdict({ success: false, "error-codes": [code] })).toEqual({ refused: code });
    expect(verdict({ success: false })).toEqual({ refused: "" });
    expect(verdict({ success: false, "error-codes": ["x".repeat(500)] })).toEqual({
      refused: "x".repeat(200),
    });
  });

  test("is no verdict where the operator's secret is wrong, or the service out", () => {
    for (const code of ["invalid-input-secret", "missing-input-secret", "internal-error"])
      expect(verdict({ success: false, "error-codes": [code, "invalid-input-response"] })).toEqual({
        silent: code,
      });
    for (const body of [undefined, null, [], "true", { success: "true" }, {}])
      expect(verdict(body), JSON.stringify(body)).toEqual({ silent: "status 200" });
    for (const status of [429, 500, 503])
      expect(verdict(passed, "turnstile", status)).toHaveProperty("silent");
  });
});

test("tokens are of the characters that the services use, so that no firewall answers in their place", () => {
  expect(
    ["XXXX.DUMMY.TOKEN.XXXX", "P1_eyJ0eXAi.a-b_c", "x".repeat(8192)].every(isCaptchaToken),
  ).toBe(true);
  for (const text of ["", "a b", "<script>", "' or 1=1 --", "a&secret=b", "é", "x".repeat(8193)])
    expect(isCaptchaToken(text), text).toBe(false);
});
