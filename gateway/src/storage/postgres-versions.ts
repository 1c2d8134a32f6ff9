/**
 * Receives changes from other nodes: at once by LISTEN, and within a second by polling if a notification is lost or nothing
 * can be listened to.
 */
import pg from "pg";
import type { ChangeTopic } from "./database.ts";
import { runEvery } from "./run-every.ts";

const pollEveryMs = 1_000;

export async function watchVersions(
  pool: pg.Pool,
  listenUrl: string | undefined,
  notify: (topics: ChangeTopic[]) => Promise<void>,
  onError: (error: Error) => void,
): Promise<{ stop(): Promise<void> }> {
  const seenVersions = new Map<ChangeTopic, number>();
  let listener: pg.Client | undefined;
  await poll(async () => undefined);

  async function poll(onChanged: (topics: ChangeTopic[]) => Promise<void>): Promise<void> {
    const { rows } = await pool.query<{ topic: ChangeTopic; version: number }>("select topic, version from versions");
    const changed = rows.filter(({ topic, version }) => seenVersions.get(topic) !== version);
    for (const { topic, version } of changed) seenVersions.set(topic, version);
    if (changed.length > 0) await onChanged(changed.map(({ topic }) => topic));
  }

  async function listen(databaseUrl: string): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: "tollgate changes" });
    client.on("error", (error) => {
      if (listener === client) listener = undefined;
      onError(error);
    });
    client.on("notification", ({ payload }) => void notify([payload as ChangeTopic]).catch(onError));
    await client.connect();
    await client.query("listen tollgate");
    listener = client;
  }

  const stopPolling = runEvery(
    pollEveryMs,
    async () => {
      if (!listener && listenUrl) await listen(listenUrl);
      await poll(notify);
    },
    onError,
  );
  return {
    async stop() {
      await stopPolling();
      await listener?.end().catch(onError);
    },
  };
}
