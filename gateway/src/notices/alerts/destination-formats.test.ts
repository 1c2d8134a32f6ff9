import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { OutgoingNotice, ServiceKind } from "./destination-formats.ts";
import {
  buildTarget,
  type DestinationTarget,
  describeTarget,
  findTargetIssue,
  renewSecret,
} from "./destination-target.ts";
import { buildNoticeRequest, judgeDelivery } from "./notice-request.ts";

const at = Date.UTC(2026, 10, 22, 8);
const evil = "@everyone <!channel> <@all> [x](https://evil.example) *b* <b>&\r\nBcc: all";
const notice: OutgoingNotice = {
  id: "msg_7",
  at,
  severity: "critical",
  rule: "channel.disabled",
  title: `Channel ${evil} disabled`,
  lines: [evil, "second"],
  link: "https://ai.example.org/channels",
  event: { type: "alert.firing", data: { rule: "channel.disabled" } },
};
const targetOf = (kind: ServiceKind, address: string, secret = "", recipient = "") =>
  buildTarget(kind, { address, secret, recipient });
const sent = (kind: ServiceKind, target: DestinationTarget) => {
  const request = buildNoticeRequest(kind, notice, target);
  return { ...request, json: JSON.parse(request.body) };
};

/**
 * The check of a receiver, as Standard Webhooks describes it: one signature of the list must be
 * that of a known secret.
 */
function isSigned(secret: string, headers: Record<string, string>, body: string): boolean {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = createHmac("sha256", key).update(content).digest("base64");
  return (headers["webhook-signature"] ?? "").split(" ").includes(`v1,${expected}`);
}

test("a webhook is signed by Standard Webhooks, and by both secrets for a day after a rotation", {
  tags: ["AL-03"],
}, () => {
  const first = targetOf("webhook", "https://example.org/hook");
  const { headers, body, json } = sent("webhook", first);
  const secret = first.signing[0]?.secret ?? "";
  expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
  expect(headers).toMatchObject({ "webhook-id": "msg_7", "webhook-timestamp": String(at / 1000) });
  expect(isSigned(secret, headers, body)).toBe(true);
  expect(isSigned(secret, headers, `${body} `)).toBe(false);
  expect(json).toEqual({
    type: "alert.firing",
    timestamp: "2026-11-22T08:00:00.000Z",
    data: { rule: "channel.disabled" },
  });

  const rotated = renewSecret(first, at - 1);
  const both = sent("webhook", rotated);
  expect(
    [secret, rotated.signing[0]?.secret ?? ""].map((one) => isSigned(one, both.headers, both.body)),
  ).toEqual([true, true]);
  const later = sent("webhook", renewSecret(first, at - 24 * 3_600_000));
  expect(isSigned(secret, later.headers, later.body)).toBe(false);
});

test("Feishu gets the HMAC of an empty text under time and secret, in seconds", () => {
  const { json } = sent(
    "feishu",
    targetOf("feishu", "https://open.feishu.cn/open-apis/bot/v2/hook/x", "sec"),
  );
  const seconds = String(at / 1000);
  const sign = createHmac("sha256", `${seconds}\nsec`).update("").digest("base64");
  expect(json).toMatchObject({ timestamp: seconds, sign, msg_type: "post" });
  expect(sent("feishu", targetOf("feishu", "https://open.feishu.cn/x")).json.sign).toBeUndefined();
});

test("DingTalk gets the HMAC of time and secret in the address, in milliseconds", () => {
  const { url, json } = sent(
    "dingtalk",
    targetOf("dingtalk", "https://oapi.dingtalk.com/robot/send?access_token=t", "SEC1"),
  );
  const { searchParams } = new URL(url);
  const sign = createHmac("sha256", "SEC1").update(`${at}\nSEC1`).digest("base64");
  expect(Object.fromEntries(searchParams)).toEqual({
    access_token: "t",
    timestamp: String(at),
    sign,
  });
  expect(json).toMatchObject({ msgtype: "markdown", at: { isAtAll: false } });
});

test("Telegram and ntfy are addressed as their interfaces want", () => {
  const telegram = sent("telegram", targetOf("telegram", "", "123:abc-D", "-100200"));
  expect(telegram.url).toBe("https://api.telegram.org/bot123:abc-D/sendMessage");
  expect(telegram.json).toMatchObject({
    chat_id: "-100200",
    link_preview_options: { is_disabled: true },
  });
  expect(telegram.json.parse_mode).toBeUndefined();
  const ntfy = sent("ntfy", targetOf("ntfy", "https://ntfy.example.org/base/on-call", "tk_1"));
  expect([ntfy.url, ntfy.json.topic, ntfy.json.priority]).toEqual([
    "https://ntfy.example.org/base",
    "on-call",
    5,
  ]);
  expect(ntfy.headers.authorization).toBe("Bearer tk_1");
});

test("a custom destination gets its own JSON and headers, as Gotify, Bark and the message pusher of one-api want them", () => {
  const custom = (address: string, headers: string, template: string) =>
    sent(
      "custom",
      buildTarget("custom", { address, secret: "", recipient: "", headers, template }),
    );
  const gotify = custom(
    "https://gotify.example.org/message",
    "X-Gotify-Key: AbC-1\n\n  X-Other :  two words ",
    '{"title": "{{title}}", "message": "{{text}}", "priority": {{priority}}, "extras": {"client::notification": {"click": {"url": "{{link}}"}}}}',
  );
  expect(gotify.headers).toEqual({
    "content-type": "application/json; charset=utf-8",
    ...{ "x-gotify-key": "AbC-1", "x-other": "two words" },
  });
  expect(gotify.json).toMatchObject({ priority: 8, title: expect.stringContaining("@everyone") });
  expect(gotify.json.message).toBe(`${evil.replace("\r\n", " ")}\nsecond`);
  const bark = custom(
    "https://api.day.app/push",
    "",
    '{"device_key": "k", "title": "{{title}}", "body": "{{text}}", "group": "{{rule}}", "level": "{{severity}}"}',
  );
  expect(bark.json).toMatchObject({
    device_key: "k",
    group: "channel.disabled",
    level: "critical",
  });
  expect(bark.url).toBe("https://api.day.app/push");
  const answers = [
    [200, '{"code":200,"message":"success"}'],
    [200, ""],
    [200, '{"success":false,"message":"wrong token"}'],
    [400, "{}"],
  ] as const;
  expect(answers.map(([status, text]) => verdictOf("custom", status, text).isDelivered)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a hostile name calls no one and is markup nowhere", { tags: ["AL-02"] }, () => {
  const slack = sent("slack", targetOf("slack", "https://hooks.slack.com/services/x")).json;
  expect(slack.text).not.toMatch(/[<>]/);
  expect(slack.blocks[0].text).toMatchObject({ type: "plain_text", emoji: false });
  const discord = sent("discord", targetOf("discord", "https://discord.com/api/webhooks/1/x")).json;
  expect(discord.allowed_mentions).toEqual({ parse: [] });
  expect(discord.content).not.toMatch(/(?<!\\)[*[\]<>@]/);
  const dingtalk = sent(
    "dingtalk",
    targetOf("dingtalk", "https://oapi.dingtalk.com/robot/send"),
  ).json;
  expect(dingtalk.markdown.text.split("\n\n").slice(0, 2).join(" ")).not.toMatch(
    /(?<!\\)[*[\]<>@]/,
  );
  expect(
    sent("wecom", targetOf("wecom", "https://qyapi.weixin.qq.com/x")).json.text.content,
  ).not.toContain("<@");
  for (const kind of ["slack", "discord", "feishu", "dingtalk", "wecom", "ntfy"] as const) {
    const { body } = sent(kind, targetOf(kind, "https://example.org/topic"));
    expect(body).not.toContain("\\nBcc");
    expect(body.length).toBeLessThan(20_000);
  }
});

test("the longest texts stay within the limits of the services", () => {
  const long = { ...notice, title: "t".repeat(9_000), lines: ["漢".repeat(9_000)] };
  const contentOf = (kind: ServiceKind) =>
    buildNoticeRequest(kind, long, targetOf(kind, "https://example.org/topic", "1:a", "2")).body;
  expect(Buffer.byteLength(JSON.parse(contentOf("wecom")).text.content)).toBeLessThanOrEqual(2_048);
  expect(JSON.parse(contentOf("telegram")).text.length).toBeLessThanOrEqual(4_096);
  expect(JSON.parse(contentOf("discord")).content.length).toBeLessThanOrEqual(2_000);
  expect(JSON.parse(contentOf("slack")).blocks[0].text.text.length).toBeLessThanOrEqual(3_000);
});

const verdictOf = (kind: ServiceKind, status: number, text: string, headers = {}) =>
  judgeDelivery(kind, { status, text, headers });

test.each<[ServiceKind, string, string]>([
  ["slack", "ok", "invalid_payload"],
  ["feishu", '{"code":0,"msg":"success"}', '{"code":19021,"msg":"sign match fail"}'],
  ["dingtalk", '{"errcode":0,"errmsg":"ok"}', '{"errcode":310000,"errmsg":"sign not match"}'],
  ["wecom", '{"errcode":0,"errmsg":"ok"}', '{"errcode":93000}'],
  ["telegram", '{"ok":true,"result":{}}', '{"ok":false,"description":"chat not found"}'],
])(
  "%s says in its reply whether it took the notice: status 200 proves nothing",
  (kind, taken, refused) => {
    expect(verdictOf(kind, 200, taken).isDelivered).toBe(true);
    for (const text of [refused, "", "<html>", "null", "[]"])
      expect(verdictOf(kind, 200, text).isDelivered, text).toBe(false);
  },
);

test("redirects and errors are failures, 410 ends it, and receivers say when to come back", () => {
  expect(
    [200, 204, 301, 400, 500].map((status) => verdictOf("webhook", status, "").isDelivered),
  ).toEqual([true, true, false, false, false]);
  expect(verdictOf("webhook", 410, "").isGone).toBe(true);
  expect(verdictOf("webhook", 429, "", { "retry-after": "7" }).retryAfterMs).toBe(7_000);
  expect(verdictOf("discord", 429, '{"retry_after":1.5}').retryAfterMs).toBe(1_500);
  expect(
    verdictOf("telegram", 429, '{"ok":false,"parameters":{"retry_after":9}}').retryAfterMs,
  ).toBe(9_000);
  expect(
    verdictOf("webhook", 503, "", { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }).retryAfterMs,
  ).toBe(0);
});

test("a target names what it lacks, and shows nothing of the key in its address", () => {
  const issue = (kind: ServiceKind, ...parts: [string, string?, string?]) =>
    findTargetIssue(kind, targetOf(kind, ...parts))?.field;
  expect(issue("slack", "no address")).toBe("address");
  expect(issue("ntfy", "https://ntfy.sh/")).toBe("address");
  expect(issue("ntfy", "https://ntfy.sh/%zz")).toBe("address");
  expect(issue("telegram", "", "token", "1")).toBe("secret");
  expect(issue("telegram", "", "1:token", "")).toBe("recipient");
  expect(issue("telegram", "", "1:token", "7")).toBeUndefined();
  const custom = (headers: string, template = "{}") =>
    findTargetIssue(
      "custom",
      buildTarget("custom", {
        address: "https://example.org",
        secret: "",
        recipient: "",
        headers,
        template,
      }),
    );
  expect(custom("X-Key: a:b")).toBeUndefined();
  for (const headers of [
    "no header",
    "Host: elsewhere",
    "Content-Length: 1",
    ": a",
    "X-Key: ä",
    "X-A: b\r\nHost: c",
  ])
    expect(custom(headers)?.field, headers).toBe("headers");
  expect(custom("", "{{text}}")?.field).toBe("template");
  expect(
    describeTarget("slack", targetOf("slack", "https://hooks.slack.com/services/T/B/secret")),
  ).toBe("hooks.slack.com");
});
