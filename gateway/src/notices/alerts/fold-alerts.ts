/**
 * Turns events and the time into alerts and notices. One transaction removes the events, changes
 * the alerts and adds the notices: a crash loses none of them, and of several nodes one does it.
 */

import type { AlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import {
  type AlertSubjectKind,
  alertRules,
  buildRhythm,
  buildSeverity,
  isAlertRule,
  severities,
} from "@tollgate/contract/notices/alert-rule-table.ts";
import type { NoticeTransition } from "@tollgate/contract/notices/destinations.ts";
import { type Database, tryWrite, type Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { AlertRow, AlertStore } from "./alert-store.ts";
import {
  type DestinationRow,
  type DestinationStore,
  type NoticeHome,
  parseRules,
} from "./destination-store.ts";
import {
  type AlertMemory,
  type AlertStep,
  applyEvent,
  applyTime,
  endBySwitch,
} from "./next-alert.ts";
import { buildNoticedAlert, type NamedAlert } from "./notice-payload.ts";

/** `eventsMax` is at once; the others follow in the next round. */
const eventsMax = 500;
/** `roundsMax` is that of one run: after a storm the rest follows in the next run. */
const roundsMax = 10;

export interface FoldAlertsDeps {
  db: Database;
  alerts: AlertStore;
  destinations: DestinationStore;
  canMail(): boolean;
  rules: AlertRuleSettings;
}

/** An alert on its way through the events of one round. */
interface Folded {
  name: NamedAlert;
  row: AlertRow | undefined;
  uuid: string;
  memory: AlertMemory | undefined;
  /** The notices that are due, each as of its moment. */
  steps: { transition: NoticeTransition; memory: AlertMemory }[];
}

export async function foldAlerts(deps: FoldAlertsDeps, now: number): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) if (!(await foldRound(deps, now))) return;
}

/** `foldRound` says whether more events wait. */
async function foldRound(deps: FoldAlertsDeps, now: number): Promise<boolean> {
  const { db, alerts, rules } = deps;
  const events = await alerts.events(eventsMax);
  const subjects = [...new Set(events.map(({ subject_id }) => subject_id))];
  const rows = [
    ...(subjects.length === 0 ? [] : await alerts.ofSubjects(subjects)),
    ...(await alerts.open(alertRules.filter((rule) => !rules[rule].enabled))),
  ];
  const folded = new Map<string, Folded>(
    rows.map((row) => [
      composeKey(row),
      { name: row, row, uuid: row.uuid, memory: row, steps: [] },
    ]),
  );
  for (const event of events) {
    const { rule, subject_id, subject_name, user_id, at } = event;
    if (!isAlertRule(rule) || !rules[rule].enabled) continue;
    const name = {
      rule,
      subject_kind: event.subject_kind as AlertSubjectKind,
      subject_id,
      subject_name,
      user_id,
    };
    const key = composeKey(name);
    const known = folded.get(key) ?? {
      name,
      row: undefined,
      uuid: readUuid7(now),
      memory: undefined,
      steps: [],
    };
    known.name = name;
    folded.set(key, known);
    take(known, applyEvent(known.memory, event));
    if (known.memory) take(known, applyTime(known.memory, at, buildRhythm(rule)));
  }
  for (const one of folded.values()) {
    const { rule } = one.name;
    if (one.memory)
      take(
        one,
        rules[rule].enabled
          ? applyTime(one.memory, now, buildRhythm(rule))
          : endBySwitch(one.memory, now),
      );
  }

  const changed = [...folded.values()].filter(
    ({ memory, row }) => memory !== undefined && memory !== row,
  );
  if (events.length === 0 && changed.length === 0) return false;
  const batch: Write[] =
    events.length === 0 ? [] : [alerts.removeEvents(events.map(({ id }) => id))];
  const all = await listReachable(deps, changed);
  const told = await readTold(alerts, changed);
  for (const { name, row, uuid, memory, steps } of changed) {
    if (!memory) continue;
    const columns = { ...buildMemoryColumns(memory), subject_name: name.subject_name };
    batch.push(
      row
        ? alerts.update(row, columns)
        : alerts.insert({ uuid, ...nameColumns(name), ...columns, version: 0 }),
    );
    const toldOf = told.get(row?.id ?? 0) ?? new Set();
    for (const step of steps) {
      const payload = JSON.stringify({ alerts: [buildNoticedAlert(name, step.memory)] });
      for (const { id } of all.filter((one) => wants(one, name, step.transition, toldOf))) {
        toldOf.add(id);
        batch.push(
          alerts.addNotice(uuid, {
            id: db.mintId(),
            transition: step.transition,
            since: step.memory.since,
            destination_id: id,
            rule: name.rule,
            payload,
            state: "waiting",
            tries: 0,
            next_at: now,
            lease_until: 0,
            answer: "",
            created_at: now,
            ended_at: null,
          }),
        );
      }
    }
  }
  // A rejected batch is that of another node, or an administrator muted an alert: the next run
  // finds what is left.
  return (await tryWrite(db, batch)) === undefined && events.length === eventsMax;
}

const composeKey = ({ rule, subject_kind, subject_id }: NamedAlert) =>
  `${rule} ${subject_kind} ${subject_id}`;

function take(one: Folded, step: AlertStep | undefined): void {
  if (!step) return;
  one.memory = step.memory;
  if (step.transition) one.steps.push({ transition: step.transition, memory: step.memory });
}

const nameColumns = ({ rule, subject_kind, subject_id, user_id }: NamedAlert) => ({
  rule,
  subject_kind,
  subject_id,
  user_id,
});

const buildMemoryColumns = (memory: AlertMemory): AlertMemory => ({
  state: memory.state,
  since: memory.since,
  resolved_at: memory.resolved_at,
  seen_at: memory.seen_at,
  count: memory.count,
  facts: memory.facts,
  value: memory.value,
  threshold: memory.threshold,
  told_since: memory.told_since,
  is_reminded: memory.is_reminded,
  changes: memory.changes,
  changes_from: memory.changes_from,
  flapping_until: memory.flapping_until,
  muted_until: memory.muted_until,
});

/**
 * The destinations of those whom the alerts concern. Mail that cannot be sent is no notice: it
 * would only fail for hours.
 */
async function listReachable(
  { destinations, canMail }: Pick<FoldAlertsDeps, "destinations" | "canMail">,
  changed: readonly Folded[],
): Promise<DestinationRow[]> {
  const owners = [
    ...new Set(changed.flatMap(({ name, steps }) => (steps.length > 0 ? [name.user_id] : []))),
  ];
  if (owners.length === 0) return [];
  const [all, homes] = [await destinations.ofUsers(owners), await destinations.homesOf(owners)];
  return all.filter((one) => {
    const home = homes.get(one.user_id);
    const isListening =
      one.disabled === 0 && one.verified === 1 && (one.user_id === 0 || home !== undefined);
    return isListening && isReachable(one, { canMail: canMail(), home });
  });
}

export const isReachable = (
  { kind, target_sealed }: Pick<DestinationRow, "kind" | "target_sealed">,
  { canMail, home }: { canMail: boolean; home: NoticeHome | undefined },
): boolean => kind !== "mail" || (canMail && (target_sealed !== "" || (home?.email ?? "") !== ""));

async function readTold(
  alerts: AlertStore,
  changed: readonly Folded[],
): Promise<Map<number, Set<number>>> {
  const ids = changed.flatMap(({ row, steps }) => (row && steps.length > 0 ? [row.id] : []));
  const told = new Map<number, Set<number>>();
  for (const { alert_id, destination_id } of ids.length === 0
    ? []
    : await alerts.toldDestinations(ids)) {
    told.set(alert_id, (told.get(alert_id) ?? new Set()).add(destination_id));
  }
  return told;
}

/**
 * Destinations that heard of the beginning hear of the end. That one fails is told to the others.
 */
function wants(
  destination: DestinationRow,
  { rule, subject_id, user_id }: NamedAlert,
  transition: NoticeTransition,
  toldOf: ReadonlySet<number>,
): boolean {
  if (destination.user_id !== user_id) return false;
  if (rule === "notice.failing" && subject_id === String(destination.id)) return false;
  if (transition === "resolved") return toldOf.has(destination.id);
  const rules = parseRules(destination);
  if (rules.length > 0 && !rules.includes(rule)) return false;
  return severities.indexOf(buildSeverity(rule)) >= severities.indexOf(destination.severity);
}
