import { expect, test } from "vitest";
import { createSealer } from "../../secrets/seal.ts";
import { buildOptionReader, sealSecret } from "../../settings/live-options.ts";
import { mailServer } from "./mail-server.ts";

const seal = createSealer(new Uint8Array(32).fill(7));
const options = (entries: Record<string, string>) =>
  buildOptionReader(new Map(Object.entries(entries)));
const nothing = options({});

test("SMTP_URL configures everything", () => {
  const url = new URL(
    "smtp://mailer%40example.org:p%40ss@mail.example.org?from=Tollgate%20%3Ca@example.org%3E",
  );
  expect(mailServer(url, nothing, seal)).toEqual({
    host: "mail.example.org",
    port: 587,
    secure: false,
    requireTLS: true,
    auth: { user: "mailer@example.org", pass: "p@ss" },
    from: "Tollgate <a@example.org>",
  });
  const implicit = mailServer(
    new URL("smtps://mail.example.org?from=a@example.org"),
    nothing,
    seal,
  );
  expect(implicit).toMatchObject({ port: 465, secure: true, auth: undefined, requireTLS: false });
});

test("the settings configure the server too, and supply the sender that SMTP_URL lacks", () => {
  const stored = options({
    SMTPServer: "mail.example.org",
    SMTPPort: "465",
    SMTPAccount: "mailer@example.org",
    SMTPToken: sealSecret(seal, "SMTPToken", "secret"),
  });
  expect(mailServer(undefined, stored, seal)).toMatchObject({
    secure: true,
    auth: { user: "mailer@example.org", pass: "secret" },
    from: "mailer@example.org",
  });
  const sender = options({ SMTPFrom: "us@example.org", SMTPServer: "ignored.example.org" });
  expect(mailServer(new URL("smtp://[::1]:2525"), sender, seal)).toMatchObject({
    host: "::1",
    from: "us@example.org",
  });
});

test("a password is sent in clear only within this machine", () => {
  const at = (host: string) =>
    mailServer(new URL(`smtp://u:p@${host}?from=a@example.org`), nothing, seal)?.requireTLS;
  expect([at("127.0.0.1"), at("localhost"), at("10.0.0.1"), at("mail.example.org")]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test("without a server or a sender no mail is configured", () => {
  expect(mailServer(undefined, nothing, seal)).toBeUndefined();
  expect(mailServer(undefined, options({ SMTPServer: "mail.example.org" }), seal)).toBeUndefined();
  expect(mailServer(new URL("smtp://mail.example.org"), nothing, seal)).toBeUndefined();
});
