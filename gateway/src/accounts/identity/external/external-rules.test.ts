import { describe, expect, test } from "vitest";
import {
  chooseDisplayName,
  chooseUsername,
  parseAccessToken,
  parseReason,
  readGithubIdentity,
  readLarkIdentity,
} from "./external-rules.ts";

describe("the identity in a reply", () => {
  test("is GitHub's number, whatever the login is", () => {
    expect(readGithubIdentity({ id: 583_231, login: "octocat" })).toEqual({
      id: "583231",
      name: "octocat",
    });
    expect(readGithubIdentity({ id: 1, login: 5 })).toEqual({ id: "1", name: "" });
    for (const id of ["583231", 0, -1, 1.5, 2 ** 53, null, undefined])
      expect(readGithubIdentity({ id, login: "octocat" }), String(id)).toBeUndefined();
  });

  test("is Lark's open_id", () => {
    expect(readLarkIdentity({ data: { open_id: "ou_1-a", name: "王芳" } })).toEqual({
      id: "ou_1-a",
      name: "王芳",
    });
    expect(readLarkIdentity({ data: { open_id: "ou_2", en_name: "Nana" } })).toEqual({
      id: "ou_2",
      name: "Nana",
    });
    for (const body of [
      { open_id: "ou_1" },
      { data: { open_id: "" } },
      { data: { open_id: "a b" } },
      null,
      "x",
    ])
      expect(readLarkIdentity(body)).toBeUndefined();
  });

  test("has a name of one line and bounded length", () => {
    const { name = "" } = readGithubIdentity({ id: 1, login: ` a\0b\n${"x".repeat(500)}` }) ?? {};
    expect(name.slice(0, 3)).toBe("abx");
    expect(name.length).toBeLessThanOrEqual(100);
  });
});

test("the token is read at the top level or under data, and only a plain code of a refusal is repeated", () => {
  expect(parseAccessToken({ access_token: "t" })).toBe("t");
  expect(parseAccessToken({ data: { access_token: "t" } })).toBe("t");
  expect(parseAccessToken({ error: "bad_verification_code" })).toBe("");
  expect(parseReason({ error: "bad_verification_code" })).toBe("bad_verification_code");
  expect(parseReason({ code: 20003 })).toBe("20003");
  for (const error of ["not logged in", "<b>", "", "x".repeat(61), {}, null])
    expect(parseReason({ error })).toBe("");
});

describe("the username of an external account", () => {
  test.each([
    ["octocat", "", "octocat"],
    ["octocat", "0a1b2c", "octocat-0a1b2c"],
    ["王 芳", "", "lark"],
    ["Ｗａｎｇ @Fang!", "", "WangFang"],
    ["a.b_c-d", "", "a.b_c-d"],
    ["", "", "lark"],
  ])("%j with the suffix %j is %j", (name, suffix, username) => {
    expect(chooseUsername(name, "lark", suffix)).toBe(username);
  });

  test("fits the limit and cuts no character in half", () => {
    const letters = "𝕏𠀀".repeat(30);
    const username = chooseUsername(letters, "lark", "0a1b2c");
    expect(username.length).toBeLessThanOrEqual(30);
    expect(username.isWellFormed()).toBe(true);
    const shown = chooseDisplayName(`x${letters}`, "x");
    expect([shown.length <= 20, shown.isWellFormed()]).toEqual([true, true]);
    expect(chooseDisplayName("", "octocat")).toBe("octocat");
  });
});
