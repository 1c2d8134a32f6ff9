/** An incident as tables of plain text, which the page, its print and the copied Markdown share. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Incident, IncidentEvent } from "@tollgate/contract/notices/incidents.ts";
import { changeSentence } from "../../components/changes/change-words.ts";
import { findFailureWords } from "../../components/failures/failure-words.ts";
import { outcomeLabels } from "../../components/failures/outcome-labels.ts";
import { formatInteger, missing } from "../../ui/format.ts";
import { formatStatusesText, spanText, timeText } from "./incident-texts.ts";

type Translate = (words: MessageDescriptor) => string;

export type IncidentSection = {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** `usernames` says which of the rows' users they are about; the page links to their calls. */
  usernames?: readonly string[];
};

export function listIncidentSections(incident: Incident, t: Translate): IncidentSection[] {
  const { events, channels, users, failures } = incident;
  return [
    {
      title: t(msg`Timeline`),
      columns: [t(msg`Time`), t(msg`What happened`)],
      rows: events.map((event) => [timeText(event.at), formatEventText(event, t)]),
    },
    {
      title: t(msg`Channels`),
      columns: [
        t(msg`Channel`),
        t(msg`Failed attempts`),
        t(msg`Statuses`),
        t(msg`Failing`),
        t(msg`Suspended`),
        t(msg`Last error`),
      ],
      rows: channels.map((channel) => [
        channel.channel_name,
        formatInteger(channel.failed_attempts),
        formatStatusesText(channel),
        spanText(channel.first_failed_at, channel.last_failed_at),
        spanText(channel.first_suspended_at, channel.last_suspended_at),
        formatFailureText(channel.last_error, t) || missing,
      ]),
    },
    {
      title: t(msg`Affected users`),
      columns: [t(msg`User`), t(msg`Failed`), t(msg`Rescued`)],
      rows: users.map(({ username, failed, rescued }) => [
        username,
        formatInteger(failed),
        formatInteger(rescued),
      ]),
      usernames: users.map(({ username }) => username),
    },
    {
      title: t(msg`What failed`),
      columns: [t(msg`Model`), t(msg`Reason`), t(msg`Calls`)],
      rows: failures.map(({ model, outcome, reason, calls }) => [
        model,
        formatEndingText(outcome, reason, t),
        formatInteger(calls),
      ]),
    },
  ];
}

function formatEventText({ kind, subject, action, actor }: IncidentEvent, t: Translate): string {
  switch (kind) {
    case "alert_began":
      return t(msg`Alert: ${subject}`);
    case "alert_ended":
      return t(msg`Alert over: ${subject}`);
    case "channel_failing":
      return t(msg`Channel ${subject} begins to fail`);
    case "channel_suspended":
      return t(msg`Channel ${subject} is suspended`);
    case "channel_quiet":
      return t(msg`${subject}: last error`);
    default: {
      const sentence = changeSentence({
        action,
        target: subject,
        target_name: subject,
        change: "",
      });
      const change = sentence ? t(sentence) : subject === "" ? action : `${action} (${subject})`;
      return actor === "" ? t(msg`The gateway itself: ${change}`) : t(msg`${actor}: ${change}`);
    }
  }
}

/**
 * `formatFailureText` uses words where the gateway knows the failure, with those of the provider or
 * the network.
 */
function formatFailureText(reason: string, t: Translate): string {
  const words = findFailureWords(reason);
  return words === undefined ? reason : `${t(words.what)} (${reason})`;
}

/** `formatEndingText` says how the calls ended, unless that is told by why they did. */
function formatEndingText(outcome: string, reason: string, t: Translate): string {
  const ending = outcome === "failed" ? undefined : outcomeLabels[outcome]?.label;
  const parts = [
    ...(ending === undefined ? [] : [t(ending)]),
    ...(reason === "" ? [] : [formatFailureText(reason, t)]),
  ];
  return parts.join(": ") || outcome;
}
