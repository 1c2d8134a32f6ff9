/** Runs work on many channels in the background, a few at a time, and writes down how far it came. */
import { Conflict, type Database, StaleWrite } from "../storage/database.ts";
import type { ChannelJobResultRow } from "../storage/schema.ts";
import type { ChannelJobKind, ChannelJobRecord, ChannelJobStore } from "./channel-job-store.ts";
import type { ChannelRow } from "./channel-store.ts";

/** Above what one channel may take at most: a job whose node is gone is over after this. */
const leaseMs = 5 * 60_000;
const defaultConcurrency = 4;

/** How it went with one channel; the message may be shown to administrators. */
export type ChannelWorkResult = Pick<ChannelJobResultRow, "outcome" | "message">;

export interface ChannelJobSpec {
  kind: ChannelJobKind;
  startedBy: string;
  channels: readonly ChannelRow[];
  /** Once `isStopped`, nothing may be concluded from how the work went: its connections were cut. */
  work(channel: ChannelRow, isStopped: () => boolean): Promise<ChannelWorkResult>;
  /** After the last channel, unless the job was stopped. */
  onComplete?(): Promise<void>;
}

export interface ChannelJobRunner {
  /** Answers the job that runs now, or undefined where one of its kind runs already. */
  start(spec: ChannelJobSpec): Promise<ChannelJobRecord | undefined>;
  cancel(id: number): Promise<void>;
  /** Stops what runs here, and waits for it. */
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
        await db
          .write(jobs.note({ job_id: id, channel_id, channel_uuid, channel_name, ...result }, now() + leaseMs))
          .catch((error: unknown) => {
            stopped.add(id);
            // Cancelled on another node, or too slow to be believed alive.
            if (!(error instanceof StaleWrite)) throw error;
          });
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
      try {
        await db.write(jobs.begin(job, at));
      } catch (error) {
        if (error instanceof Conflict) return undefined;
        throw error;
      }
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
