/**
 * Alerts that pause the API key that they are about. The pause, its entry in the record of changes
 * and the event that begins the alert are one batch, whose guard is the change of the key: a key is
 * paused once, whatever stops or runs at the same moment.
 */

import { type PauseOrigin, tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { AlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { sql as raw } from "kysely";
import type { OptionReader } from "../../settings/live-options.ts";
import { type Database, tryWrite, type Write } from "../../storage/database.ts";
import { isLastingKey } from "../../storage/lasting-keys.ts";
import { composeKeyPausedBySpikeMail, mailLanguage } from "../mail/mail-messages.ts";
import { readMailSite } from "../mail/mail-outbox.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { RootNotice } from "../mail/root-notice.ts";
import { type AlertEvent, planAlertEvent } from "./alert-events.ts";

export interface AlertPausesDeps {
  db: Database;
  options: OptionReader;
  mailer: Mailer;
  publicUrl: string | undefined;
}

type SpikeEvent = AlertEvent & { facts: Extract<RootNotice, { kind: "spend_spiking" }> };

/**
 * Pauses what the events are about where root wants that. Returns the events that are still to be
 * written.
 */
export async function pauseSpiking(
  deps: AlertPausesDeps,
  events: readonly AlertEvent[],
  rules: AlertRuleSettings,
  now: number,
): Promise<AlertEvent[]> {
  const left: AlertEvent[] = [];
  for (const event of events)
    if (!isPausing(event, rules) || !(await pauseKey(deps, event, now))) left.push(event);
  return left;
}

const isPausing = (event: AlertEvent, rules: AlertRuleSettings): event is SpikeEvent =>
  event.state === "firing" && event.facts?.kind === "spend_spiking" && rules[event.rule].pauses;

/**
 * False where the key cannot be paused, as its owner or an administrator disabled or paused it
 * before.
 */
async function pauseKey(deps: AlertPausesDeps, event: SpikeEvent, now: number): Promise<boolean> {
  const { db, mailer } = deps;
  const tokenId = Number(event.subject.id);
  const token = await readPausedToken(db, tokenId);
  if (!token) return false;
  const facts = { ...event.facts, isPaused: true } as const;
  const batch = [
    ...planPauses(db, { id: tokenId, ...token }, event, now),
    planAlertEvent(db, { ...event, facts }, now),
  ];
  if (await tryWrite(db, batch, { changes: ["tokens"] })) return false;
  if (token.email !== "" && mailer.isConfigured()) {
    const reader = { to: token.email, language: mailLanguage(token.language) };
    mailer.enqueue("key paused", async () =>
      composeKeyPausedBySpikeMail(reader, readMailSite(deps), facts),
    );
  }
  return true;
}

async function readPausedToken({ sql, read }: Pick<Database, "sql" | "read">, id: number) {
  const [token] = await read(
    sql
      .selectFrom("tokens")
      .innerJoin("users", "users.id", "tokens.user_id")
      .select(["tokens.uuid", "tokens.name", "users.email", "users.language"])
      .where("tokens.id", "=", id),
  );
  return token;
}

function planPauses(
  { sql, audit }: Pick<Database, "sql" | "audit">,
  token: { id: number; uuid: string; name: string },
  { rule, facts }: SpikeEvent,
  now: number,
): Write[] {
  const guard = sql
    .updateTable("tokens")
    .set({
      status: tokenStatus.paused,
      paused_by: "alert" satisfies PauseOrigin,
      paused_by_name: rule,
      pause_reason: "",
      paused_at: now,
      updated_at: raw<number>`case when updated_at < ${now} then ${now} else updated_at + 1 end`,
    })
    .where("id", "=", token.id)
    .where(isLastingKey())
    .where("status", "in", [tokenStatus.enabled, tokenStatus.exhausted]);
  const entry = {
    ...{ at: now, actorId: 0, address: "", target: token.uuid },
    action: "alert.pause_key" satisfies AuditAction,
    change: { name: token.name, rule, spent: facts.spent, usual: facts.usual },
  };
  return [{ query: guard, rows: 1 }, ...audit(entry)];
}
