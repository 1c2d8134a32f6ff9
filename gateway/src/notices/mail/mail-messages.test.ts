import { type LanguageCode, languageCodes } from "@tollgate/contract/site/languages.ts";
import { describe, expect, test } from "vitest";
import {
  composeAddressChangedMail,
  composeAlreadyRegisteredMail,
  composeBudgetAnsweredMail,
  composeBudgetAskedMail,
  composeInvitationMail,
  composeKeyPausedBySpikeMail,
  composeKeysPausedMail,
  composeLowBalanceMail,
  composeNoticeMail,
  composeNoticeWords,
  composePasskeyCopiedMail,
  composePasswordChangedMail,
  composePasswordResetMail,
  composeProviderLinkedMail,
  composeProviderLinkMail,
  composeTokenRotatedMail,
  composeTokenTakenMail,
  composeVerificationMail,
  type MailMessage,
  type MailReader,
  type MailSite,
} from "./mail-messages.ts";
import type { RootNotice } from "./root-notice.ts";

const site = { name: "Tollgate", address: "https://ai.example.org" };
/** A notice as mail, with a link to the page that it is about. */
const noticed = (reader: MailReader, { name, address }: MailSite, notice: RootNotice) =>
  composeNoticeMail(
    reader,
    { name, address },
    composeNoticeWords(reader.language, notice),
    `${address}/channels`,
  );
const mira: MailReader = { to: "mira@example.org", language: "en" };

test("a reset link leads to this server and carries address and token unharmed", () => {
  const { text } = composePasswordResetMail(
    { ...mira, to: "mira+a&b@example.org" },
    site,
    "a-token_1",
  );
  const link = new URL(/^https:\S+$/m.exec(text)?.[0] ?? "");
  expect([link.origin, link.pathname]).toEqual([site.address, "/user/reset"]);
  expect(Object.fromEntries(link.searchParams)).toEqual({
    email: "mira+a&b@example.org",
    token: "a-token_1",
  });
});

test.each(languageCodes)(
  "in %s, names add no header, no line and no markup",
  { tags: ["F-96"] },
  (language) => {
    const evil = { name: 'Evil\r\nBcc: all@example.org\n<img src="x">', address: "" };
    const channel = "<script>\r\nBcc: alert(1)";
    const messages = [
      composeLowBalanceMail({ ...mira, language }, evil, { username: channel, left: "$1" }),
      noticed({ ...mira, language }, evil, { kind: "channel_disabled", channel, reason: channel }),
      noticed({ ...mira, language }, evil, { kind: "channel_enabled", channel }),
      noticed({ ...mira, language }, evil, { kind: "call_not_covered", channel, calls: 1 }),
      noticed({ ...mira, language }, evil, { kind: "usage_capped", channel }),
    ];
    for (const message of messages) {
      expect(message.subject).not.toMatch(/[\r\n]/);
      expect(message.html).not.toMatch(/<img|<script/);
      expect(message.text.split("\n").some((line) => line.startsWith("Bcc"))).toBe(false);
    }
  },
);

test.each(languageCodes)("in %s, a code stands on a line of its own", (language) => {
  expect(composeVerificationMail({ ...mira, language }, site, "012345").text.split("\n")).toContain(
    "012345",
  );
});

/** Each mail with what it must hold, whatever the language. */
const mails: Record<
  string,
  { write: (reader: MailReader) => MailMessage; holds: readonly string[] }
> = {
  verification: {
    write: (reader) => composeVerificationMail(reader, site, "012345"),
    holds: ["012345", "10"],
  },
  "already registered": {
    write: (reader) => composeAlreadyRegisteredMail(reader, site),
    holds: [`${site.address}/login`],
  },
  "password reset": {
    write: (reader) => composePasswordResetMail(reader, site, "a-token_1"),
    holds: [`${site.address}/user/reset?email=mira%40example.org&token=a-token_1`, "10"],
  },
  "password changed by a link": {
    write: (reader) => composePasswordChangedMail(reader, site, { isByLink: true, passkeys: [] }),
    holds: [`${site.address}/users/edit`],
  },
  "password changed": {
    write: (reader) =>
      composePasswordChangedMail(reader, site, {
        isByLink: false,
        passkeys: [{ name: "laptop" }, { name: "phone" }],
      }),
    holds: ["“laptop”, “phone”", `${site.address}/users/edit`],
  },
  "address changed": { write: (reader) => composeAddressChangedMail(reader, site), holds: [] },
  "passkey copied": {
    write: (reader) => composePasskeyCopiedMail(reader, site, { name: "laptop" }),
    holds: ["laptop", `${site.address}/users/edit`],
  },
  "provider link": {
    write: (reader) =>
      composeProviderLinkMail(reader, site, {
        provider: "Example Company",
        username: "mira",
        code: "012345",
      }),
    holds: ["Example Company", "mira", "012345"],
  },
  "provider linked": {
    write: (reader) => composeProviderLinkedMail(reader, site, { provider: "Example Company" }),
    holds: ["Example Company", `${site.address}/settings`],
  },
  "low balance": {
    write: (reader) => composeLowBalanceMail(reader, site, { username: "mira", left: "$0.49" }),
    holds: ["mira", "$0.49", `${site.address}/topup`],
  },
  "team invitation": {
    write: (reader) =>
      composeInvitationMail(reader, site, { team: "Search", inviter: "mira", code: "a-code_1" }),
    holds: ["Search", "mira", "7", `${site.address}/invitation#a-code_1`],
  },
  "token disabled": {
    write: (reader) => composeTokenTakenMail(reader, site, { name: "laptop", action: "disabled" }),
    holds: ["laptop", `${site.address}/tokens`],
  },
  "token paused": {
    write: (reader) => composeTokenTakenMail(reader, site, { name: "laptop", action: "paused" }),
    holds: ["laptop", `${site.address}/tokens`],
  },
  "keys paused": {
    write: (reader) => composeKeysPausedMail(reader, site, { budget: "nightly" }),
    holds: ["nightly", `${site.address}/tokens`],
  },
  "more of a budget asked": {
    write: (reader) =>
      composeBudgetAskedMail(reader, site, {
        ...{ budget: "nightly", username: "mira", amount: "$5.00", reason: "a demo" },
      }),
    holds: ["nightly", "mira", "$5.00", "a demo", `${site.address}/teams`],
  },
  "more of a budget granted": {
    write: (reader) =>
      composeBudgetAnsweredMail(reader, site, { budget: "nightly", granted: "$5.00" }),
    holds: ["nightly", "$5.00"],
  },
  "more of a budget declined": {
    write: (reader) =>
      composeBudgetAnsweredMail(reader, site, { budget: "nightly", granted: null }),
    holds: ["nightly"],
  },
  "key paused by its spending": {
    write: (reader) =>
      composeKeyPausedBySpikeMail(reader, site, { key: "laptop", spent: "$92.10", usual: "$4.20" }),
    holds: ["laptop", "$92.10", "$4.20", `${site.address}/tokens`],
  },
  "token replaced": {
    write: (reader) => composeTokenTakenMail(reader, site, { name: "laptop", action: "replaced" }),
    holds: ["laptop", `${site.address}/tokens`],
  },
  "token rotated": {
    write: (reader) =>
      composeTokenRotatedMail(reader, site, {
        name: "laptop",
        until: Date.UTC(2026, 10, 20, 12, 30),
      }),
    holds: ["laptop", "2026-11-20 12:30 UTC", `${site.address}/tokens`],
  },
  "channel disabled": {
    write: (reader) =>
      noticed(reader, site, { kind: "channel_disabled", channel: "West", reason: "status 401" }),
    holds: ["West", "status 401", `${site.address}/channels`],
  },
  "channel enabled": {
    write: (reader) => noticed(reader, site, { kind: "channel_enabled", channel: "West" }),
    holds: ["West"],
  },
  "key disabled": {
    write: (reader) =>
      noticed(reader, site, {
        kind: "channel_key_disabled",
        channel: "West",
        place: 3,
        hint: "abcd",
        reason: "status 401",
      }),
    holds: ["West", "3", "abcd", "status 401"],
  },
  "call not covered": {
    write: (reader) =>
      noticed(reader, site, { kind: "call_not_covered", channel: "West", calls: 17 }),
    holds: ["West", "17"],
  },
  "usage capped": {
    write: (reader) => noticed(reader, site, { kind: "usage_capped", channel: "West" }),
    holds: ["West", "usage_capped"],
  },
  "quota waits": {
    write: (reader) =>
      noticed(reader, site, { kind: "quota_waits", administrator: "noor", amount: "$25.00" }),
    holds: ["noor", "$25.00", "AdminIssueLimit"],
  },
  "more of a budget is asked for": {
    write: (reader) =>
      noticed(reader, site, {
        ...{ kind: "budget_asked", username: "noor", budget: "nightly", amount: "$25.00" },
      }),
    holds: ["noor", "nightly", "$25.00"],
  },
  "team without an admin": {
    write: (reader) => noticed(reader, site, { kind: "team_without_admin", team: "Search" }),
    holds: ["Search"],
  },
  "balance of a channel": {
    write: (reader) =>
      noticed(reader, site, { kind: "channel_balance_low", channel: "West", dollars: "$4.20" }),
    holds: ["West", "$4.20"],
  },
  "model without a channel": {
    write: (reader) => noticed(reader, site, { kind: "model_unserved", model: "small" }),
    holds: ["small"],
  },
  "suspended channel": {
    write: (reader) =>
      noticed(reader, site, {
        ...{
          kind: "channel_suspended",
          channel: "West",
          model: "small",
          reason: "status 503",
          minutes: 12,
        },
      }),
    holds: ["West", "small", "status 503", "12"],
  },
  "old backup": {
    write: (reader) =>
      noticed(reader, site, { kind: "backup_old", last: "2026-11-20 09:30 UTC", hours: 26 }),
    holds: ["2026-11-20 09:30 UTC", "26"],
  },
  "missing backup": {
    write: (reader) => noticed(reader, site, { kind: "backup_old", last: "", hours: 26 }),
    holds: ["26"],
  },
  "clock that is behind": {
    write: (reader) => noticed(reader, site, { kind: "clock_behind", minutes: 42 }),
    holds: ["42"],
  },
  "database that refused": {
    write: (reader) =>
      noticed(reader, site, { kind: "database_refused", minutes: 7, message: "disk I/O error" }),
    holds: ["7", "disk I/O error"],
  },
  "failing job": {
    write: (reader) => noticed(reader, site, { kind: "job_failing", job: "test channels" }),
    holds: ["test channels"],
  },
  "slow calls": {
    write: (reader) =>
      noticed(reader, site, { kind: "calls_slow", model: "small", medianMs: 2_700, usualMs: 800 }),
    holds: ["small", "2700", "800"],
  },
  "unusual spending": {
    write: (reader) =>
      noticed(reader, site, {
        kind: "spend_spiking",
        key: "laptop",
        username: "mira",
        spent: "$92.10",
        usual: "$4.20",
      }),
    holds: ["laptop", "mira", "$92.10", "$4.20"],
  },
  "missing price": {
    write: (reader) => noticed(reader, site, { kind: "price_missing", model: "small" }),
    holds: ["small"],
  },
  "a bill that differs": {
    write: (reader) =>
      noticed(reader, site, {
        kind: "price_mismatch",
        channel: "West",
        ours: "$4.20",
        theirs: "$5.10",
      }),
    holds: ["West", "$4.20", "$5.10"],
  },
  "a model that ends": {
    write: (reader) =>
      noticed(reader, site, {
        ...{ kind: "model_retiring", model: "small", endsOn: "2026-12-11" },
        ...{ calls: 120, users: 3, replacement: "newer" },
      }),
    holds: ["small", "2026-12-11", "120", "3", "newer"],
  },
  "a model of the reader's that ends": {
    write: (reader) =>
      noticed(reader, site, {
        kind: "own_model_retiring",
        model: "small",
        endsOn: "2026-12-11",
        calls: 12,
      }),
    holds: ["small", "2026-12-11", "12"],
  },
  "changed prices": {
    write: (reader) =>
      noticed(reader, site, {
        kind: "prices_changed",
        models: 7,
        model: "gpt-9",
        list: "list.json",
      }),
    holds: ["7", "gpt-9", "list.json"],
  },
  "books that do not agree": {
    write: (reader) =>
      noticed(reader, site, {
        kind: "ledger_drifts",
        findings: 3,
        first: "wallet 4: stored 961, proved 960",
      }),
    holds: ["3", "wallet 4: stored 961, proved 960"],
  },
  "broken record of changes": {
    write: (reader) =>
      noticed(reader, site, { kind: "trail_broken", fault: "entry 5 was changed" }),
    holds: ["entry 5 was changed"],
  },
  "full disk": {
    write: (reader) => noticed(reader, site, { kind: "disk_low", gigabytes: "3.2", percent: 8 }),
    holds: ["3.2", "8"],
  },
  "root in a new network": {
    write: (reader) =>
      noticed(reader, site, { kind: "root_signed_in", username: "root", network: "203.0.113.0" }),
    holds: ["root", "203.0.113.0"],
  },
  "locked sign-ins": {
    write: (reader) => noticed(reader, site, { kind: "sign_ins_locked", locks: 20 }),
    holds: ["20"],
  },
  "failing destination": {
    write: (reader) =>
      noticed(reader, site, {
        kind: "notices_failing",
        destination: "On call",
        answer: "404 gone",
      }),
    holds: ["On call", "404 gone"],
  },
};

describe.each(languageCodes)("in %s", (language) => {
  test.each(Object.entries(mails))("the mail %s holds what it is for", (_, { write, holds }) => {
    const { text, html } = write({ ...mira, language });
    const parts = holds.map((part) => (part.startsWith("$") ? amountIn(language, part) : part));
    for (const part of parts) expect(text).toContain(part);
    for (const part of parts) expect(html).toContain(part.replaceAll("&", "&#38;"));
    expect(html).toContain(`<html lang="${language}">`);
  });
});

const amountIn = (language: string, amount: string): string =>
  amount.replace(".", ["de", "es", "fr"].includes(language) ? "," : ".");

test("a reason of the gateway's own is told in the language, and what it quotes stays", () => {
  const sentenceOf = (language: LanguageCode, reason: string) =>
    composeNoticeWords(language, { kind: "channel_disabled", channel: "West", reason }).before[0];
  const refused = "The provider refused the key: invalid_api_key";
  expect(sentenceOf("en", refused)).toBe(`Channel West was disabled automatically. ${refused}`);
  expect(sentenceOf("zh-CN", refused)).toBe(
    "渠道 West 已被自动禁用。提供商拒绝了密钥：invalid_api_key",
  );
  expect(sentenceOf("de", `No key is left. ${refused}`)).toBe(
    "Der Kanal West wurde automatisch deaktiviert. Kein Schlüssel ist übrig. Der Anbieter lehnt den Schlüssel ab: invalid_api_key",
  );
  expect(sentenceOf("de", "no credit")).toContain("deaktiviert. no credit");
});

test("an amount has the points of the language, and no more places than it needs", () => {
  const told = (language: LanguageCode, amount: string) =>
    composeNoticeWords(language, { kind: "quota_waits", administrator: "noor", amount }).before[0];
  expect(told("en", "$1234.500000")).toContain("$1,234.50,");
  expect(told("de", "$1234.500000")).toContain("$1.234,50 ");
  expect(told("de", "$0.000012")).toContain("$0,000012 ");
  expect(told("de", "500 quota")).toContain("500 quota");
});

test.each(Object.entries(mails))(
  "no two languages share the subject or the first sentence of the mail %s",
  (_, { write }) => {
    const written = languageCodes.map((language) => write({ ...mira, language }));
    expect(new Set(written.map(({ subject }) => subject)).size).toBe(languageCodes.length);
    expect(new Set(written.map(({ text }) => text.split("\n")[0])).size).toBe(languageCodes.length);
  },
);
