/** The request that tells a destination of a notice, and what its answer means. */
import { fillNotice } from "@tollgate/contract/notices/notice-templates.ts";
import type { TextReply } from "../../egress/request-text.ts";
import { buildWebhookHeaders } from "../../egress/standard-webhook.ts";
import {
  always,
  customPriority,
  formats,
  formatTitle,
  type OutgoingNotice,
  type OutgoingRequest,
  readJsonMember,
  readText,
  type ServiceKind,
} from "./destination-formats.ts";
import { type DestinationTarget, findTargetHeaders, listSecrets } from "./destination-target.ts";

export interface DeliveryVerdict {
  isDelivered: boolean;
  /** `retryAfterMs` are what the receiver asks for, else 0. */
  retryAfterMs: number;
  /** The receiver wants no more. */
  isGone: boolean;
}

export function buildNoticeRequest(
  kind: ServiceKind,
  notice: OutgoingNotice,
  target: DestinationTarget,
): OutgoingRequest {
  const json = { "content-type": "application/json; charset=utf-8" };
  if (kind === "custom") return buildCustomRequest(notice, target);
  if (kind !== "webhook") {
    const { url, body, headers = {} } = formats[kind].request(notice, target);
    return { url, headers: { ...json, ...headers }, body: JSON.stringify(body) };
  }
  const { id, at, event } = notice;
  const body = JSON.stringify({
    type: event.type,
    timestamp: new Date(at).toISOString(),
    data: event.data,
  });
  const signed = buildWebhookHeaders(listSecrets(target, at), {
    id,
    seconds: Math.floor(at / 1000),
    body,
  });
  return { url: target.address, headers: { ...json, ...signed }, body };
}

function buildCustomRequest(notice: OutgoingNotice, target: DestinationTarget): OutgoingRequest {
  const { severity, rule, link } = notice;
  const values = { title: formatTitle(notice), text: readText(notice), link, severity, rule };
  return {
    url: target.address,
    headers: { "content-type": "application/json; charset=utf-8", ...findTargetHeaders(target) },
    body: fillNotice(target.template ?? "", {
      ...values,
      priority: String(customPriority[severity]),
    }),
  };
}

/**
 * `takesCustom` is about a service that the gateway does not know: it is taken unless the reply
 * says that it is not.
 */
const takesCustom = ({ text }: TextReply) => readJsonMember(text, "success") !== false;

export function judgeDelivery(kind: ServiceKind, reply: TextReply): DeliveryVerdict {
  const { status } = reply;
  const isSuccess = status >= 200 && status < 300;
  return {
    isDelivered: isSuccess && chooseAcceptance(kind)(reply),
    retryAfterMs: isSuccess ? 0 : retryAfterMs(reply),
    isGone: status === 410,
  };
}

const chooseAcceptance = (kind: ServiceKind) =>
  kind === "webhook" ? always : kind === "custom" ? takesCustom : formats[kind].accepts;

/**
 * `retryAfterMs` reads seconds: in a header, at the top of a Discord reply, or within a reply of
 * Telegram.
 */
function retryAfterMs({ headers, text }: TextReply): number {
  const parameters = readJsonMember(text, "parameters");
  const within = typeof parameters === "object" && parameters !== null ? parameters : {};
  const seconds = [
    headers["retry-after"],
    readJsonMember(text, "retry_after"),
    (within as Record<string, unknown>).retry_after,
  ].map(Number);
  return 1000 * Math.max(0, ...seconds.filter(Number.isFinite));
}
