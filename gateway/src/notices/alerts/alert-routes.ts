/** Routes by which administrators see alerts and mute them. */
import { buildSeverity, isAlertRule } from "@tollgate/contract/notices/alert-rule-table.ts";
import {
  type Alert,
  countAlerts,
  listAlerts,
  muteAlert,
} from "@tollgate/contract/notices/alerts.ts";
import type { LanguageCode } from "@tollgate/contract/site/languages.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { Database } from "../../storage/database.ts";
import { chooseMailTexts, composeNoticeWords, mailLanguage } from "../mail/mail-messages.ts";
import type { RootNotice } from "../mail/root-notice.ts";
import type { AlertRow, AlertStore } from "./alert-store.ts";

const hourMs = 3_600_000;

export function buildAlertRoutes(db: Database, alerts: AlertStore): ApiRoute[] {
  return [
    apiRoute(listAlerts, async ({ query, now }) => {
      const { rows, ...total } = await alerts.page(query, now);
      return {
        data: rows.map((row) => viewAlert(row, now, mailLanguage(query.language ?? ""))),
        ...total,
      };
    }),
    apiRoute(countAlerts, async ({ now }) => {
      const rules = await alerts.firingRules(now);
      const critical = rules.filter(
        (rule) => isAlertRule(rule) && buildSeverity(rule) === "critical",
      );
      return { firing: rules.length, critical: critical.length };
    }),
    apiRoute(muteAlert, async (call) => {
      const { body, params, now } = call;
      const row = await alerts.find(params.id);
      if (!row) throw refuse("alert_not_found");
      const muted_until = body.hours === 0 ? 0 : now + body.hours * hourMs;
      const { rule, subject_kind, subject_id } = row;
      await db.write([
        alerts.update(row, { muted_until }),
        ...call.audit("alert.mute", row.uuid, {
          rule,
          subject_kind,
          subject_id,
          hours: body.hours,
        }),
      ]);
      return viewAlert({ ...row, muted_until }, now, "en");
    }),
  ];
}

function viewAlert(row: AlertRow, now: number, language: LanguageCode): Alert {
  const { subject, before } = composeNoticeWords(language, JSON.parse(row.facts) as RootNotice);
  return {
    id: row.id,
    uuid: row.uuid,
    rule: row.rule,
    severity: buildSeverity(row.rule),
    subject_kind: row.subject_kind,
    subject_id: row.subject_id,
    subject_name: row.subject_name,
    state: row.state,
    since: row.since,
    resolved_at: row.resolved_at,
    seen_at: row.seen_at,
    count: row.count,
    value: row.value,
    threshold: row.threshold,
    title: subject,
    text: before.join(" "),
    remedy: chooseMailTexts(language).remedies[row.rule],
    flapping: row.flapping_until > now,
    muted_until: row.muted_until > now ? row.muted_until : 0,
  };
}
