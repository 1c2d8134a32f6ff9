import { describe, expect, test } from "vitest";
import { readOidcIdentity } from "./oidc-identity.ts";

describe("the identity in claims", () => {
  test("is the subject; the name comes from the preferred name or the address, without its domain", () => {
    expect(
      readOidcIdentity({ sub: "1", preferred_username: "mira@example.com", name: "Mira M" }),
    ).toEqual({
      id: "1",
      name: "mira",
      displayName: "Mira M",
      email: "",
    });
    expect(
      readOidcIdentity({ sub: "1", email: "Ada@Example.com", email_verified: true }),
    ).toMatchObject({
      name: "Ada",
      email: "ada@example.com",
    });
  });

  test("has no address that the provider did not verify or that is none", () => {
    for (const email_verified of [false, "true", 1, undefined])
      expect(readOidcIdentity({ sub: "1", email: "ada@example.com", email_verified })?.email).toBe(
        "",
      );
    for (const email of [
      "ada",
      "a b@example.com",
      "a@b@example.com",
      `${"a".repeat(300)}@example.com`,
      7,
    ])
      expect(
        readOidcIdentity({ sub: "1", email, email_verified: true })?.email,
        String(email),
      ).toBe("");
  });

  test("needs a subject of 1 to 255 ASCII characters", () => {
    for (const sub of ["", "x".repeat(256), "ümlaut", "a\nb", 7, null, undefined, ["a"]])
      expect(readOidcIdentity({ sub }), String(sub)).toBeUndefined();
  });
});
