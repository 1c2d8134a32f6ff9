/** What alerts do by the clock: look for causes, fold events, send notices. */

import { type AlertRuleSettings, alertRuleSettings } from "@tollgate/contract/alert-rule-settings.ts";
import { quotaText } from "../money/quota-text.ts";
import type { OptionReader } from "../settings/live-options.ts";
import { tryWrite } from "../storage/database.ts";
import type { DiskSpace } from "../storage/disk-space.ts";
import { alertCauses } from "./alert-causes.ts";
import { alertEvent } from "./alert-events.ts";
import type { AlertStore } from "./alert-store.ts";
import type { AlertWorldStore } from "./alert-world-store.ts";
import { booksCheck } from "./books-check.ts";
import { dailyCauses } from "./daily-causes.ts";
import { type DailyCheck, runDailyCheck } from "./daily-check.ts";
import type { DailyFiguresStore } from "./daily-figures-store.ts";
import { type DeliverNoticesDeps, deliverTo } from "./deliver-notices.ts";
import type { DestinationStore } from "./destination-store.ts";
import { foldAlerts } from "./fold-alerts.ts";
import { ownAlertEvents } from "./own-alert-causes.ts";
import type { OwnAlertWorldStore } from "./own-alert-world-store.ts";
import { trailCheck } from "./trail-check.ts";
import { unusualCauses } from "./unusual-causes.ts";
import type { UnusualFiguresStore } from "./unusual-figures-store.ts";

const watchEveryMs = 15_000;

export interface AlertJobs {
  /** Looks for causes, where this node is the one that does, and folds what happened into alerts and notices. */
  fold(): Promise<void>;
  /** Begins to send what waits. A slow destination delays no other one, so nothing is waited for. */
  deliver(): Promise<void>;
  /** Checks the record of changes, where that is due and no other node does. */
  checkTrail(signal: AbortSignal): Promise<void>;
  /** The same for the books. */
  checkBooks(signal: AbortSignal): Promise<void>;
  purge(): Promise<void>;
  /** Resolves when no notice is being sent. */
  settled(): Promise<void>;
}

interface AlertJobsDeps extends DeliverNoticesDeps {
  alerts: AlertStore;
  worlds: AlertWorldStore;
  ownWorlds: OwnAlertWorldStore;
  unusual: UnusualFiguresStore;
  daily: DailyFiguresStore;
  /** Of the database; undefined where that is another machine's. */
  diskSpace(): Promise<DiskSpace | undefined>;
  /** Of these models, those that calls are charged for at the default price. */
  unpricedModels(called: readonly string[]): Promise<string[]>;
  destinations: DestinationStore;
  canMail(): boolean;
  options: OptionReader;
}

export function createAlertJobs(deps: AlertJobsDeps): AlertJobs {
  const { db, alerts, worlds, destinations, options, clock, onError } = deps;
  const running = new Map<number, Promise<void>>();
  const rulesNow = () => alertRuleSettings(options.text("AlertRules"));
  const runIfOn = async <Position>(check: DailyCheck<Position>, signal: AbortSignal) => {
    if (rulesNow()[check.rule].enabled) await runDailyCheck({ db, clock, signal }, check);
  };

  return {
    async fold() {
      const now = clock();
      const rules = rulesNow();
      if (!(await tryWrite(db, [worlds.claim(now, watchEveryMs)]))) await watch(deps, rules, now);
      await foldAlerts({ ...deps, rules }, now);
    },
    async deliver() {
      for (const destination of await destinations.withWaiting()) {
        if (running.has(destination.id)) continue;
        const sending = deliverTo(deps, destination)
          .catch(onError)
          .finally(() => running.delete(destination.id));
        running.set(destination.id, sending);
      }
    },
    checkTrail: (signal) => runIfOn(trailCheck(db), signal),
    checkBooks: (signal) => runIfOn(booksCheck(db, clock), signal),
    async purge() {
      await db.write([...alerts.purge(clock()), ...destinations.purgeDeleted()]);
    },
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

async function watch(deps: AlertJobsDeps, rules: AlertRuleSettings, now: number): Promise<void> {
  const { db, worlds, ownWorlds, unusual, daily, diskSpace, unpricedModels, options } = deps;
  const world = await worlds.world(now);
  const called = rules["price.missing"].enabled ? world.modelsCalledToday : [];
  const unpriced = called.length === 0 ? [] : await unpricedModels(called);
  const figures = { ...(await unusual.figures(rules, now)), disk: await diskSpace() };
  const byDay = await daily.figures(now);
  const terms = {
    rules,
    siteBalanceBelow: options.number("QuotaRemindThreshold"),
    // Log rows use a full-width currency sign.
    quotaText: (units: number) => quotaText(units, options).normalize("NFKC"),
    now,
  };
  const events = [
    ...alertCauses(
      { ...world, unpricedModels: unpriced },
      [...unusualCauses(figures, rules, now), ...dailyCauses(byDay, rules)],
      rules,
      now,
    ),
    ...ownAlertEvents({ ...(await ownWorlds.world(now)), endingUses: byDay.endingUses }, terms),
  ];
  if (events.length > 0) await db.write(events.map((event) => alertEvent(db, event, now)));
}
