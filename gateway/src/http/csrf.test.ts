import { type Endpoint, endpoint } from "@tollgate/contract/api/endpoint.ts";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { failsCsrfCheck } from "./csrf.ts";
import type { Principal } from "./request-context.ts";

const write: Endpoint = endpoint("POST", "/api/token/", {
  access: "user",
  scope: "none",
  summary: "",
});
const get: Endpoint = endpoint("GET", "/api/user/token", {
  access: "user",
  scope: "none",
  summary: "",
  proof: "same-origin",
});
const user = {
  id: 1,
  uuid: "",
  username: "",
  role: 1,
  group: "",
  mustChangePassword: false,
  mustAddSecondFactor: false,
  isReadOnly: false,
};
const cookie: Principal["credential"] = { kind: "cookie", sessionHash: "", authenticatedAt: 0 };

const passes = (headers: Record<string, string>, endpoint: Endpoint = write, publicUrl?: string) =>
  !failsCsrfCheck(
    endpoint,
    { ...user, credential: cookie },
    new Headers({ host: "gw:3000", ...headers }),
    publicUrl,
  );

test.each([
  [{ origin: "http://gw:3000" }, true],
  [{ origin: "https://gw:3000" }, true],
  [{ origin: "http://gw" }, false],
  [{ origin: "http://gw:3001" }, false],
  [{ origin: "http://gw.evil:3000" }, false],
  [{ origin: "http://gw:3000@evil" }, false],
  [{ origin: "null" }, false],
  [{ origin: "" }, false],
  [{ origin: "https://gw", host: "gw" }, true],
  [{ origin: "https://gw", host: "gw:443" }, true],
  [{ origin: "http://gw", host: "gw:443" }, false],
  [{ origin: "https://console.example", host: "127.0.0.1:3000" }, true],
  [{ origin: "https://console.example:8443", host: "127.0.0.1:3000" }, false],
  [{ "sec-fetch-site": "same-origin" }, true],
  [{ "sec-fetch-site": "same-origin", origin: "https://behind-a-proxy" }, true],
  [{ "sec-fetch-site": "same-site", origin: "http://gw:3000" }, false],
  [{ "sec-fetch-site": "none" }, false],
  [{ "x-tollgate-console": "1", origin: "null" }, true],
  [{ "x-tollgate-console": "0", origin: "http://evil" }, false],
] as const)("a write with a session cookie and %o passes: %s", (headers, isAllowed) => {
  expect(passes(headers, write, "https://console.example/")).toBe(isAllowed);
  // Declaring JSON replaces no proof that was sent and failed.
  expect(
    passes({ ...headers, "content-type": "application/json" }, write, "https://console.example/"),
  ).toBe(isAllowed);
});

test("a program that says nothing of its origin passes by declaring JSON, and by nothing that a form can send", () => {
  expect(passes({ "content-type": "application/json" })).toBe(true);
  expect(passes({ "content-type": "Application/JSON; charset=utf-8" })).toBe(true);
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonp",
    "",
  ])
    expect(passes({ "content-type": type }), type).toBe(false);
  expect(passes({})).toBe(false);
});

test("a GET that changes something needs the proof in any case", () => {
  expect(passes({ "content-type": "application/json" }, get)).toBe(false);
  expect(passes({ origin: "http://gw:3000" }, get)).toBe(false);
  expect(passes({ "sec-fetch-site": "same-origin" }, get)).toBe(true);
  expect(passes({ "x-tollgate-console": "1" }, get)).toBe(true);
});

test("an access token needs no proof", () => {
  const principal: Principal = { ...user, credential: { kind: "access_token" } };
  expect(failsCsrfCheck(write, principal, new Headers({ origin: "null" }), undefined)).toBe(false);
});

test("a form that a public endpoint takes comes from a program, or from our own pages", () => {
  const door = endpoint("POST", "/api/agent/device", {
    access: "public",
    scope: "none",
    summary: "",
    takesForm: true,
    body: z.object({}),
  });
  const fails = (headers: Record<string, string>, principal?: Principal) =>
    failsCsrfCheck(
      door,
      principal,
      new Headers({ host: "gw:3000", "content-type": form, ...headers }),
      undefined,
    );
  const form = "application/x-www-form-urlencoded";
  const visitors = [undefined, { ...user, credential: cookie }] as const;
  for (const visitor of visitors) {
    expect(fails({}, visitor)).toBe(false);
    expect(fails({ "sec-fetch-site": "same-origin" }, visitor)).toBe(false);
    expect(fails({ origin: "http://gw:3000" }, visitor)).toBe(false);
    for (const site of ["cross-site", "same-site", "none"])
      expect(fails({ "sec-fetch-site": site }, visitor), site).toBe(true);
    for (const origin of ["https://evil.example", "null"])
      expect(fails({ origin }, visitor), origin).toBe(true);
    // Another site cannot send JSON.
    expect(
      fails({ origin: "https://evil.example", "content-type": "application/json" }, visitor),
    ).toBe(false);
  }
});
