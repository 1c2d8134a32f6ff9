/** Alerts and their notices: the routes, and what runs by the clock. */

import { type AlertJobs, createAlertJobs } from "./alerts/alert-jobs.ts";
import { alertRoutes } from "./alerts/alert-routes.ts";
import { alertStore } from "./alerts/alert-store.ts";
import { alertWorldStore } from "./alerts/alert-world-store.ts";
import type { BackupState } from "./alerts/backup-causes.ts";
import { type DailyFigureSources, dailyFiguresStore } from "./alerts/daily-figures-store.ts";
import { destinationRoutes } from "./alerts/destination-routes.ts";
import { destinationStore } from "./alerts/destination-store.ts";
import { incidentRoutes } from "./alerts/incident-routes.ts";
import { incidentStore } from "./alerts/incident-store.ts";
import { createMessagePusher } from "./alerts/message-pusher.ts";
import { noticeStore } from "./alerts/notice-store.ts";
import { ownAlertWorldStore } from "./alerts/own-alert-world-store.ts";
import { ownDestinationRoutes } from "./alerts/own-destination-routes.ts";
import { createSendNotice } from "./alerts/send-notice.ts";
import { suspensionStore } from "./alerts/suspension-store.ts";
import type { BreakerState } from "./alerts/suspensions.ts";
import { unusualFiguresStore } from "./alerts/unusual-figures-store.ts";
import type { Egress } from "./egress/egress.ts";
import type { ApiRoute } from "./http/api-route.ts";
import type { Counters } from "./limits/counters.ts";
import { logStore } from "./logs/log-store.ts";
import type { MailCodeStore } from "./mail/mail-code-store.ts";
import type { Mailer } from "./mail/mailer.ts";
import type { Sealer } from "./secrets/seal.ts";
import type { OptionReader } from "./settings/live-options.ts";
import type { Database } from "./storage/database.ts";
import type { DiskSpace } from "./storage/disk-space.ts";
import type { GatewayMetrics } from "./telemetry/gateway-metrics.ts";

export interface OpenAlertsDeps extends DailyFigureSources {
  db: Database;
  options: OptionReader;
  seal: Sealer;
  mailer: Mailer;
  metrics: Pick<GatewayMetrics, "notices">;
  /** To receivers of notices. */
  noticeEgress: Egress;
  codes: MailCodeStore;
  counters: Counters;
  publicUrl: string | undefined;
  /** Of the database; undefined where that is another machine's. */
  diskSpace(): Promise<DiskSpace | undefined>;
  /** Undefined where the gateway does not learn of backups. */
  backups(): Promise<BackupState | undefined>;
  /** By how much the newest id is ahead of the clock. */
  idsAheadMs(): number;
  /** Breakers of this node that are not closed. */
  breakers(): readonly BreakerState[];
  /** Of these models, those that calls are charged for at the default price. */
  unpricedModels(called: readonly string[]): Promise<string[]>;
  clock(): number;
  onError(error: unknown): void;
}

export interface Alerts {
  routes: ApiRoute[];
  jobs: AlertJobs;
  /** Stops sending notices; resolves when none is on its way. */
  close(): Promise<void>;
}

export function openAlerts(deps: OpenAlertsDeps): Alerts {
  const {
    db,
    options,
    seal,
    mailer,
    metrics,
    noticeEgress: egress,
    codes,
    counters,
    publicUrl,
    diskSpace,
    backups,
    idsAheadMs,
    breakers,
    unpricedModels,
    clock,
    onError,
  } = deps;
  const alerts = alertStore(db);
  const destinations = destinationStore(db);
  const notices = noticeStore(db);
  const closing = new AbortController();
  const { signal } = closing;
  const canMail = () => mailer.isConfigured();
  const send = createSendNotice({ egress, mailer, seal, options, publicUrl, destinations, clock, signal });
  const routeDeps = { db, destinations, notices, seal, addressIssue: egress.violation, send, canMail };
  const jobs = createAlertJobs({
    db,
    alerts,
    worlds: alertWorldStore(db),
    ownWorlds: ownAlertWorldStore(db),
    unusual: unusualFiguresStore(db),
    daily: dailyFiguresStore(db, deps),
    diskSpace,
    backups,
    idsAheadMs,
    syncMessagePusher: createMessagePusher({ db, destinations, options, seal, clock }),
    breakers,
    suspensions: suspensionStore(db),
    unpricedModels,
    options,
    mailer,
    metrics,
    publicUrl,
    destinations,
    notices,
    send,
    canMail,
    random: Math.random,
    clock,
    signal,
    onError,
  });
  return {
    routes: [
      ...alertRoutes(db, alerts),
      ...incidentRoutes(db, incidentStore(db, logStore(db))),
      ...destinationRoutes(routeDeps),
      ...ownDestinationRoutes({ ...routeDeps, codes, counters, options }),
    ],
    jobs,
    async close() {
      closing.abort();
      await jobs.settled();
    },
  };
}
