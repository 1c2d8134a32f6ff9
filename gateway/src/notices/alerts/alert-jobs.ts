/** Jobs of alerts by the clock: look for causes, fold events, send notices. */

import {
  type AlertRuleSettings,
  buildAlertRuleSettings,
} from "@tollgate/contract/notices/alert-rule-settings.ts";
import { formatQuotaText } from "../../money/quota-text.ts";
import { StorageUnavailable, tryWrite } from "../../storage/database.ts";
import type { DiskSpace } from "../../storage/disk-space.ts";
import { listAlertCauses } from "./alert-causes.ts";
import { planAlertEvent } from "./alert-events.ts";
import { type AlertPausesDeps, pauseSpiking } from "./alert-pauses.ts";
import type { AlertStore } from "./alert-store.ts";
import type { AlertWorldStore } from "./alert-world-store.ts";
import { type BackupState, backupCauses } from "./backup-causes.ts";
import { buildBooksCheck } from "./books-check.ts";
import { listClockCauses } from "./clock-causes.ts";
import { listDailyCauses } from "./daily-causes.ts";
import { type DailyCheck, runDailyCheck } from "./daily-check.ts";
import type { DailyFiguresStore } from "./daily-figures-store.ts";
import { type DeliverNoticesDeps, deliverDue } from "./deliver-notices.ts";
import type { DestinationStore } from "./destination-store.ts";
import { foldAlerts } from "./fold-alerts.ts";
import { ownAlertEvents } from "./own-alert-causes.ts";
import type { OwnAlertWorldStore } from "./own-alert-world-store.ts";
import { listSuspensionCauses } from "./suspension-causes.ts";
import type { SuspensionStore } from "./suspension-store.ts";
import { type BreakerState, listToldSuspensions } from "./suspensions.ts";
import { trailCheck } from "./trail-check.ts";
import { listUnusualCauses } from "./unusual-causes.ts";
import type { UnusualFiguresStore } from "./unusual-figures-store.ts";

const watchEveryMs = 15_000;
/** A database that restarts is back sooner. */
const refusedToldMs = 60_000;

export interface AlertJobs {
  /**
   * Looks for causes, where this node is the one that does, and folds what happened into alerts and
   * notices.
   */
  fold(): Promise<void>;
  /**
   * Begins to send what waits. A slow destination delays no other one, so nothing is waited for.
   */
  deliver(): Promise<void>;
  /** Checks the record of changes, where that is due and no other node does. */
  checkTrail(signal: AbortSignal): Promise<void>;
  /** `checkBooks` does the same for the books. */
  checkBooks(signal: AbortSignal): Promise<void>;
  purge(): Promise<void>;
  /** Resolves when no notice is being sent. */
  settled(): Promise<void>;
}

interface AlertJobsDeps extends DeliverNoticesDeps, AlertPausesDeps {
  alerts: AlertStore;
  worlds: AlertWorldStore;
  ownWorlds: OwnAlertWorldStore;
  unusual: UnusualFiguresStore;
  daily: DailyFiguresStore;
  /** `diskSpace` is about the database; undefined where that is another machine's. */
  diskSpace(): Promise<DiskSpace | undefined>;
  /** Undefined where the gateway does not learn of backups. */
  backups(): Promise<BackupState | undefined>;
  /** `idsAheadMs` is the time by which the newest id is ahead of the clock. */
  idsAheadMs(): number;
  /** Keeps the destination of the setting `MessagePusherAddress`. */
  syncMessagePusher(): Promise<void>;
  /** Breakers of this node that are not closed. */
  breakers(): readonly BreakerState[];
  suspensions: SuspensionStore;
  /**
   * `unpricedModels` gives those of these models that calls are charged for at the default price.
   */
  unpricedModels(called: readonly string[]): Promise<string[]>;
  destinations: DestinationStore;
  canMail(): boolean;
}

export function createAlertJobs(deps: AlertJobsDeps): AlertJobs {
  const { db, alerts, worlds, destinations, options, clock, onError } = deps;
  const running = new Map<number, Promise<void>>();
  const outage = watchOutages(deps);
  const tellSuspensions = createSuspensionTeller(deps);
  const rulesNow = () => buildAlertRuleSettings(options.text("AlertRules"));
  const runIfOn = async <Position>(check: DailyCheck<Position>, signal: AbortSignal) => {
    if (rulesNow()[check.rule].enabled) await runDailyCheck({ db, clock, signal }, check);
  };

  return {
    fold: () =>
      outage.around(async () => {
        const now = clock();
        const rules = rulesNow();
        await deps.syncMessagePusher();
        await tellSuspensions(rules, now);
        if (!(await tryWrite(db, [worlds.claim(now, watchEveryMs)]))) await watch(deps, rules, now);
        await foldAlerts({ ...deps, rules }, now);
      }),
    async deliver() {
      for (const destination of await destinations.withWaiting()) {
        if (running.has(destination.id)) continue;
        const sending = deliverDue(deps, destination)
          .catch(onError)
          .finally(() => running.delete(destination.id));
        running.set(destination.id, sending);
      }
    },
    checkTrail: (signal) => runIfOn(trailCheck(db), signal),
    checkBooks: (signal) => runIfOn(buildBooksCheck(db, clock), signal),
    async purge() {
      await db.write([...alerts.purge(clock()), ...destinations.purgeDeleted()]);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

/**
 * Tells how long the database took nothing, once it takes something again: before, nothing can be
 * kept or sent.
 */
function watchOutages({ db, clock }: Pick<AlertJobsDeps, "db" | "clock">) {
  let began: { at: number; message: string } | undefined;
  return {
    async around(work: () => Promise<void>): Promise<void> {
      try {
        await work();
      } catch (error) {
        if (error instanceof StorageUnavailable) began ??= { at: clock(), message: error.message };
        throw error;
      }
      if (began === undefined) return;
      const { at, message } = began;
      const ms = clock() - at;
      if (ms >= refusedToldMs) {
        const facts = {
          kind: "database_refused",
          minutes: Math.round(ms / 60_000),
          message,
        } as const;
        const subject = { kind: "site", id: "database", name: "database" } as const;
        const measure = { value: ms / 60_000, threshold: refusedToldMs / 60_000 };
        const event = {
          rule: "storage.trouble",
          subject,
          state: "firing",
          facts,
          measure,
        } as const;
        await db.write([planAlertEvent(db, event, clock())]);
      }
      began = undefined;
    },
  };
}

/**
 * Tells what this node has suspended, every 15 seconds while there is something, and once when
 * there is nothing any more.
 */
function createSuspensionTeller({
  db,
  suspensions,
  breakers,
}: Pick<AlertJobsDeps, "db" | "suspensions" | "breakers">) {
  let told = { at: Number.NEGATIVE_INFINITY, count: 0 };
  return async (rules: AlertRuleSettings, now: number): Promise<void> => {
    const isAsked = rules["channel.suspended"].enabled || rules["model.unserved"].enabled;
    if (!isAsked || Math.abs(now - told.at) < watchEveryMs) return;
    const all = listToldSuspensions(breakers(), now);
    if (all.length > 0 || told.count > 0) await db.write([suspensions.tell(all, now)]);
    told = { at: now, count: all.length };
  };
}

async function watch(deps: AlertJobsDeps, rules: AlertRuleSettings, now: number): Promise<void> {
  const { db, worlds, ownWorlds, unusual, daily, diskSpace, unpricedModels, options } = deps;
  const told = await deps.suspensions.told(now);
  const world = { ...(await worlds.world(now)), suspensions: told };
  const called = rules["price.missing"].enabled ? world.modelsCalledToday : [];
  const unpriced = called.length === 0 ? [] : await unpricedModels(called);
  const figures = { ...(await unusual.figures(rules, now)), disk: await diskSpace() };
  const byDay = await daily.figures(now);
  const terms = {
    rules,
    siteBalanceBelow: options.number("QuotaRemindThreshold"),
    // Log rows use a full-width currency sign.
    quotaText: (units: number) => formatQuotaText(units, options).normalize("NFKC"),
    now,
  };
  const events = [
    ...listAlertCauses(
      { ...world, unpricedModels: unpriced },
      [
        ...listUnusualCauses(figures, rules, now),
        ...listDailyCauses(byDay, rules),
        ...listSuspensionCauses(world.channels, told, now),
        ...listClockCauses(deps.idsAheadMs()),
        ...backupCauses(await deps.backups(), options.number("BackupIntervalHours"), now),
      ],
      rules,
      now,
    ),
    ...ownAlertEvents({ ...(await ownWorlds.world(now)), endingUses: byDay.endingUses }, terms),
  ];
  const left = await pauseSpiking(deps, events, rules, now);
  if (left.length > 0) await db.write(left.map((event) => planAlertEvent(db, event, now)));
}
