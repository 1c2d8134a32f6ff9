/** Words for alerts, destinations and deliveries. Those of a newer server keep their own names. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Severity } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { AlertFilter } from "@tollgate/contract/notices/alerts.ts";
import type {
  DestinationKind,
  Notice,
  NoticeTransition,
} from "@tollgate/contract/notices/destinations.ts";

export const alertFilterLabels: Record<Exclude<AlertFilter, "">, MessageDescriptor> = {
  firing: msg`Firing`,
  muted: msg`Muted`,
  resolved: msg`Resolved`,
};

/** The least severity that a destination is told. */
export const leastSeverityLabels: Record<Severity, MessageDescriptor> = {
  info: msg`Everything`,
  warning: msg`Warnings and critical alerts`,
  critical: msg`Critical alerts only`,
};

export const destinationKindLabels: Record<DestinationKind, MessageDescriptor> = {
  mail: msg`Mail`,
  webhook: msg`Webhook`,
  slack: { id: "Slack" },
  discord: { id: "Discord" },
  feishu: { id: "Feishu · Lark" },
  dingtalk: { id: "DingTalk" },
  wecom: { id: "WeCom" },
  telegram: { id: "Telegram" },
  ntfy: { id: "ntfy" },
  custom: msg`Bark, Gotify and others (JSON)`,
};

export const noticeStateLabels: Record<Notice["state"], MessageDescriptor> = {
  waiting: msg`Waiting`,
  sent: msg`Sent`,
  failed: msg`Failed`,
  merged: msg`Part of a list`,
};

export const transitionLabels: Record<NoticeTransition, MessageDescriptor> = {
  firing: msg`Begun`,
  resolved: msg`Ended`,
  reminder: msg`Reminder`,
  flapping: msg`Unsteady`,
  digest: msg`Several at once`,
};

/**
 * `ownAnswers` are what the gateway itself says of a try that got no answer; every other answer is
 * the receiver's own.
 */
const ownAnswers: Readonly<Record<string, MessageDescriptor>> = {
  "the super administrator has no mail address": msg`The super administrator has no mail address.`,
  "the account has no mail address": msg`Your account has no mail address.`,
  "the destination has no address": msg`The destination has no address.`,
  "the address is private": msg`The address is private. Name its host in NOTICE_PRIVATE_HOSTS if notices may go there.`,
  "no answer in time": msg`No answer came within 15 seconds.`,
  "the receiver could not be reached": msg`The receiver could not be reached.`,
  ECONNREFUSED: msg`The receiver does not accept connections.`,
  ENOTFOUND: msg`No host has this name.`,
};

export const ownAnswer = (answer: string): MessageDescriptor | undefined =>
  Object.hasOwn(ownAnswers, answer) ? ownAnswers[answer] : undefined;
