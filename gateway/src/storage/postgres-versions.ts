/** Hears of changes made by other nodes: at once by LISTEN, and within a second by asking, should a notice be lost. */
import pg from "pg";
import type { Topic } from "./database.ts";
import { every } from "./every.ts";

const askEveryMs = 1_000;

export async function watchVersions(
  pool: pg.Pool,
  databaseUrl: string,
  tell: (topics: Topic[]) => Promise<void>,
  onTrouble: (error: Error) => void,
): Promise<{ stop(): Promise<void> }> {
  const seen = new Map<Topic, number>();
  let listener: pg.Client | undefined;
  await ask(async () => undefined);

  async function ask(announce: (topics: Topic[]) => Promise<void>): Promise<void> {
    const { rows } = await pool.query<{ topic: Topic; version: number }>("select topic, version from versions");
    const changed = rows.filter(({ topic, version }) => seen.get(topic) !== version);
    for (const { topic, version } of changed) seen.set(topic, version);
    if (changed.length > 0) await announce(changed.map(({ topic }) => topic));
  }

  async function listen(): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: "tollgate changes" });
    client.on("error", (error) => {
      if (listener === client) listener = undefined;
      onTrouble(error);
    });
    client.on("notification", ({ payload }) => void tell([payload as Topic]).catch(onTrouble));
    await client.connect();
    await client.query("listen tollgate");
    listener = client;
  }

  const stopAsking = every(
    askEveryMs,
    async () => {
      if (!listener) await listen();
      await ask(tell);
    },
    onTrouble,
  );
  return {
    async stop() {
      await stopAsking();
      await listener?.end().catch(onTrouble);
    },
  };
}
