/** Runs work on many channels in the background, a few at a time, and records its progress. */
import { type Database, tryWrite } from "../../storage/database.ts";
import type { ChannelJobResultRow } from "../../storage/tables/channel-tables.ts";
import type { ChannelJobKind, ChannelJobRecord, ChannelJobStore } from "./channel-job-store.ts";
import type { ChannelRow } from "./channel-store.ts";

/** Longer than one channel can take: after this a job whose node crashed counts as interrupted. */
const leaseMs = 5 * 60_000;
const defaultConcurrency = 4;

/** The outcome for one channel; administrators may see the message. */
export type ChannelWorkResult = Pick<ChannelJobResultRow, "outcome" | "message">;

export interface ChannelJobSpec {
  kind: ChannelJobKind;
  startedBy: string;
  channels: readonly ChannelRow[];
  /** Once `isStopped`, the outcome says nothing about the channel: its connections were cut. */
  work(channel: ChannelRow, isStopped: () => boolean): Promise<ChannelWorkResult>;
  /** After the last channel, unless the job was stopped. */
  onComplete?(): Promise<void>;
}

export interface ChannelJobRunner {
  /** Returns the started job, or undefined while a job of its kind is running. */
  start(spec: ChannelJobSpec): Promise<ChannelJobRecord | undefined>;
  cancel(id: number): Promise<void>;
  /** Stops the jobs of this process and waits for them. */
  close(): Promise<void>;
}

interface ChannelJobRunnerDeps {
  db: Database;
  jobs: ChannelJobStore;
  now(): number;
  onError(error: unknown): void;
  concurrency?: number;
}

export function createChannelJobRunner({
  db,
  jobs,
  now,
  onError,
  concurrency = defaultConcurrency,
}: ChannelJobRunnerDeps): ChannelJobRunner {
  const running = new Map<number, Promise<void>>();
  const stopped = new Set<number>();

  async function run(id: number, { channels, work, onComplete }: ChannelJobSpec): Promise<void> {
    const pending = channels.values();
    const isStopped = (): boolean => stopped.has(id);
    const worker = async (): Promise<void> => {
      for (const channel of pending) {
        if (isStopped()) return;
        const result = await work(channel, isStopped).catch((error: unknown): ChannelWorkResult => {
          onError(error);
          return { outcome: "failed", message: "Something went wrong on the server" };
        });
        if (isStopped()) return;
        const { id: channel_id, uuid: channel_uuid, name: channel_name } = channel;
        const row = { job_id: id, channel_id, channel_uuid, channel_name, ...result };
        const rejection = await tryWrite(db, jobs.recordResult(row, now() + leaseMs)).catch(
          (error: unknown) => {
            stopped.add(id);
            throw error;
          },
        );
        // Another node cancelled the job, or took its expired lease for a crash.
        if (rejection !== undefined) stopped.add(id);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    if (!isStopped()) await onComplete?.();
    await db.write([jobs.end(id, "done", now())]);
  }

  return {
    async start(spec) {
      const at = now();
      const id = db.mintId();
      const job: ChannelJobRecord = {
        kind: spec.kind,
        id,
        state: "running",
        total: spec.channels.length,
        done: 0,
        failed: 0,
        started_by: spec.startedBy,
        started_at: at,
        ended_at: null,
        lease_until: at + leaseMs,
      };
      if ((await tryWrite(db, jobs.begin(job, at))) !== undefined) return undefined;
      const work = run(id, spec)
        .catch(onError)
        .finally(() => {
          running.delete(id);
          stopped.delete(id);
        });
      running.set(id, work);
      return job;
    },

    async cancel(id) {
      await db.write([jobs.end(id, "cancelled", now())]);
      if (running.has(id)) stopped.add(id);
    },

    async close() {
      for (const id of running.keys()) {
        stopped.add(id);
        await db.write([jobs.end(id, "interrupted", now())]).catch(onError);
      }
      await Promise.all(running.values());
    },
  };
}
