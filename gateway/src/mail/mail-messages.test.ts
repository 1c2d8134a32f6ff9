import { expect, test } from "vitest";
import { lowBalanceMail, passwordResetMail, verificationMail } from "./mail-messages.ts";

const site = { name: "Tollgate", address: "https://ai.example.org" };

test("a reset link leads to this server and carries address and token unharmed", () => {
  const { text } = passwordResetMail("mira+a&b@example.org", site, "a-token_1");
  const link = new URL(/^https:\S+$/m.exec(text)?.[0] ?? "");
  expect([link.origin, link.pathname]).toEqual([site.address, "/user/reset"]);
  expect(Object.fromEntries(link.searchParams)).toEqual({ email: "mira+a&b@example.org", token: "a-token_1" });
});

test("names add no header, no line and no markup", { tags: ["F-96"] }, () => {
  const evil = { name: 'Evil\r\nBcc: all@example.org\n<img src="x">', address: "" };
  const message = lowBalanceMail("mira@example.org", evil, { username: "<script>\r\nalert(1)", left: "$1" });
  expect(message.subject).not.toMatch(/[\r\n]/);
  expect(message.html).not.toMatch(/<img|<script/);
  expect(message.text.split("\n").some((line) => line.startsWith("Bcc"))).toBe(false);
});

test("a code stands on a line of its own", () => {
  expect(verificationMail("mira@example.org", site, "012345").text.split("\n")).toContain("012345");
});
