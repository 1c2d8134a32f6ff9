/** The two background jobs: channel tests and balance updates. */
import type { ChannelJob } from "@tollgate/contract/catalogue/channel-jobs.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { refuse } from "../../http/refusal.ts";
import type { Principal } from "../../http/request-context.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { AutomaticStatus } from "./automatic-status.ts";
import { findBalanceApi } from "./balance-apis.ts";
import { findVerdict } from "./channel-health-rules.ts";
import type { ChannelJobRecord, ChannelJobStore } from "./channel-job-store.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";
import { showBalance } from "./channel-view.ts";
import type { FetchBalance } from "./fetch-balance.ts";
import {
  type ChannelJobSpec,
  type ChannelWorkResult,
  createChannelJobRunner,
} from "./run-channel-job.ts";
import { createSweepVerdicts } from "./sweep-verdicts.ts";
import { createTestRecorder, findModelToTest, type TestChannel } from "./test-channel.ts";
import { createUpdateBalance } from "./update-balance.ts";

type JobStarter = Pick<Principal, "id" | "username">;
/** The actor of scheduled runs. */
const scheduler: JobStarter = { id: 0, username: "" };
const channelsMax = 100_000;

const statusesOf = {
  all: Object.values(channelStatus),
  enabled: [channelStatus.enabled],
  disabled: [channelStatus.disabled, channelStatus.autoDisabled],
} as const;
export type TestScope = keyof typeof statusesOf;

interface ChannelJobsDeps {
  db: Database;
  channels: ChannelStore;
  jobs: ChannelJobStore;
  options: OptionReader;
  automatic: AutomaticStatus;
  testChannel: TestChannel;
  fetchBalance: FetchBalance;
  now(): number;
  onError(error: unknown): void;
}

export type ChannelJobs = ReturnType<typeof createChannelJobs>;

export function createChannelJobs(deps: ChannelJobsDeps) {
  const { db, channels, jobs, options, automatic, testChannel, fetchBalance, now, onError } = deps;
  const runner = createChannelJobRunner({ db, jobs, now, onError });
  const record = createTestRecorder(db, channels);
  const updateBalance = createUpdateBalance(db, channels, fetchBalance, now);

  const test =
    (by: JobStarter, verdicts: ReturnType<typeof createSweepVerdicts>): ChannelJobSpec["work"] =>
    async (channel, isStopped): Promise<ChannelWorkResult> => {
      const result = await testChannel(channel, findModelToTest(channel));
      if (result.isUntestable || isStopped())
        return { outcome: "skipped", message: result.message };
      await record(channel, result, by, now());
      const verdict = findVerdict(channel.status, result, {
        disables: options.flag("AutomaticDisableChannelEnabled"),
        enables: options.flag("AutomaticEnableChannelEnabled"),
        slowestSeconds: options.number("ChannelDisableThreshold"),
      });
      await verdicts.tested(channel, result, verdict);
      return result.ok
        ? { outcome: "passed", message: `${Math.round(result.elapsedMs)} ms` }
        : { outcome: "failed", message: result.message };
    };

  const balance = async (channel: ChannelRow): Promise<ChannelWorkResult> => {
    const answer = await updateBalance(channel);
    if ("error" in answer) return { outcome: "failed", message: answer.error };
    return {
      outcome: "passed",
      message: `${showBalance(answer.micros)} ${findBalanceApi(channel.type)?.currency}`,
    };
  };

  /** Reads the channel again, because it may have changed or been deleted since the job began. */
  const withCurrentRow =
    (work: ChannelJobSpec["work"]): ChannelJobSpec["work"] =>
    async ({ id }, isStopped) => {
      const channel = await channels.find({ id });
      return channel
        ? work(channel, isStopped)
        : { outcome: "skipped", message: "deleted meanwhile" };
    };

  async function view(job: ChannelJobRecord): Promise<ChannelJob> {
    const isLost = job.state === "running" && job.lease_until < now();
    return {
      ...job,
      state: isLost ? "interrupted" : job.state,
      results: await jobs.results(job.id),
    };
  }

  async function begin(spec: ChannelJobSpec): Promise<ChannelJob> {
    const job = await runner.start(spec);
    if (!job) throw refuse("channel_job_running");
    return view(job);
  }

  const tests = async (scope: TestScope, by: JobStarter): Promise<ChannelJobSpec> => {
    const verdicts = createSweepVerdicts({ db, channels, automatic });
    return {
      kind: "test",
      startedBy: by.username,
      channels: await channels.withStatus(statusesOf[scope], channelsMax),
      work: withCurrentRow(test(by, verdicts)),
      onComplete: verdicts.end,
    };
  };

  return {
    updateBalance,
    startTests: async (scope: TestScope, by: JobStarter) => begin(await tests(scope, by)),

    async startBalances(by: JobStarter): Promise<ChannelJob> {
      const all = await channels.withStatus(statusesOf.all, channelsMax);
      const supported = all.filter(({ type }) => findBalanceApi(type) !== undefined);
      return begin({
        kind: "balance",
        startedBy: by.username,
        channels: supported,
        work: withCurrentRow(balance),
      });
    },

    /**
     * `sweepIfDue` is for the schedule of each node: the first node runs the sweep, the others find
     * it done.
     */
    async sweepIfDue(everyMs: number): Promise<void> {
      const last = (await jobs.all()).find(({ kind }) => kind === "test");
      if (!last || last.started_at + everyMs <= now())
        await runner.start(await tests("all", scheduler));
    },

    async list(): Promise<ChannelJob[]> {
      return Promise.all((await jobs.all()).map(view));
    },

    async cancel(id: number): Promise<ChannelJob> {
      await runner.cancel(id);
      const job = await jobs.find(id);
      if (!job) throw refuse("channel_job_not_found");
      return view(job);
    },

    close: runner.close,
  };
}
