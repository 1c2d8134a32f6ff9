/**
 * The target of notices, the members that lead to their receiver. It is sealed as a whole: many
 * services have the key in the address.
 */
import { findHeaderIssue } from "@tollgate/contract/catalogue/channel-overrides.ts";
import type { DestinationKind } from "@tollgate/contract/notices/destinations.ts";
import { findNoticeTemplateIssue } from "@tollgate/contract/notices/notice-templates.ts";
import { makeSigningSecret } from "../../egress/standard-webhook.ts";
import { showsSecretAgain } from "../../http/idempotency.ts";
import { refuse } from "../../http/refusal.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { DestinationsTable } from "../../storage/tables/alert-tables.ts";

export interface DestinationTarget {
  /** A mail address, or a URL. */
  address: string;
  /** `secret` is what the service gave, by its kind; empty where it needs none. */
  secret: string;
  /** The chat of a Telegram bot. */
  recipient: string;
  /**
   * The headers of a custom destination, as they were typed; a target that an earlier version
   * sealed has neither these nor the member below.
   */
  headers?: string;
  template?: string;
  /**
   * `signing` has the secrets of a webhook, newest first; an older one signs until its time is
   * over.
   */
  signing: { secret: string; until: number | null }[];
}

/** Receivers take over a new secret within a day. */
const oldSecretMs = 24 * 3_600_000;
const telegramAddress = "https://api.telegram.org";
const mailPattern = /^[^\s@]+@[^\s@]+$/;

const composeContext = (uuid: string) => `destinations/target_sealed/${uuid}` as const;

export const sealTarget = (seal: Sealer, uuid: string, target: DestinationTarget): string =>
  seal.seal("destination", composeContext(uuid), JSON.stringify(target));

/** Undefined for the mail address of root, which its account holds. */
export const openTarget = (
  seal: Sealer,
  { uuid, target_sealed }: Pick<DestinationsTable, "uuid" | "target_sealed">,
): DestinationTarget | undefined =>
  target_sealed === ""
    ? undefined
    : (JSON.parse(
        seal.open("destination", composeContext(uuid), target_sealed),
      ) as DestinationTarget);

export function buildTarget(
  kind: DestinationKind,
  { address, secret, recipient, headers = "", template = "" }: Omit<DestinationTarget, "signing">,
): DestinationTarget {
  const signing = kind === "webhook" ? [{ secret: makeSigningSecret(), until: null }] : [];
  const own = kind === "custom" ? { headers, template } : {};
  const given = kind === "telegram" && address === "" ? telegramAddress : address;
  return { address: given, secret, recipient, ...own, signing };
}

const headersMax = 20;

/** Undefined where a line is no header, or one that describes the connection. */
export function findTargetHeaders({
  headers = "",
}: Pick<DestinationTarget, "headers">): Record<string, string> | undefined {
  const lines = headers.split("\n").map((line) => line.trim());
  const named = lines.filter(Boolean).map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()];
  });
  const isSound =
    named.length <= headersMax &&
    named.every(([name, value]) => findHeaderIssue(name, value) === undefined);
  return isSound
    ? Object.fromEntries(named.map(([name, value]) => [name.toLowerCase(), value]))
    : undefined;
}

export function renewSecret(target: DestinationTarget, now: number): DestinationTarget {
  const [current] = target.signing;
  const old = current ? [{ ...current, until: now + oldSecretMs }] : [];
  return { ...target, signing: [{ secret: makeSigningSecret(), until: null }, ...old] };
}

/**
 * `makeFirstSigningSecret` is for the reply to the call that made the webhook at `madeAt` and, for
 * a while, to its repetition; no secret that was made since.
 */
export function makeFirstSigningSecret(
  target: DestinationTarget | undefined,
  madeAt: number,
  now: number,
): { signing_secret?: string } {
  const [first, ...older] = target?.signing ?? [];
  return first && older.length === 0 && showsSecretAgain(madeAt, now)
    ? { signing_secret: first.secret }
    : {};
}

export const listSecrets = ({ signing }: DestinationTarget, now: number): string[] =>
  signing.filter(({ until }) => until === null || until > now).map(({ secret }) => secret);

/**
 * `describeTarget` gives what may be shown of a target: never what a service hid in its address.
 */
export const describeTarget = (kind: DestinationKind, { address }: DestinationTarget): string =>
  kind === "mail" ? address : new URL(address).host;

/** A member that is missing or malformed, with the sentence for it. */
interface TargetIssue {
  field: Exclude<keyof DestinationTarget, "signing">;
  message: string;
}
type FindTargetIssue = (target: DestinationTarget) => TargetIssue | undefined;

const findMailIssue: FindTargetIssue = ({ address }) =>
  address === "" || mailPattern.test(address)
    ? undefined
    : { field: "address", message: "address must be a mail address" };

const findUrlIssue: FindTargetIssue = ({ address }) =>
  URL.canParse(address) ? undefined : { field: "address", message: "address must be a URL" };

const findTelegramIssue: FindTargetIssue = ({ secret, recipient }) => {
  if (!/^\d+:[\w-]+$/.test(secret))
    return { field: "secret", message: "secret must be the token of the bot" };
  return recipient === ""
    ? { field: "recipient", message: "recipient must name the chat of the bot" }
    : undefined;
};

const findTopicIssue: FindTargetIssue = ({ address }) =>
  parseTopic(address) === undefined
    ? {
        field: "address",
        message: "address must end with the topic, as in https://ntfy.sh/my-topic",
      }
    : undefined;

const findCustomIssue: FindTargetIssue = (target) => {
  if (!findTargetHeaders(target))
    return {
      field: "headers",
      message: "headers must be lines such as X-Gotify-Key: secret, and none about the connection",
    };
  const issue = findNoticeTemplateIssue(target.template ?? "");
  return issue === undefined ? undefined : { field: "template", message: issue };
};

const targetIssues: Readonly<Record<DestinationKind, FindTargetIssue>> = {
  mail: findMailIssue,
  webhook: findUrlIssue,
  slack: findUrlIssue,
  discord: findUrlIssue,
  feishu: findUrlIssue,
  dingtalk: findUrlIssue,
  wecom: findUrlIssue,
  telegram: (target) => findUrlIssue(target) ?? findTelegramIssue(target),
  ntfy: (target) => findUrlIssue(target) ?? findTopicIssue(target),
  custom: (target) => findUrlIssue(target) ?? findCustomIssue(target),
};

/**
 * `findTargetIssue` gives what is wrong with a target. Whether an address may be called is the
 * egress's to say.
 */
export const findTargetIssue = (
  kind: DestinationKind,
  target: DestinationTarget,
): TargetIssue | undefined => targetIssues[kind](target);

/** Refuses a target that cannot be told or must not be called. */
export function checkTarget(
  kind: DestinationKind,
  target: DestinationTarget,
  addressIssue: (address: string) => string | undefined,
): void {
  const violation = kind === "mail" ? undefined : addressIssue(target.address);
  const issue =
    findTargetIssue(kind, target) ??
    (violation && { field: "address", message: `address ${violation}` });
  if (issue)
    throw refuse("invalid_request", {
      message: issue.message,
      fields: { [issue.field]: issue.message },
    });
}

/** The names of ntfy's topics: https://docs.ntfy.sh/publish/ */
const topicPattern = /^[\w-]{1,64}$/;

/**
 * The topic of an ntfy address and the server without it; undefined where the address ends with
 * none.
 */
export function parseTopic(address: string): { server: string; topic: string } | undefined {
  const url = new URL(address);
  const [topic = "", ...more] = url.pathname.split("/").filter(Boolean).reverse();
  if (!topicPattern.test(topic)) return undefined;
  return { server: [url.origin, ...more.reverse()].join("/"), topic };
}

const targetMembers = ["address", "secret", "recipient", "headers", "template"] as const;

/**
 * `checkSameTarget` gives what leads to the receiver never changes: notices that wait were meant
 * for it. A missing or empty member names what is.
 */
export function checkSameTarget(
  { kind }: { kind: DestinationKind },
  stored: DestinationTarget | undefined,
  given: { kind?: DestinationKind | undefined } & {
    [Member in (typeof targetMembers)[number]]?: string | undefined;
  },
): void {
  const isSame =
    (given.kind ?? kind) === kind &&
    targetMembers.every((one) => !given[one] || given[one] === stored?.[one]);
  if (isSame) return;
  const message = "The destination of this external_id has another receiver, which never changes";
  throw refuse("invalid_request", { message, fields: { address: message } });
}
