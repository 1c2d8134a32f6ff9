import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTelegramIdentity } from "./telegram-identity.ts";

const botToken = "7001:token-of-the-bot-in-these-tests";
const now = Date.UTC(2026, 10, 24, 12);
const person = {
  id: 42,
  first_name: "Ada",
  last_name: "L",
  username: "ada",
  auth_date: now / 1000,
};

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
  expect(readTelegramIdentity(signed(person), botToken, now)).toEqual({
    id: "42",
    name: "ada",
    displayName: "Ada L",
    proof: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const { username: _, last_name: __, ...nameless } = person;
  expect(readTelegramIdentity(signed(nameless), botToken, now)).toMatchObject({
    name: "Ada",
    displayName: "Ada",
  });
});

/**
 * Every other object whose signed text is the same: line breaks within values taken for those
 * between members.
 */
function othersOfSameText(members: Record<string, unknown>): Record<string, unknown>[] {
  const text = Object.entries(members)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("\n");
  const lines = text.split("\n");
  return Array.from({ length: 2 ** (lines.length - 1) }, (_, borders) => {
    const isBorder = (index: number) => index > 0 && ((borders >> (index - 1)) & 1) === 1;
    const rows = lines
      .map((line, index) => `${isBorder(index) ? "\0" : index > 0 ? "\n" : ""}${line}`)
      .join("")
      .split("\0");
    return Object.fromEntries(
      rows.map((row) => {
        const [name = "", value = ""] = [
          row.slice(0, row.indexOf("=")),
          row.slice(row.indexOf("=") + 1),
        ];
        return [
          name,
          ["id", "auth_date"].includes(name) && /^\d+$/.test(value) ? Number(value) : value,
        ];
      }),
    );
  }).filter((other) => JSON.stringify(other) !== JSON.stringify(members));
}

describe("the proof of one person is not another's", () => {
  const hashOf = (members: Record<string, unknown>): unknown =>
    JSON.parse(Buffer.from(signed(members), "base64url").toString()).hash;

  test("with a line break in a name that becomes a member", () => {
    const hash = hashOf({
      id: 5555,
      first_name: "A",
      last_name: "B\nid=42",
      auth_date: now / 1000,
    });
    const other = { auth_date: now / 1000, first_name: "A\nid=5555\nlast_name=B", id: 42, hash };
    expect(readTelegramIdentity(encoded(other), botToken, now)).toEqual({ refused: "signature" });
  });

  test("wherever the line breaks of its text are moved", () => {
    const piece = fc.constantFrom(
      "A",
      "\n",
      "\nid=42",
      "\nlast_name=B",
      "\nusername=u",
      "\nx=",
      "=",
      "\u0085",
    );
    const name = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(name, name, name, (first_name, last_name, username) => {
        const own = { auth_date: now / 1000, first_name, id: 5555, last_name, username };
        const hash = hashOf(own);
        for (const other of othersOfSameText(own)) {
          const found = readTelegramIdentity(encoded({ ...other, hash }), botToken, now);
          expect(found, JSON.stringify(other)).not.toHaveProperty("id", "42");
        }
      }),
    );
  });

  test("a member that Telegram's page does not send, or a value with control characters, is refused though it is signed", () => {
    const photo_url = "https://t.me/i/userpic/320/ada.jpg";
    expect(readTelegramIdentity(signed({ ...person, photo_url }), botToken, now)).toMatchObject({
      id: "42",
    });
    for (const more of [
      { user: "{}" },
      { query_id: "1" },
      { first_name: "A\n" },
      { last_name: "\u0000" },
      { "": "" },
    ])
      expect(readTelegramIdentity(signed({ ...person, ...more }), botToken, now)).toEqual({
        refused: "signature",
      });
  });
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
    expect(readTelegramIdentity(result, botToken, now)).toEqual({ refused: "signature" });
  });

  test("with any member changed, added or left out after signing", () => {
    const whole = JSON.parse(Buffer.from(signed(person), "base64url").toString());
    const changes = [
      ...Object.keys(person).map((name) => ({ ...whole, [name]: "1" })),
      ...Object.keys(person).map((name) =>
        Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name)),
      ),
      { ...whole, photo_url: "" },
      { ...whole, hash: `${whole.hash.slice(1)}${whole.hash[0] === "0" ? "1" : "0"}` },
    ];
    for (const change of changes)
      expect(readTelegramIdentity(encoded(change), botToken, now), JSON.stringify(change)).toEqual({
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
    expect(readTelegramIdentity(signed({ ...person, auth_date }), botToken, now)).toMatchObject(
      refused === undefined ? { id: "42" } : { refused },
    );
  });

  test("without a moment or with an id of another kind", () => {
    const { auth_date: _, ...timeless } = person;
    expect(readTelegramIdentity(signed(timeless), botToken, now)).toEqual({ refused: "expired" });
    expect(
      readTelegramIdentity(signed({ ...person, auth_date: `${now / 1000}` }), botToken, now),
    ).toEqual({
      refused: "expired",
    });
    for (const id of [0, -1, "", "me", "1e3"])
      expect(readTelegramIdentity(signed({ ...person, id }), botToken, now), String(id)).toEqual({
        refused: "id",
      });
  });
});
