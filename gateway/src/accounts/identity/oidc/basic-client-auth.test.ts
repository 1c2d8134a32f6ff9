import fc from "fast-check";
import { expect, test } from "vitest";
import { makeBasicClientAuth } from "./basic-client-auth.ts";

function sent(client_id: string, secret: string): string[] {
  const headers = new Headers();
  makeBasicClientAuth(secret)({}, { client_id }, new URLSearchParams(), headers);
  return atob((headers.get("authorization") ?? "").replace(/^Basic /, "")).split(":");
}

test("credentials of Google and Entra arrive as they are, for servers that decode nothing", () => {
  const [id, secret] = ["123-abc_d.apps.googleusercontent.com", "GOCSPX-a_b.c~d"];
  expect(sent(id, secret)).toEqual([id, secret]);
});

test("a server that decodes the form reads every credential", () => {
  const decoded = (text = "") => new URLSearchParams(`a=${text}`).get("a");
  const anyText = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(anyText, anyText, (id, secret) => {
      const parts = sent(id, secret);
      expect(parts.map(decoded)).toEqual([id, secret]);
    }),
  );
});
