import { isSecretOption } from "@tollgate/contract/site/options.ts";
import { describe, expect, test } from "vitest";
import { optionDefaults, secretOptions } from "./option-defaults.ts";
import { findPrerequisiteProblem } from "./option-prerequisites.ts";
import { buildRule, isFixedValue, isOptionKey, isSecretKey } from "./option-rules.ts";

const context = { ownHosts: ["gate.example:443", "localhost:3000"] };
const keys = Object.keys(optionDefaults).filter(isOptionKey);
const check = (key: string, text: string) => {
  if (!isOptionKey(key) || key === "QuotaPerUnit") throw new Error(`no rule for ${key}`);
  return buildRule(key)(text, context);
};

test("every default passes its own rule", () => {
  for (const key of keys)
    if (key !== "QuotaPerUnit")
      expect(check(key, optionDefaults[key]), key).toEqual({ value: optionDefaults[key] });
});

test("exactly the secret settings have names that mark a secret", () => {
  for (const key of secretOptions)
    expect([isSecretOption(key), isSecretKey(key)], key).toEqual([true, true]);
  for (const key of keys)
    expect([isSecretOption(key), isSecretKey(key)], key).toEqual([false, false]);
});

test.each(["__proto__", "constructor", "toString", "systemname", "ModelRatio", ""])(
  "%s is no setting",
  { tags: ["F-66"] },
  (key) => expect([isOptionKey(key), isSecretKey(key)]).toEqual([false, false]),
);

test.each([
  ["RetryTimes", "0"],
  ["RetryStatuses", ""],
  ["NoRetryStatuses", "408,500-504"],
  ["ChannelDisableThreshold", "2.5"],
  ["QuotaForNewUser", "9000000000000000"],
  ["GroupRatio", '{"default":1,"vip":0.8,"free":0}'],
  ["AvailableGroups", ""],
  ["About", "https://docs.example/about"],
  ["About", "<p>Hello</p>\nhttps://docs.example"],
  ["HomePageContent", ""],
  ["ChatLink", "https://chat.example/#/?key={key}"],
  ["ServerAddress", "http://10.0.0.5:3000"],
  ["Logo", "/logo.png"],
  ["Logo", "data:image/png;base64,AAAA"],
  ["EmailProvider", "resend"],
])("%s may be %s", (key, text) => expect(check(key, text)).toEqual({ value: text }));

test.each([
  ["RegisterEnabled", "yes"],
  ["RegisterEnabled", ""],
  ...["-1", "1.5", "abc", "", " 1", "1e3", "0x10", "NaN", "Infinity", "01", "9000000000000001"].map(
    (text) => ["QuotaForNewUser", text],
  ),
  ["ChannelDisableThreshold", "-0.5"],
  ["RetryStatuses", "200"],
  ["NoRetryStatuses", "5xx"],
  ["SMTPPort", "0"],
  ["SMTPPort", "65536"],
  ...[
    "",
    "[]",
    "null",
    "7",
    "{",
    '{"vip":1}',
    '{"default":-1}',
    '{"default":"1"}',
    '{"default":1e9}',
    '{"default":0.0000001}',
    '{"default":1,"":1}',
    '{"default":1,"a,b":1}',
    '{"default":1e400}',
  ].map((text) => ["GroupRatio", text]),
  ["SystemName", ""],
  ["SystemName", "two\nlines"],
  ["Theme", "dark"],
  ["EmailDomainWhitelist", "example.org, not a domain"],
  ["About", "http://docs.example/about"],
  ["About", "https://gate.example/api/user/token"],
  ["HomePageContent", " https://GATE.example./ "],
  ["HomePageContent", "x".repeat(100_001)],
  ["ChatLink", "https://localhost:3000/"],
  ["ChatLink", "https://localhost:4000/"],
  ["ChatLink", "https://10.0.0.5/chat"],
  ["ChatLink", "https://[::1]/chat"],
  ["ChatLink", "https://me:secret@chat.example/"],
  ["ChatLink", "javascript:alert(1)"],
  ["ChatLink", "//chat.example"],
  ["TopUpLink", "http://pay.example"],
  ["TopUpLink", "pay.example"],
  ["TopUpLink", "https://pay.example/a b"],
  ["TopUpLink", "https:\\\\pay.example"],
  ["Logo", "//evil.example/logo.png"],
  ["Logo", "data:text/html;base64,AAAA"],
  ["Logo", `data:image/png;base64,${"A".repeat(16_400)}`],
  ["ServerAddress", "ftp://gate.example"],
])("%s may not be %s", (key = "", text = "") => expect(check(key, text)).toHaveProperty("problem"));

test("lists are normalised", () => {
  expect(check("AvailableGroups", " vip, default ,,vip")).toEqual({ value: "vip,default" });
});

test("the fixed value may be sent again, in any notation", () => {
  expect(["500000", "500000.0", " 500000 "].map(isFixedValue)).toEqual([true, true, true]);
  expect(["1", "500001", "5e5", ""].map(isFixedValue)).toEqual([false, false, false, false]);
});

describe("a switch stands on its settings", () => {
  const problemIn = (
    key: string,
    values: Record<string, string>,
    hasSmtpUrl = false,
    hasPublicUrl = false,
  ) =>
    findPrerequisiteProblem(key, {
      valueAfter: (name) => values[name] ?? "",
      hasSmtpUrl,
      hasPublicUrl,
    });

  test("in both directions", () => {
    const on = { GitHubOAuthEnabled: "true", GitHubClientId: "id" };
    expect(problemIn("GitHubOAuthEnabled", on)).toBe(
      "Please set GitHubClientSecret before switching GitHubOAuthEnabled on",
    );
    expect(problemIn("GitHubClientSecret", on)).toMatch(
      /cannot be empty while GitHubOAuthEnabled is on/,
    );
    expect(problemIn("SystemName", on)).toBeUndefined();
    expect(problemIn("GitHubOAuthEnabled", { ...on, GitHubClientSecret: "s" })).toBeUndefined();
  });

  test("captchas require the own address, from the settings or the environment", () => {
    const on = { TurnstileCheckEnabled: "true", TurnstileSiteKey: "site", TurnstileSecretKey: "s" };
    const flag = "TurnstileCheckEnabled";
    expect(problemIn(flag, on)).toBe(
      "Please set ServerAddress before switching TurnstileCheckEnabled on",
    );
    expect(problemIn(flag, { ...on, ServerAddress: "https://gate.example" })).toBeUndefined();
    expect(problemIn(flag, on, false, true)).toBeUndefined();
    expect(problemIn("ServerAddress", on, false, true)).toBeUndefined();
  });

  test("mailed codes require a server and a sender, from the settings or the environment", () => {
    const on = { EmailVerificationEnabled: "true" };
    const server = { ...on, SMTPServer: "mail.example" };
    const flag = "EmailVerificationEnabled";
    expect(problemIn(flag, on)).toBe(
      "Please set SMTPServer and SMTPFrom before switching EmailVerificationEnabled on",
    );
    expect(problemIn(flag, { ...server, SMTPAccount: "apikey" })).toMatch(
      /^Please set SMTPFrom before/,
    );
    expect(problemIn(flag, { ...server, SMTPAccount: "gate@mail.example" })).toBeUndefined();
    expect(problemIn(flag, { ...server, SMTPFrom: "gate@mail.example" })).toBeUndefined();
    expect(problemIn("SMTPServer", { ...on, SMTPFrom: "gate@mail.example" })).toBe(
      "SMTPServer cannot be empty while EmailVerificationEnabled is on",
    );
    expect(problemIn(flag, on, true)).toBeUndefined();
    expect(problemIn("SMTPServer", on, true)).toBeUndefined();
  });
});
