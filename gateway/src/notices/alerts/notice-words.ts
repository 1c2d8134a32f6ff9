/**
 * The sentences of a notice, in the reader's language, and the page of the console where something
 * can be done. Pure.
 */

import {
  type AlertSubjectKind,
  buildRhythm,
  isOwnRule,
  type OwnAlertRule,
} from "@tollgate/contract/notices/alert-rule-table.ts";
import type { NoticeTransition } from "@tollgate/contract/notices/destinations.ts";
import type { LanguageCode } from "@tollgate/contract/site/languages.ts";
import { chooseMailTexts, composeNoticeWords } from "../mail/mail-messages.ts";
import type { RootNotice } from "../mail/root-notice.ts";
import type { MailWords } from "../mail/texts/mail-texts.ts";
import type { NoticePayload } from "./notice-payload.ts";

export function composeAlertWords(
  language: LanguageCode,
  transition: NoticeTransition | "example",
  { alerts }: NoticePayload,
): MailWords {
  const texts = chooseMailTexts(language);
  const [first] = alerts;
  if (first === undefined || transition === "example") return texts.alertExample;
  if (transition === "digest") {
    const { subject, before } = texts.alertDigest({ count: alerts.length });
    return {
      subject,
      before: [
        ...before,
        ...alerts.map((alert) => `• ${composeNoticeWords(language, alert.facts).subject}`),
      ],
    };
  }
  const words = composeNoticeWords(language, first.facts);
  const remedy = texts.remedies[first.rule];
  // What is told long before its moment is told again in the same words, for they name the moment.
  const isLastCall = transition === "reminder" && buildRhythm(first.rule).remindsAfterDays > 1;
  if (transition === "firing" || isLastCall) return { ...words, before: [...words.before, remedy] };
  // A cause that tells of its end has words for it.
  if (transition === "resolved" && hasOwnEnd(first.facts)) return words;
  const around = {
    resolved: texts.alertResolved,
    reminder: texts.alertReminder,
    flapping: texts.alertFlapping,
  };
  const { subject, before } = around[transition](words);
  return {
    subject,
    before: [...before, ...(transition === "resolved" ? [] : [...words.before, remedy])],
  };
}

const hasOwnEnd = ({ kind }: RootNotice) =>
  kind === "channel_enabled" || kind === "key_expired" || kind === "management_key_expired";

/** `composeCodeWords` says where a user proves to read a destination. */
export const composeCodeWords = (language: LanguageCode, code: string): MailWords =>
  chooseMailTexts(language).destinationCode({ code });

/** Empty while the address of the server is not known. */
export function composeNoticeLink(siteAddress: string, { alerts }: NoticePayload): string {
  if (siteAddress === "") return "";
  const [first] = alerts;
  if (first !== undefined && isOwnRule(first.rule)) {
    const { kind } = first.subject;
    return siteAddress + (kind === "management_key" ? subjectPages[kind] : ownPages[first.rule]);
  }
  return (
    siteAddress +
    (first === undefined || alerts.length > 1 ? "/alerts" : subjectPages[first.subject.kind])
  );
}

const subjectPages: Readonly<Record<AlertSubjectKind, string>> = {
  channel: "/channels",
  model: "/channels",
  user: "/users",
  job: "/alerts",
  destination: "/alerts/destinations",
  budget: "/budgets",
  token: "/tokens?scope=all",
  management_key: "/settings/keys",
  team: "/teams",
  site: "/alerts",
};

/** `ownPages` are what users see of what is theirs. */
const ownPages: Readonly<Record<OwnAlertRule, string>> = {
  "wallet.low": "/topup",
  "key.expiring": "/tokens",
  "own_budget.reached": "/tokens",
  "own_model.retiring": "/tokens",
};
