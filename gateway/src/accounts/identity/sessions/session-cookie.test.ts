import { expect, test } from "vitest";
import { newSessionId, sessionCookie } from "./session-cookie.ts";

const cookies = (text: string) => new Headers({ cookie: text });

test("over https the cookie is bound to the host and to https", () => {
  const id = newSessionId();
  const secure = sessionCookie("https://gateway.example");
  expect(secure.set(id)).toBe(`__Host-session=${id}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax; Secure`);
  expect(secure.read(cookies(`session=${newSessionId()}; __Host-session=${id}`))).toBe(id);
  expect(sessionCookie("http://localhost:3000").set(id)).toMatch(/^session=.*SameSite=Lax$/);
});

test("only complete ids are read", () => {
  const { read } = sessionCookie(undefined);
  const id = newSessionId();
  expect(read(cookies(`a=1; session=${id}`))).toBe(id);
  for (const wrong of [`session=${id}x`, `session=${id.slice(1)}`, "session=", `xsession=${id}`, "", "session"])
    expect(read(cookies(wrong)), wrong).toBeUndefined();
});

test("ids are 256 random bits", () => {
  const ids = Array.from({ length: 100 }, newSessionId);
  expect(new Set(ids).size).toBe(100);
  expect(Buffer.from(ids[0] ?? "", "base64url")).toHaveLength(32);
});
