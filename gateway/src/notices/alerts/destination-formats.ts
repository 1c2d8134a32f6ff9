/**
 * The formats in which each service takes a notice, and the answers by which it says that it took
 * it: several answer 200 with an error in the body. Names of channels and words of providers are
 * hostile here: nothing in them is markup or calls people. Pure.
 */
import { createHmac } from "node:crypto";
import type { Severity } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { DestinationKind } from "@tollgate/contract/notices/destinations.ts";
import type { TextReply } from "../../egress/request-text.ts";
import { type DestinationTarget, parseTopic } from "./destination-target.ts";

export interface OutgoingNotice {
  /** Stays over all tries. */
  id: string;
  /** The time of this try, in milliseconds. */
  at: number;
  severity: Severity;
  /** Empty for one about no alert, or about several. */
  rule: string;
  title: string;
  lines: readonly string[];
  /** Empty while the address of this server is not set. */
  link: string;
  /** `alert.firing` and so on, with its data. */
  event: { type: string; data: unknown };
}

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export type ServiceKind = Exclude<DestinationKind, "mail">;

interface ServiceFormat {
  request(
    notice: OutgoingNotice,
    target: DestinationTarget,
  ): { url: string; body: unknown; headers?: Record<string, string> };
  /** `accepts` says whether a reply of status 2xx says that the notice was taken. */
  accepts(reply: TextReply): boolean;
}

const titleMax = 200;
/** Below the limits of all services. */
const textMax = 1_500;
/** 2,048 bytes, of which a sign may take three. */
const wecomTextMax = 650;

const cut = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1).trimEnd()}…`;
const flattenLine = (text: string) => text.replace(/\p{Cc}+/gu, " ").trim();
export const formatTitle = ({ title }: OutgoingNotice) => cut(flattenLine(title), titleMax);
export const readText = ({ lines }: OutgoingNotice) =>
  cut(lines.map(flattenLine).join("\n"), textMax);
const formatPlainText = (notice: OutgoingNotice) =>
  [formatTitle(notice), readText(notice), notice.link].filter((part) => part !== "").join("\n");

const computeHmac = (key: string, text: string) =>
  createHmac("sha256", key).update(text).digest("base64");
/** Every sign that is markup in some dialect of Markdown. */
const escapeMarkdown = (text: string) => text.replace(/[\\`*_{}[\]()#+\-.!|~<>@:]/g, "\\$&");
const escapeSlack = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const readJsonMember = (text: string, name: string): unknown => {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null)?.[name];
  } catch {
    return undefined;
  }
};
const isZero = (name: string) => (reply: TextReply) => readJsonMember(reply.text, name) === 0;
export const always = () => true;

const ntfyPriority: Record<Severity, number> = { info: 3, warning: 4, critical: 5 };

/** `customPriority` is as Gotify has them: from 8 on a phone rings. */
export const customPriority: Record<Severity, number> = { info: 3, warning: 5, critical: 8 };

export const formats: Readonly<Record<Exclude<ServiceKind, "webhook" | "custom">, ServiceFormat>> =
  {
    slack: {
      request: (notice, { address }) => ({
        url: address,
        body: {
          text: escapeSlack(formatTitle(notice)),
          blocks: [
            {
              type: "section",
              text: {
                type: "plain_text",
                text: `${formatTitle(notice)}\n${readText(notice)}`,
                emoji: false,
              },
            },
            ...(notice.link === ""
              ? []
              : [
                  {
                    type: "section",
                    text: { type: "mrkdwn", text: `<${escapeSlack(notice.link)}>` },
                  },
                ]),
          ],
        },
      }),
      accepts: ({ text }) => text.trim() === "ok",
    },
    discord: {
      request: (notice, { address }) => ({
        url: address,
        body: {
          content: escapeMarkdown(formatTitle(notice)),
          embeds: [
            {
              description: [escapeMarkdown(readText(notice)), notice.link]
                .filter(Boolean)
                .join("\n"),
            },
          ],
          allowed_mentions: { parse: [] },
        },
      }),
      accepts: always,
    },
    feishu: {
      // As rich text, in whose text elements no tag mentions people.
      request: (notice, { address, secret }) => {
        const timestamp = String(Math.floor(notice.at / 1000));
        const paragraphs = [readText(notice), notice.link].filter((text) => text !== "");
        return {
          url: address,
          body: {
            ...(secret !== "" && { timestamp, sign: computeHmac(`${timestamp}\n${secret}`, "") }),
            msg_type: "post",
            content: {
              post: {
                zh_cn: {
                  title: formatTitle(notice),
                  content: paragraphs.map((text) => [{ tag: "text", text }]),
                },
              },
            },
          },
        };
      },
      accepts: isZero("code"),
    },
    dingtalk: {
      request: (notice, { address, secret }) => {
        const url = new URL(address);
        if (secret !== "") {
          url.searchParams.set("timestamp", String(notice.at));
          url.searchParams.set("sign", computeHmac(secret, `${notice.at}\n${secret}`));
        }
        const title = formatTitle(notice);
        const text = [
          `### ${escapeMarkdown(title)}`,
          escapeMarkdown(readText(notice)),
          notice.link,
        ];
        return {
          url: url.href,
          body: {
            msgtype: "markdown",
            markdown: { title, text: text.filter((part) => part !== "").join("\n\n") },
            at: { isAtAll: false },
          },
        };
      },
      accepts: isZero("errcode"),
    },
    wecom: {
      // Plain text: its Markdown has no escapes, and <@name> calls people.
      request: (notice, { address }) => ({
        url: address,
        body: {
          msgtype: "text",
          text: { content: cut(formatPlainText(notice).replaceAll("<@", "< @"), wecomTextMax) },
        },
      }),
      accepts: isZero("errcode"),
    },
    telegram: {
      // Without a parse mode, so that nothing is markup.
      request: (notice, { address, secret, recipient }) => ({
        url: `${address.replace(/\/+$/, "")}/bot${secret}/sendMessage`,
        body: {
          chat_id: recipient,
          text: formatPlainText(notice),
          link_preview_options: { is_disabled: true },
        },
      }),
      accepts: ({ text }) => readJsonMember(text, "ok") === true,
    },
    ntfy: {
      request: (notice, { address, secret }) => {
        const { server = address, topic = "" } = parseTopic(address) ?? {};
        return {
          url: server,
          body: {
            topic,
            title: formatTitle(notice),
            message: readText(notice),
            priority: ntfyPriority[notice.severity],
            ...(notice.link !== "" && { click: notice.link }),
          },
          ...(secret !== "" && { headers: { authorization: `Bearer ${secret}` } }),
        };
      },
      accepts: always,
    },
  };
