import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { telegramIdentity } from "./telegram-identity.ts";

const botToken = "7001:token-of-the-bot-in-these-tests";
const now = Date.UTC(2026, 10, 24, 12);
const person = { id: 42, first_name: "Ada", last_name: "L", username: "ada", auth_date: now / 1000 };

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** As Telegram's page does it. */
function signed(members: Record<string, unknown>, token = botToken): string {
  const lines = Object.entries(members)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("\n");
  const key = createHash("sha256").update(token).digest();
  return encoded({ ...members, hash: createHmac("sha256", key).update(lines).digest("hex") });
}

test("a signed user is known by the number; the name is the username, or else the person's", () => {
  expect(telegramIdentity(signed(person), botToken, now)).toEqual({
    id: "42",
    name: "ada",
    displayName: "Ada L",
    proof: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const { username: _, last_name: __, ...nameless } = person;
  expect(telegramIdentity(signed(nameless), botToken, now)).toMatchObject({ name: "Ada", displayName: "Ada" });
});

describe("no account is opened", () => {
  test.each([
    ["signed with the token of another bot", signed(person, "7001:another")],
    ["without a hash", encoded(person)],
    ["with an empty hash", encoded({ ...person, hash: "" })],
    ["with a hash that is no text", encoded({ ...person, hash: 0 })],
    ["with a hash in capitals of another length", encoded({ ...person, hash: "A".repeat(63) })],
    ["with nested members", signed({ ...person, photo_url: {} })],
    ["that is no object", encoded([person])],
    ["that is null", encoded(null)],
    ["that is no JSON", Buffer.from("{").toString("base64url")],
    ["that is no base64", "~~~"],
    ["of a user who pressed cancel", "false"],
    ["that is empty", ""],
  ])("with a result %s", (_, result) => {
    expect(telegramIdentity(result, botToken, now)).toEqual({ refused: "signature" });
  });

  test("with any member changed, added or left out after signing", () => {
    const whole = JSON.parse(Buffer.from(signed(person), "base64url").toString());
    const changes = [
      ...Object.keys(person).map((name) => ({ ...whole, [name]: "1" })),
      ...Object.keys(person).map((name) => Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name))),
      { ...whole, photo_url: "" },
      { ...whole, hash: `${whole.hash.slice(1)}${whole.hash[0] === "0" ? "1" : "0"}` },
    ];
    for (const change of changes)
      expect(telegramIdentity(encoded(change), botToken, now), JSON.stringify(change)).toEqual({
        refused: "signature",
      });
  });

  test.each([
    [-301, "expired"],
    [-300, undefined],
    [60, undefined],
    [61, "expired"],
  ])("%i seconds from now: %s", (seconds, refused) => {
    const auth_date = now / 1000 + seconds;
    expect(telegramIdentity(signed({ ...person, auth_date }), botToken, now)).toMatchObject(
      refused === undefined ? { id: "42" } : { refused },
    );
  });

  test("without a moment or with an id of another kind", () => {
    const { auth_date: _, ...timeless } = person;
    expect(telegramIdentity(signed(timeless), botToken, now)).toEqual({ refused: "expired" });
    expect(telegramIdentity(signed({ ...person, auth_date: `${now / 1000}` }), botToken, now)).toEqual({
      refused: "expired",
    });
    for (const id of [0, -1, "", "me", "1e3"])
      expect(telegramIdentity(signed({ ...person, id }), botToken, now), String(id)).toEqual({ refused: "id" });
  });
});
