import { expect, test } from "vitest";
import { composeSessionId, defineSessionCookie } from "./session-cookie.ts";

const cookies = (text: string) => new Headers({ cookie: text });

test("over https the cookie is bound to the host and to https", () => {
  const id = composeSessionId();
  const secure = defineSessionCookie("https://gateway.example");
  expect(secure.set(id)).toBe(
    `__Host-session=${id}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax; Secure`,
  );
  expect(secure.read(cookies(`session=${composeSessionId()}; __Host-session=${id}`))).toBe(id);
  expect(defineSessionCookie("http://localhost:3000").set(id)).toMatch(/^session=.*SameSite=Lax$/);
});

test("a console below a path has cookies of its own on the whole host", () => {
  const id = composeSessionId();
  const below = defineSessionCookie("https://gateway.example/gate");
  const other = defineSessionCookie("https://gateway.example/other/");
  expect(below.set(id)).toMatch(
    /^__Host-session-[0-9a-f]{8}=.{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(below.read(cookies(below.set(id)))).toBe(id);
  expect(defineSessionCookie("https://gateway.example/gate/").read(cookies(below.set(id)))).toBe(
    id,
  );
  expect(other.read(cookies(below.set(id)))).toBeUndefined();
  expect(
    defineSessionCookie("https://gateway.example").read(cookies(below.set(id))),
  ).toBeUndefined();
  expect(defineSessionCookie("http://localhost/gate").set(id)).toMatch(/^session-[0-9a-f]{8}=/);
});

test("only complete ids are read", () => {
  const { read } = defineSessionCookie(undefined);
  const id = composeSessionId();
  expect(read(cookies(`a=1; session=${id}`))).toBe(id);
  for (const wrong of [
    `session=${id}x`,
    `session=${id.slice(1)}`,
    "session=",
    `xsession=${id}`,
    "",
    "session",
  ])
    expect(read(cookies(wrong)), wrong).toBeUndefined();
});

test("ids are 256 random bits", () => {
  const ids = Array.from({ length: 100 }, composeSessionId);
  expect(new Set(ids).size).toBe(100);
  expect(Buffer.from(ids[0] ?? "", "base64url")).toHaveLength(32);
});
