/** What alerts do by the clock: look for causes, fold events, send notices. */
import { type Database, tryWrite } from "../storage/database.ts";
import { alertCauses } from "./alert-causes.ts";
import { alertEvent } from "./alert-events.ts";
import type { AlertStore } from "./alert-store.ts";
import type { AlertWorldStore } from "./alert-world-store.ts";
import { type DeliverNoticesDeps, deliverTo } from "./deliver-notices.ts";
import type { DestinationStore } from "./destination-store.ts";
import { foldAlerts } from "./fold-alerts.ts";

const watchEveryMs = 15_000;

export interface AlertJobs {
  /** Looks for causes, where this node is the one that does, and folds what happened into alerts and notices. */
  fold(): Promise<void>;
  /** Begins to send what waits. A slow destination delays no other one, so nothing is waited for. */
  deliver(): Promise<void>;
  purge(): Promise<void>;
  /** Resolves when no notice is being sent. */
  settled(): Promise<void>;
}

interface AlertJobsDeps extends DeliverNoticesDeps {
  alerts: AlertStore;
  worlds: AlertWorldStore;
  destinations: DestinationStore;
  canMail(): boolean;
}

export function createAlertJobs(deps: AlertJobsDeps): AlertJobs {
  const { db, alerts, worlds, destinations, clock, onError } = deps;
  const running = new Map<number, Promise<void>>();

  return {
    async fold() {
      const now = clock();
      if (!(await tryWrite(db, [worlds.claim(now, watchEveryMs)]))) await watch(db, worlds, now);
      await foldAlerts(deps, now);
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
    async purge() {
      await db.write(alerts.purge(clock()));
    },
    async settled() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}

async function watch(db: Database, worlds: AlertWorldStore, now: number): Promise<void> {
  const events = alertCauses(await worlds.world(now), now);
  if (events.length > 0) await db.write(events.map((event) => alertEvent(db, event, now)));
}
