import fc from "fast-check";
import { expect, test } from "vitest";
import { logoutNotice } from "./logout-claims.ts";

const now = 1_800_000_000;
const event = "http://schemas.openid.net/event/backchannel-logout";
const good = { iat: now, jti: "one", sub: "mira", sid: "s-1", events: { [event]: {} } };

test("a logout token names a subject, a session, or both", () => {
  expect(logoutNotice(good, now)).toEqual({ tokenId: "one", subject: "mira", sid: "s-1" });
  const { sub: _, ...bySession } = good;
  expect(logoutNotice(bySession, now)).toEqual({ tokenId: "one", subject: undefined, sid: "s-1" });
  const { sid: __, ...bySubject } = good;
  expect(logoutNotice(bySubject, now)).toEqual({ tokenId: "one", subject: "mira", sid: undefined });
});

test.each([
  ["is an id token", { nonce: "n" }],
  ["has an empty nonce", { nonce: null }],
  ["has no time", { iat: undefined }],
  ["has a time that is text", { iat: String(now) }],
  ["comes from the future", { iat: now + 31 }],
  ["is too old", { iat: now - 151 }],
  ["has no event", { events: undefined }],
  ["has another event", { events: { other: {} } }],
  ["inherits its event", { events: Object.create({ [event]: {} }) }],
  ["has an event that is a flag", { events: { [event]: true } }],
  ["has no id", { jti: undefined }],
  ["has an empty id", { jti: "" }],
  ["has a subject that is a list", { sub: ["mira"] }],
  ["has an empty subject beside a session", { sub: "" }],
  ["has an endless session", { sid: "x".repeat(256) }],
])("a token that %s ends nothing", (_, change) => {
  expect(logoutNotice({ ...good, ...change }, now)).toBeTypeOf("string");
});

test("clocks may be half a minute apart, and a token two minutes under way", () => {
  for (const iat of [now + 30, now - 150])
    expect(logoutNotice({ ...good, iat }, now)).toMatchObject({ tokenId: "one" });
});

test("whatever the claims hold, a notice names a session or a person by text and has an id", () => {
  const claims = fc.record(
    {
      iat: fc.anything(),
      jti: fc.anything(),
      sub: fc.anything(),
      sid: fc.anything(),
      events: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(claims, fc.subarray(Object.keys(good)), (hostile, kept) => {
      const mixed = {
        ...hostile,
        ...Object.fromEntries(Object.entries(good).filter(([name]) => kept.includes(name))),
      };
      const notice = logoutNotice(mixed, now);
      if (typeof notice === "string") return;
      expect(notice.tokenId).not.toBe("");
      expect(notice.subject ?? notice.sid).toMatch(/./s);
    }),
  );
});
