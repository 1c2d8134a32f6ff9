// The mailer against a mail server that behaves and one that does not.

import { composeVerificationMail } from "@tollgate/gateway/notices/mail/mail-messages.ts";
import { mailServer } from "@tollgate/gateway/notices/mail/mail-server.ts";
import { createMailer, type Mailer } from "@tollgate/gateway/notices/mail/mailer.ts";
import { createSealer } from "@tollgate/gateway/secrets/seal.ts";
import { buildOptionReader } from "@tollgate/gateway/settings/live-options.ts";
import { afterEach, expect, test } from "vitest";
import { codeIn, type Mailbox, type MailboxOptions, startMailbox } from "../harness/mailbox.ts";

const site = { name: "Tollgate", address: "https://ai.example.org" };
const retries = [10, 10, 10];
const logged: Record<string, unknown>[] = [];
const log = {
  info: (fields: Record<string, unknown>) => logged.push(fields),
  error: (fields: Record<string, unknown>) => logged.push(fields),
};
const open: { mailbox?: Mailbox; mailer?: Mailer } = {};

async function start(
  options: MailboxOptions = {},
  password = "",
): Promise<{ mailbox: Mailbox; mailer: Mailer }> {
  const mailbox = await startMailbox(options);
  const url = new URL(mailbox.url);
  if (options.account) Object.assign(url, { username: options.account.user, password });
  const server = mailServer(url, buildOptionReader(new Map()), createSealer(new Uint8Array(32)));
  const mailer = createMailer(() => server, log, retries);
  logged.length = 0;
  return Object.assign(open, { mailbox, mailer });
}

afterEach(async () => {
  await open.mailer?.stop();
  await open.mailbox?.close();
});

const letter = (code = "123456") =>
  composeVerificationMail({ to: "mira@example.org", language: "en" }, site, code);

test("a mail arrives as it was written, from the sender in the settings", async () => {
  const { mailbox, mailer } = await start();
  expect(mailer.enqueue("verify", async () => letter("004711"))).toBe(true);
  const mail = await mailbox.take("mira@example.org", "Your verification code - Tollgate");
  expect([codeIn(mail), mail.from, mail.to]).toEqual([
    "004711",
    "tollgate@example.org",
    ["mira@example.org"],
  ]);
  expect(mail.raw).toContain("multipart/alternative");
});

test("a server that is busy is tried again, and the mail is written once", {
  tags: ["FT-29"],
}, async () => {
  const { mailbox, mailer } = await start({ failures: 2 });
  let written = 0;
  mailer.enqueue("verify", async () => {
    written += 1;
    return letter();
  });
  await mailbox.take("mira@example.org", "Your verification code");
  await expect
    .poll(() => logged.map(({ attempts, retried }) => [attempts, retried]))
    .toEqual([
      [1, true],
      [2, true],
      [3, undefined],
    ]);
  expect(written).toBe(1);
});

test("a server that stays busy is given up", { tags: ["FT-29"] }, async () => {
  const { mailbox, mailer } = await start({ failures: 100 });
  mailer.enqueue("verify", async () => letter());
  await expect
    .poll(() => logged.at(-1))
    .toMatchObject({ attempts: 4, retried: false, response: 451 });
  expect(mailbox.mails).toEqual([]);
});

test("a password that is refused is not tried again, and stands in no log", async () => {
  const { mailer } = await start({ account: { user: "mailer", pass: "right" } }, "canary-4711");
  mailer.enqueue("verify", async () => letter("998877"));
  await expect.poll(() => logged).toHaveLength(1);
  expect(logged[0]).toMatchObject({ event: "mail", reason: "EAUTH", retried: false });
  expect(JSON.stringify(logged)).not.toMatch(/canary|998877|mira@/);
});

test("a mail that cannot be written does no harm, and an empty notification sends no mail", async () => {
  const { mailbox, mailer } = await start();
  mailer.enqueue("broken", async () => {
    throw new Error("no such thing");
  });
  mailer.enqueue("silent", async () => undefined);
  mailer.enqueue("verify", async () => letter());
  await mailbox.take("mira@example.org", "Your verification code");
  await expect.poll(() => logged.map(({ kind }) => kind)).toEqual(["broken", "verify"]);
});

test("more than fits is refused, and stopping sends what waits", async () => {
  const { mailbox, mailer } = await start();
  let begin = () => {};
  const held = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let taken = 0;
  while (taken < 1000) {
    const isTaken = mailer.enqueue("verify", async () => {
      await held;
      return undefined;
    });
    if (!isTaken) break;
    taken += 1;
  }
  expect(taken).toBe(502);
  begin();
  await expect.poll(() => mailer.isIdle()).toBe(true);
  mailer.enqueue("verify", async () => letter());
  await mailer.stop();
  expect(mailbox.mails).toHaveLength(1);
  expect(mailer.enqueue("verify", async () => letter())).toBe(false);
});
