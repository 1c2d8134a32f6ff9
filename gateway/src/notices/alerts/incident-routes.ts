/** The route by which administrators see what happened in a span of time. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import {
  getIncident,
  type IncidentEvent,
  incidentSpanMaxMs,
} from "@tollgate/contract/notices/incidents.ts";
import type { LanguageCode } from "@tollgate/contract/site/languages.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { hasScope } from "../../http/management-key-access.ts";
import { refuse } from "../../http/refusal.ts";
import { changeNames } from "../../site/audit-trail/changed-names.ts";
import type { Database } from "../../storage/database.ts";
import { readTimeSpan, type TimeSpan } from "../../storage/log-time.ts";
import { composeNoticeWords, mailLanguage } from "../mail/mail-messages.ts";
import type { RootNotice } from "../mail/root-notice.ts";
import { buildIncident, inOrder, listChannelEvents } from "./incident-rules.ts";
import type { IncidentStore } from "./incident-store.ts";

/** `findRecordedName` gives a thing that is gone the name that its entry recorded, if it did. */
function findRecordedName(change: string): string | undefined {
  const { name, username }: Record<string, unknown> = JSON.parse(change);
  if (typeof username === "string" && username !== "") return username;
  return typeof name === "string" && name !== "" ? name : undefined;
}

export function buildIncidentRoutes(db: Database, store: IncidentStore): ApiRoute[] {
  async function alertEvents(span: TimeSpan, language: LanguageCode): Promise<IncidentEvent[]> {
    const within = (at: number | null): at is number =>
      at !== null && at >= span.from && at < span.to;
    return (await store.alerts(span)).flatMap(({ since, resolved_at, facts }) => {
      const subject = composeNoticeWords(language, JSON.parse(facts) as RootNotice).subject;
      const line = { subject, action: "", actor: "" };
      return [
        ...(within(since) ? [{ ...line, at: since, kind: "alert_began" } as const] : []),
        ...(within(resolved_at)
          ? [{ ...line, at: resolved_at, kind: "alert_ended" } as const]
          : []),
      ];
    });
  }

  async function changeEvents(span: TimeSpan): Promise<IncidentEvent[]> {
    const changes = await store.changes(span);
    const names = await changeNames(db, changes);
    return changes.map(({ at, action, actor, target, change }) => ({
      at,
      kind: "change",
      subject: names.get(target) ?? findRecordedName(change) ?? target,
      action,
      actor,
    }));
  }

  return [
    apiRoute(getIncident, async ({ query, principal }) => {
      const span = readTimeSpan(query);
      if (span.to <= span.from || span.to - span.from > incidentSpanMaxMs) {
        const message = "end_timestamp must be after start_timestamp, by a day at most";
        throw refuse("invalid_request", { message, fields: { end_timestamp: message } });
      }
      const [{ calls, readFrom }, alerts, changes] = await Promise.all([
        store.calls(span),
        alertEvents(span, mailLanguage(query.language ?? "")),
        // The record of changes is root's.
        principal.role === roles.root && hasScope(principal, "audit:read")
          ? changeEvents(span)
          : [],
      ]);
      const told = buildIncident(calls);
      const events = inOrder([...alerts, ...changes, ...listChannelEvents(told.channels)]);
      return { from: span.from, to: span.to, read_from: readFrom, ...told, events };
    }),
  ];
}
