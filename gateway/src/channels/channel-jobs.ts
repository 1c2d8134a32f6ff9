/** The two background jobs: testing channels and asking their balances. */
import type { ChannelJob } from "@tollgate/contract/channel-jobs.ts";
import { channelStatus } from "@tollgate/contract/channels.ts";
import type { Caller } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { Options } from "../settings/options.ts";
import type { Database } from "../storage/database.ts";
import type { AskBalance } from "./ask-balance.ts";
import type { AutomaticStatus } from "./automatic-status.ts";
import { balanceCall } from "./balance-calls.ts";
import { verdictOf } from "./channel-health-rules.ts";
import type { ChannelJobRecord, ChannelJobStore } from "./channel-job-store.ts";
import type { Channel, ChannelStore } from "./channel-store.ts";
import { shownBalance } from "./channel-view.ts";
import { channelJobRunner, type JobOrder, type JobResult } from "./run-channel-job.ts";
import { sweepVerdicts } from "./sweep-verdicts.ts";
import { modelToTest, recordTestWith, type TestChannel } from "./test-channel.ts";
import { updateBalanceWith } from "./update-balance.ts";

type Starter = Pick<Caller, "id" | "username">;
/** Who starts what the clock starts. */
const theClock: Starter = { id: 0, username: "" };
const channelsMax = 100_000;

const statusesOf = {
  all: Object.values(channelStatus),
  disabled: [channelStatus.disabled, channelStatus.autoDisabled],
} as const;
export type TestScope = keyof typeof statusesOf;

interface Parts {
  db: Database;
  channels: ChannelStore;
  jobs: ChannelJobStore;
  options: Options;
  automatic: AutomaticStatus;
  testChannel: TestChannel;
  askBalance: AskBalance;
  now(): number;
  onTrouble(error: unknown): void;
}

export type ChannelJobs = ReturnType<typeof openChannelJobs>;

export function openChannelJobs(parts: Parts) {
  const { db, channels, jobs, options, automatic, testChannel, askBalance, now, onTrouble } = parts;
  const runner = channelJobRunner({ db, jobs, now, onTrouble });
  const record = recordTestWith(db, channels);
  const updateBalance = updateBalanceWith(db, channels, askBalance, now);

  const test =
    (by: Starter, verdicts: ReturnType<typeof sweepVerdicts>): JobOrder["work"] =>
    async (channel, isStopped): Promise<JobResult> => {
      const result = await testChannel(channel, modelToTest(channel));
      if (result.isUntestable || isStopped()) return { outcome: "skipped", message: result.message };
      await record(channel, result, by, now());
      const verdict = verdictOf(channel.status, result, {
        disables: options.flag("AutomaticDisableChannelEnabled"),
        enables: options.flag("AutomaticEnableChannelEnabled"),
        slowestSeconds: options.number("ChannelDisableThreshold"),
      });
      await verdicts.tested(channel, result, verdict);
      return result.ok
        ? { outcome: "passed", message: `${Math.round(result.elapsedMs)} ms` }
        : { outcome: "failed", message: result.message };
    };

  const balance = async (channel: Channel): Promise<JobResult> => {
    const answer = await updateBalance(channel);
    if ("trouble" in answer) return { outcome: "failed", message: answer.trouble };
    return { outcome: "passed", message: `${shownBalance(answer.micros)} ${balanceCall(channel.type)?.currency}` };
  };

  /** A long job comes to channels that were changed or deleted meanwhile. */
  const onFresh =
    (work: JobOrder["work"]): JobOrder["work"] =>
    async ({ id }, isStopped) => {
      const channel = await channels.find({ id });
      return channel ? work(channel, isStopped) : { outcome: "skipped", message: "deleted meanwhile" };
    };

  async function view(job: ChannelJobRecord): Promise<ChannelJob> {
    const isLost = job.state === "running" && job.lease_until < now();
    return { ...job, state: isLost ? "interrupted" : job.state, results: await jobs.results(job.id) };
  }

  async function begin(order: JobOrder): Promise<ChannelJob> {
    const job = await runner.start(order);
    if (!job) throw refuse("channel_job_running");
    return view(job);
  }

  const tests = async (scope: TestScope, by: Starter): Promise<JobOrder> => {
    const verdicts = sweepVerdicts({ db, channels, automatic });
    return {
      kind: "test",
      startedBy: by.username,
      channels: await channels.withStatus(statusesOf[scope], channelsMax),
      work: onFresh(test(by, verdicts)),
      afterwards: verdicts.end,
    };
  };

  return {
    updateBalance,
    startTests: async (scope: TestScope, by: Starter) => begin(await tests(scope, by)),

    async startBalances(by: Starter): Promise<ChannelJob> {
      const all = await channels.withStatus(statusesOf.all, channelsMax);
      const asked = all.filter(({ type }) => balanceCall(type) !== undefined);
      return begin({ kind: "balance", startedBy: by.username, channels: asked, work: onFresh(balance) });
    },

    /** For the clock of each node: the first that comes runs the sweep, the others see that it was just run. */
    async sweepIfDue(everyMs: number): Promise<void> {
      const last = (await jobs.all()).find(({ kind }) => kind === "test");
      if (!last || last.started_at + everyMs <= now()) await runner.start(await tests("all", theClock));
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
