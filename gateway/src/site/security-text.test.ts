import { expect, test } from "vitest";
import { writeSecurityText } from "./security-text.ts";

test("it names the contact, ends within a year, and says where it stands", () => {
  const now = Date.UTC(2026, 10, 28, 13, 5);
  expect(
    writeSecurityText("mailto:security@example.com", new URL("https://ai.example.com/"), now),
  ).toBe(
    [
      "Contact: mailto:security@example.com",
      "Expires: 2027-09-24T00:00:00.000Z",
      "Canonical: https://ai.example.com/.well-known/security.txt",
    ].join("\n"),
  );
  const below = new URL("https://example.com/gate/");
  expect(writeSecurityText("mailto:security@example.com", below, now)).toContain(
    "Canonical: https://example.com/gate/.well-known/security.txt",
  );
  expect(writeSecurityText("https://example.com/report", undefined, now)).not.toContain(
    "Canonical",
  );
});
