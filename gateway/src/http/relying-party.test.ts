import { expect, test } from "vitest";
import { findRelyingParty } from "./relying-party.ts";

test("passkeys belong to the host of an https address, or to localhost", () => {
  expect(findRelyingParty("https://AI.example.com:8443/")).toEqual({
    id: "ai.example.com",
    origin: "https://ai.example.com:8443",
  });
  expect(findRelyingParty("http://localhost:3000")).toEqual({
    id: "localhost",
    origin: "http://localhost:3000",
  });
});

test("there are none without an address, over plain http, or at an IP address", () => {
  for (const address of [
    undefined,
    "http://ai.example.com",
    "https://10.0.0.7",
    "https://0x7f.1",
    "https://[::1]:3000",
  ])
    expect(findRelyingParty(address)).toBeUndefined();
});
