/**
 * Receives changes from other nodes: at once by LISTEN, and within a second by polling if a
 * notification is lost or nothing can be listened to.
 */
import type pg from "pg";
import type { ChangeTopic } from "./database.ts";
import { openConnection } from "./postgres-connections.ts";
import { runEvery } from "./run-every.ts";

const pollEveryMs = 1_000;

export async function watchVersions(
  pool: pg.Pool,
  listenUrl: string | undefined,
  tell: (topics: readonly ChangeTopic[]) => Promise<boolean>,
  onError: (error: Error) => void,
): Promise<{ stop(): Promise<void> }> {
  const seenVersions = new Map<ChangeTopic, number>();
  let listener: pg.Client | undefined;
  await poll(async () => true);

  /**
   * `poll` tells again of changes that a listener missed, such as rows that could not be read just
   * then.
   */
  async function poll(isTold: (topics: readonly ChangeTopic[]) => Promise<boolean>): Promise<void> {
    const { rows } = await pool.query<{ topic: ChangeTopic; version: number }>(
      "select topic, version from versions",
    );
    const changed = rows.filter(({ topic, version }) => seenVersions.get(topic) !== version);
    await Promise.all(
      changed.map(async ({ topic, version }) => {
        if (await isTold([topic])) seenVersions.set(topic, version);
      }),
    );
  }

  async function listen(databaseUrl: string): Promise<void> {
    const client = await openConnection(databaseUrl, { isTimed: true });
    client.on("error", (error) => {
      if (listener === client) listener = undefined;
      onError(error);
    });
    client.on("notification", ({ payload }) => void tell([payload as ChangeTopic]));
    try {
      await client.query("listen tollgate");
      listener = client;
    } finally {
      if (listener !== client) void client.end().catch(onError);
    }
  }

  // Apart, because polling is for when nothing can be listened to.
  const stops = [
    runEvery(pollEveryMs, () => poll(tell), onError),
    runEvery(
      pollEveryMs,
      async () => (!listener && listenUrl ? listen(listenUrl) : undefined),
      onError,
    ),
  ];
  return {
    async stop() {
      for (const stop of stops) await stop();
      // Not awaited: a server that is gone never answers.
      void listener?.end().catch(onError);
    },
  };
}
