/** Alerts and their notices: the routes, and what runs by the clock. */

import type { Egress } from "../egress/egress.ts";
import { logStore } from "../figures/logs/log-store.ts";
import type { ApiRoute } from "../http/api-route.ts";
import type { Counters } from "../limits/counters.ts";
import { type AlertJobs, createAlertJobs } from "../notices/alerts/alert-jobs.ts";
import { buildAlertRoutes } from "../notices/alerts/alert-routes.ts";
import { createAlertStore } from "../notices/alerts/alert-store.ts";
import { createAlertWorldStore } from "../notices/alerts/alert-world-store.ts";
import type { BackupState } from "../notices/alerts/backup-causes.ts";
import {
  createDailyFiguresStore,
  type DailyFigureSources,
} from "../notices/alerts/daily-figures-store.ts";
import { buildDestinationRoutes } from "../notices/alerts/destination-routes.ts";
import { createDestinationStore } from "../notices/alerts/destination-store.ts";
import { buildIncidentRoutes } from "../notices/alerts/incident-routes.ts";
import { createIncidentStore } from "../notices/alerts/incident-store.ts";
import { createMessagePusher } from "../notices/alerts/message-pusher.ts";
import { createNoticeStore } from "../notices/alerts/notice-store.ts";
import { ownAlertWorldStore } from "../notices/alerts/own-alert-world-store.ts";
import { ownDestinationRoutes } from "../notices/alerts/own-destination-routes.ts";
import { createSendNotice } from "../notices/alerts/send-notice.ts";
import { createSuspensionStore } from "../notices/alerts/suspension-store.ts";
import type { BreakerState } from "../notices/alerts/suspensions.ts";
import { createUnusualFiguresStore } from "../notices/alerts/unusual-figures-store.ts";
import type { MailCodeStore } from "../notices/mail/mail-code-store.ts";
import type { Mailer } from "../notices/mail/mailer.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";
import type { DiskSpace } from "../storage/disk-space.ts";
import type { GatewayMetrics } from "../telemetry/gateway-metrics.ts";

export interface OpenAlertsDeps extends DailyFigureSources {
  db: Database;
  options: OptionReader;
  seal: Sealer;
  mailer: Mailer;
  metrics: Pick<GatewayMetrics, "notices">;
  /** `noticeEgress` leads to receivers of notices. */
  noticeEgress: Egress;
  codes: MailCodeStore;
  counters: Counters;
  publicUrl: string | undefined;
  /** `diskSpace` is about the database; undefined where that is another machine's. */
  diskSpace(): Promise<DiskSpace | undefined>;
  /** Undefined where the gateway does not learn of backups. */
  backups(): Promise<BackupState | undefined>;
  /** `idsAheadMs` is the time by which the newest id is ahead of the clock. */
  idsAheadMs(): number;
  /** Breakers of this node that are not closed. */
  breakers(): readonly BreakerState[];
  /**
   * `unpricedModels` gives those of these models that calls are charged for at the default price.
   */
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
  const alerts = createAlertStore(db);
  const destinations = createDestinationStore(db);
  const notices = createNoticeStore(db);
  const closing = new AbortController();
  const { signal } = closing;
  const canMail = () => mailer.isConfigured();
  const send = createSendNotice({
    egress,
    mailer,
    seal,
    options,
    publicUrl,
    destinations,
    clock,
    signal,
  });
  const routeDeps = {
    db,
    destinations,
    notices,
    seal,
    addressIssue: egress.violation,
    send,
    canMail,
  };
  const jobs = createAlertJobs({
    db,
    alerts,
    worlds: createAlertWorldStore(db),
    ownWorlds: ownAlertWorldStore(db),
    unusual: createUnusualFiguresStore(db),
    daily: createDailyFiguresStore(db, deps),
    diskSpace,
    backups,
    idsAheadMs,
    syncMessagePusher: createMessagePusher({ db, destinations, options, seal, clock }),
    breakers,
    suspensions: createSuspensionStore(db),
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
      ...buildAlertRoutes(db, alerts),
      ...buildIncidentRoutes(db, createIncidentStore(db, logStore(db))),
      ...buildDestinationRoutes(routeDeps),
      ...ownDestinationRoutes({ ...routeDeps, codes, counters, options }),
    ],
    jobs,
    async close() {
      closing.abort();
      await jobs.settled();
    },
  };
}
