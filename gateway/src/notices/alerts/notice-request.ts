/** The request that tells a destination of a notice, and what its answer means. */
import { filledNotice } from "@tollgate/contract/notice-templates.ts";
import type { TextReply } from "../egress/request-text.ts";
import { webhookHeaders } from "../egress/standard-webhook.ts";
import {
  always,
  customPriority,
  formats,
  jsonMember,
  type OutgoingNotice,
  type OutgoingRequest,
  type ServiceKind,
  textOf,
  titleOf,
} from "./destination-formats.ts";
import { type DestinationTarget, secretsAt, targetHeaders } from "./destination-target.ts";

export interface DeliveryVerdict {
  isDelivered: boolean;
  /** What the receiver asks for, else 0. */
  retryAfterMs: number;
  /** The receiver wants no more. */
  isGone: boolean;
}

export function noticeRequest(kind: ServiceKind, notice: OutgoingNotice, target: DestinationTarget): OutgoingRequest {
  const json = { "content-type": "application/json; charset=utf-8" };
  if (kind === "custom") return customRequest(notice, target);
  if (kind !== "webhook") {
    const { url, body, headers = {} } = formats[kind].request(notice, target);
    return { url, headers: { ...json, ...headers }, body: JSON.stringify(body) };
  }
  const { id, at, event } = notice;
  const body = JSON.stringify({ type: event.type, timestamp: new Date(at).toISOString(), data: event.data });
  const signed = webhookHeaders(secretsAt(target, at), { id, seconds: Math.floor(at / 1000), body });
  return { url: target.address, headers: { ...json, ...signed }, body };
}

function customRequest(notice: OutgoingNotice, target: DestinationTarget): OutgoingRequest {
  const { severity, rule, link } = notice;
  const values = { title: titleOf(notice), text: textOf(notice), link, severity, rule };
  return {
    url: target.address,
    headers: { "content-type": "application/json; charset=utf-8", ...targetHeaders(target) },
    body: filledNotice(target.template ?? "", { ...values, priority: String(customPriority[severity]) }),
  };
}

/** Of a service that the gateway does not know: it is taken unless the reply says that it is not. */
const takesCustom = ({ text }: TextReply) => jsonMember(text, "success") !== false;

export function deliveryVerdict(kind: ServiceKind, reply: TextReply): DeliveryVerdict {
  const { status } = reply;
  const isSuccess = status >= 200 && status < 300;
  return {
    isDelivered: isSuccess && acceptanceOf(kind)(reply),
    retryAfterMs: isSuccess ? 0 : retryAfterMs(reply),
    isGone: status === 410,
  };
}

const acceptanceOf = (kind: ServiceKind) =>
  kind === "webhook" ? always : kind === "custom" ? takesCustom : formats[kind].accepts;

/** In seconds: as a header, at the top of a Discord reply, or within a reply of Telegram. */
function retryAfterMs({ headers, text }: TextReply): number {
  const parameters = jsonMember(text, "parameters");
  const within = typeof parameters === "object" && parameters !== null ? parameters : {};
  const seconds = [
    headers["retry-after"],
    jsonMember(text, "retry_after"),
    (within as Record<string, unknown>).retry_after,
  ].map(Number);
  return 1000 * Math.max(0, ...seconds.filter(Number.isFinite));
}
