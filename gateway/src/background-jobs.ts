/** Starts what the gateway does by the clock. */
import type { ChannelJobs } from "./channels/channel-background-jobs.ts";
import type { Config } from "./config.ts";
import type { CostReportReader } from "./cost-reports/read-cost-report.ts";
import { sessionStore } from "./identity/sessions/session-store.ts";
import { purgeOldLogs } from "./logs/log-retention.ts";
import { logStore } from "./logs/log-store.ts";
import { mailCodeStore } from "./mail/mail-code-store.ts";
import type { Mailer } from "./mail/mailer.ts";
import { remindLowBalance } from "./mail/remind-low-balance.ts";
import type { RelayService } from "./open-relay.ts";
import { purgeExpired } from "./purge-expired.ts";
import type { OptionReader } from "./settings/live-options.ts";
import type { Database } from "./storage/database.ts";
import { runEvery } from "./storage/run-every.ts";

const sweepEveryMs = 15_000;
const purgeEveryMs = 3_600_000;
const remindEveryMs = 60_000;
const logRetentionEveryMs = 600_000;
const checkChannelTestsEveryMs = 10_000;
const checkCostReportsEveryMs = 600_000;

export interface BackgroundJobsDeps {
  config: Pick<Config, "channelTestEveryMs">;
  db: Database;
  options: OptionReader;
  relay: Pick<RelayService, "sweep" | "purgeStored">;
  channelJobs: Pick<ChannelJobs, "sweepIfDue">;
  costReports: Pick<CostReportReader, "readDue">;
  mailing: { db: Database; options: OptionReader; mailer: Mailer; publicUrl: string | undefined };
  now(): number;
  onError(error: unknown): void;
}

/** Answers the function that stops all jobs and resolves when none runs any more. */
export function startBackgroundJobs(deps: BackgroundJobsDeps): () => Promise<void> {
  const { config, db, options, relay, channelJobs, costReports, mailing, now, onError } = deps;
  const stopping = new AbortController();
  const sessions = sessionStore(db);
  const mailCodes = mailCodeStore(db);
  const logs = logStore(db);
  const { channelTestEveryMs } = config;

  const start = (everyMs: number, run: () => Promise<unknown>) => runEvery(everyMs, run, onError);
  const stops = [
    start(sweepEveryMs, relay.sweep),
    start(purgeEveryMs, () => purgeExpired(db, sessions, now())),
    start(purgeEveryMs, () => db.write([mailCodes.sweep(now())])),
    start(purgeEveryMs, relay.purgeStored),
    start(remindEveryMs, () => remindLowBalance(mailing, now())),
    start(checkCostReportsEveryMs, () => costReports.readDue(stopping.signal)),
    start(logRetentionEveryMs, () => purgeOldLogs({ db, logs, options, signal: stopping.signal }, now())),
  ];
  if (channelTestEveryMs > 0) {
    stops.push(start(checkChannelTestsEveryMs, () => channelJobs.sweepIfDue(channelTestEveryMs)));
  }

  return async () => {
    stopping.abort();
    for (const stop of stops) await stop();
  };
}
