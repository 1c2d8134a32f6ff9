// docs/webhooks.md ends with the schemas of what webhooks get, and what the gateway sends is as
// they say.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSeverity } from "@tollgate/contract/notices/alert-rule-table.ts";
import {
  type NoticeTransition,
  noticeTransitions,
} from "@tollgate/contract/notices/destinations.ts";
import {
  defineWebhookEvent,
  type WebhookEventType,
  webhookEventTypes,
} from "@tollgate/contract/notices/webhook-events.ts";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { buildNoticeEvent, buildVerificationEvent } from "./notice-event.ts";
import type { NoticedAlert } from "./notice-payload.ts";

const page = join(repositoryDir, "docs/webhooks.md");
const mark = "run it with -u after a change. -->\n";
const site = { name: "Tollgate", address: "https://ai.example.org" };
const since = Date.UTC(2026, 10, 22, 8);

/** A format says what its pattern does. */
const schemaOf = (type: WebhookEventType) =>
  z.toJSONSchema(defineWebhookEvent(type), {
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    },
  });

const lineMax = 120;
/** What has nothing nested stands in one line, as far as it fits or is a list of words. */
const jsonText = (schema: object) =>
  JSON.stringify(schema, null, 2)
    .replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, words: string) => `[${words.replace(/,\s+/g, ", ")}]`)
    .replace(/\{\s+([^{}]*?)\s+\}/g, (whole, members: string) => {
      const line = `{ ${members.replace(/\n\s+/g, " ")} }`;
      return line.length > lineMax ? whole : line;
    });

const section = (type: WebhookEventType) =>
  `\n### \`${type}\`\n\n\`\`\`json\n${jsonText(schemaOf(type))}\n\`\`\`\n`;

test("the page has the schemas of today", async () => {
  const text = readFileSync(page, "utf8");
  const before = text.slice(0, text.indexOf(mark) + mark.length);
  await expect(before + webhookEventTypes.map(section).join("")).toMatchFileSnapshot(page);
});

const bodyOf = ({ type, data }: { type: WebhookEventType; data: unknown }) => ({
  type,
  timestamp: new Date(since).toISOString(),
  data,
});
/** Members that the schema does not name would be left out. */
const asSchemaSays = (body: ReturnType<typeof bodyOf>) => defineWebhookEvent(body.type).parse(body);

const alert = (resolvedAt: number | null): NoticedAlert => ({
  rule: "channel.disabled",
  severity: buildSeverity("channel.disabled"),
  subject: { kind: "channel", id: "12", name: "OpenAI west" },
  since,
  resolvedAt,
  count: 1,
  facts: { kind: "model_unserved", model: "small" },
  value: 4.2,
  threshold: 5,
});

const dataOf = (change: Partial<NoticedAlert>) =>
  buildNoticeEvent("firing", { alerts: [{ ...alert(null), ...change }] }, { site, link: "" }).data;

test.each([
  ["channel", "12", 12],
  ["budget", "41/80", "41/80"],
  ["channel", "12/2", "12/2"],
  ["user", "9007199254740993", "9007199254740993"],
  ["model", "12", "12"],
  ["management_key", "management 3", "management 3"],
] as const)("the id of the %s %s is sent as %j", (kind, id, sent) => {
  expect(dataOf({ subject: { kind, id, name: "any" } })).toMatchObject({
    subject: { id: sent },
    value: 4.2,
    threshold: 5,
  });
});

test("a notice that waited since before an upgrade has no figures", () => {
  const { value: _, threshold: __, ...old } = alert(null);
  expect(buildNoticeEvent("firing", { alerts: [old] }, { site, link: "" }).data).toMatchObject({
    value: null,
    threshold: null,
  });
});

test.each([
  ["firing", [alert(null)]],
  ["reminder", [alert(null)]],
  ["resolved", [alert(since + 1_500)]],
  ["flapping", [alert(null)]],
  ["flapping", [alert(since + 1_500)]],
  ["digest", [alert(null), alert(since)]],
  ["example", []],
] satisfies [NoticeTransition | "example", NoticedAlert[]][])(
  "a notice of %s is as its schema says",
  (transition, alerts) => {
    for (const link of ["", "https://ai.example.org/channels"]) {
      const body = bodyOf(buildNoticeEvent(transition, { alerts }, { site, link }));
      expect(asSchemaSays(body)).toEqual(body);
    }
  },
);

test("every transition has its type, and a code for a new destination is as its schema says", () => {
  expect(
    noticeTransitions.map(
      (transition) => buildNoticeEvent(transition, { alerts: [] }, { site, link: "" }).type,
    ),
  ).toEqual(noticeTransitions.map((transition) => `alert.${transition}`));
  const body = bodyOf(buildVerificationEvent("123456", site));
  expect(asSchemaSays(body)).toEqual(body);
});
