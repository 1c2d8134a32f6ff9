/** Starts what the gateway does by the clock. */

import type { BudgetPauses } from "../accounts/budgets/budget-pauses.ts";
import type { LiveOidcProviders } from "../accounts/identity/oidc/oidc-provider-store.ts";
import { restKeys } from "../accounts/identity/oidc/rest-keys.ts";
import { createSessionStore } from "../accounts/identity/sessions/session-store.ts";
import { createInvitationStore } from "../accounts/teams/invitation-store.ts";
import { passOnTeams } from "../accounts/teams/pass-on-teams.ts";
import { createTeamStore } from "../accounts/teams/team-store.ts";
import { removeKeyNetworks } from "../accounts/tokens/key-networks.ts";
import type { BodyObjects } from "../call-bodies/body-objects.ts";
import { createBodyStore } from "../call-bodies/body-store.ts";
import { removeBodies } from "../call-bodies/remove-bodies.ts";
import type { ChannelJobs } from "../catalogue/channels/channel-background-jobs.ts";
import type { PriceOfferService } from "../catalogue/models/price-offer-service.ts";
import type { Config } from "../config/config.ts";
import type { CostReportReader } from "../figures/cost-reports/read-cost-report.ts";
import { purgeOldLogs } from "../figures/logs/log-retention.ts";
import { logStore } from "../figures/logs/log-store.ts";
import { planAlertEvent } from "../notices/alerts/alert-events.ts";
import type { AlertJobs } from "../notices/alerts/alert-jobs.ts";
import { mailCodeStore } from "../notices/mail/mail-code-store.ts";
import type { Mailer } from "../notices/mail/mailer.ts";
import { remindLowBalance } from "../notices/mail/remind-low-balance.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";
import { runEvery } from "../storage/run-every.ts";
import type { ModelsApi } from "./open-models.ts";
import type { RelayService } from "./open-relay.ts";
import { purgeExpired } from "./purge-expired.ts";

const sweepEveryMs = 15_000;
const batchesEveryMs = 15_000;
const videosEveryMs = 5_000;
const purgeEveryMs = 3_600_000;
const remindEveryMs = 60_000;
const logRetentionEveryMs = 600_000;
const checkChannelTestsEveryMs = 10_000;
const checkCostReportsEveryMs = 600_000;
const checkPriceListEveryMs = 600_000;
const checkModelEndsEveryMs = 600_000;
const bodiesEveryMs = 20_000;
const budgetPausesEveryMs = 15_000;
const restKeysEveryMs = 10 * 60_000;
/** A team runs on without an owner: nothing waits for the next one. */
const passOnEveryMs = 60_000;
const alertsEveryMs = 5_000;
/** `dailyChecksEveryMs` says how often a node looks whether a check of the day is due. */
const dailyChecksEveryMs = 60_000;
/**
 * `failuresMax` is one failure may be a connection that broke; as many in a row are a fault that
 * lasts.
 */
const failuresMax = 3;

export interface BackgroundJobsDeps {
  config: Pick<Config, "channelTestEveryMs">;
  db: Database;
  options: OptionReader;
  relay: Pick<RelayService, "sweep" | "refreshBatches" | "refreshVideos" | "purgeStored">;
  channelJobs: Pick<ChannelJobs, "sweepIfDue">;
  costReports: Pick<CostReportReader, "readDue">;
  priceOffers: Pick<PriceOfferService, "readDue">;
  askModelEnds: ModelsApi["askEnds"];
  alerts: AlertJobs;
  budgetPauses: Pick<BudgetPauses, "pauseReached">;
  oidcProviders: LiveOidcProviders;
  mailing: { db: Database; options: OptionReader; mailer: Mailer; publicUrl: string | undefined };
  bodyObjects: BodyObjects | undefined;
  now(): number;
  onError(error: unknown): void;
}

/** Answers the function that stops all jobs and resolves when none runs any more. */
export function startBackgroundJobs(deps: BackgroundJobsDeps): () => Promise<void> {
  const {
    config,
    db,
    options,
    relay,
    channelJobs,
    costReports,
    priceOffers,
    alerts,
    mailing,
    now,
    onError,
  } = deps;
  const stopping = new AbortController();
  const sessions = createSessionStore(db);
  const mailCodes = mailCodeStore(db);
  const logs = logStore(db);
  const bodies = createBodyStore(db);
  const passing = { db, teams: createTeamStore(db), invitations: createInvitationStore(db) };
  const { channelTestEveryMs } = config;

  /** A job that fails several times in a row raises an alert, which its next success ends. */
  function start(job: string, everyMs: number, run: () => Promise<unknown>) {
    let failures = 0;
    let hasToTell = true;
    const tell = (state: "firing" | "resolved") => {
      const subject = { kind: "job", id: job, name: job } as const;
      const facts = { kind: "job_failing", job } as const;
      const measure = { value: failures, threshold: failuresMax };
      return db.write([
        planAlertEvent(db, { rule: "job.failing", subject, state, facts, measure }, now()),
      ]);
    };
    return runEvery(
      everyMs,
      async () => {
        try {
          await run();
        } catch (error) {
          failures += 1;
          onError(error);
          if (failures % failuresMax === 0) {
            hasToTell = true;
            await tell("firing");
          }
          return;
        }
        failures = 0;
        // At the first success too: the alert may be that of an earlier process.
        if (hasToTell) await tell("resolved");
        hasToTell = false;
      },
      onError,
    );
  }
  const stops = [
    start("end calls without an owner", sweepEveryMs, relay.sweep),
    start("charge batches", batchesEveryMs, relay.refreshBatches),
    start("charge videos", videosEveryMs, relay.refreshVideos),
    start("remove expired rows", purgeEveryMs, () => purgeExpired(db, sessions, now())),
    start("remove mail codes", purgeEveryMs, () => db.write([mailCodes.sweep(now())])),
    start("remove stored responses", purgeEveryMs, relay.purgeStored),
    start("remove old alerts", purgeEveryMs, alerts.purge),
    start("pause keys of used up budgets", budgetPausesEveryMs, deps.budgetPauses.pauseReached),
    start("let keys of people who left rest", restKeysEveryMs, () => restKeys(deps, now())),
    start("pass teams on", passOnEveryMs, () => passOnTeams(passing, now())),
    start("remind of low balances", remindEveryMs, () => remindLowBalance(mailing, now())),
    start("read costs of providers", checkCostReportsEveryMs, () =>
      costReports.readDue(stopping.signal),
    ),
    start("ask which models end", checkModelEndsEveryMs, () => deps.askModelEnds(stopping.signal)),
    start("read the price list", checkPriceListEveryMs, () => priceOffers.readDue(stopping.signal)),
    start("remove old log rows", logRetentionEveryMs, () =>
      purgeOldLogs({ db, logs, options, signal: stopping.signal }, now()),
    ),
    start("remove networks of keys", purgeEveryMs, () =>
      removeKeyNetworks(db, options, { now: now(), signal: stopping.signal }),
    ),
    start("remove contents of calls", bodiesEveryMs, () =>
      removeBodies(
        { db, store: bodies, objects: deps.bodyObjects, options, signal: stopping.signal },
        now(),
      ),
    ),
    start("raise alerts", alertsEveryMs, alerts.fold),
    start("send notices", alertsEveryMs, alerts.deliver),
    start("check the record of changes", dailyChecksEveryMs, () =>
      alerts.checkTrail(stopping.signal),
    ),
    start("check the books", dailyChecksEveryMs, () => alerts.checkBooks(stopping.signal)),
  ];
  if (channelTestEveryMs > 0) {
    stops.push(
      start("test channels", checkChannelTestsEveryMs, () =>
        channelJobs.sweepIfDue(channelTestEveryMs),
      ),
    );
  }

  return async () => {
    stopping.abort();
    for (const stop of stops) await stop();
  };
}
