// The gateway and the provider that all of these tests share.
import type { LogRow } from "@tollgate/gateway/storage/schema.ts";
import { afterAll, beforeAll } from "vitest";
import { type CannedRealtime, startCannedRealtime } from "../relay/canned-realtime.ts";
import { startWorld, type World } from "../world.ts";
import type { Family } from "./families.ts";
import { type PlayedUpstream, startPlayedUpstream } from "./played-upstream.ts";
import type { Access } from "./talk.ts";

export interface Stage {
  readonly world: World;
  readonly upstream: PlayedUpstream;
  readonly realtime: CannedRealtime;
  readonly access: Access;
  /** A channel of a family for these names of its model. */
  channel(family: Family, models: readonly string[], fields?: Record<string, unknown>): Promise<unknown>;
  /** What is logged of calls for a model, once all calls have ended: the oldest first. */
  logged(models: readonly string[]): Promise<LogRow[]>;
}

/** `CONFORMANCE_STORE=postgres` has everything, or what `-t` picks, settled there: the page is written with SQLite. */
const store = process.env.CONFORMANCE_STORE === "postgres" ? "postgres" : "sqlite";

/** Registers its start and end with the test file that calls it; what it has is there once tests run. */
export function openStage(): Stage {
  let started: { world: World; upstream: PlayedUpstream; realtime: CannedRealtime; key: string } | undefined;
  beforeAll(async () => {
    const upstream = await startPlayedUpstream();
    const realtime = await startCannedRealtime();
    const world = await startWorld({ store, upstreams: [upstream.url, realtime.url] });
    started = { world, upstream, realtime, key: (await world.given.token()).key };
  });
  afterAll(async () => {
    await started?.world.close();
    await started?.upstream.close();
    await started?.realtime.close();
  });
  const here = () => {
    if (!started) throw new Error("the stage opens when tests begin");
    return started;
  };
  return {
    get world() {
      return here().world;
    },
    get upstream() {
      return here().upstream;
    },
    get realtime() {
      return here().realtime;
    },
    get access() {
      return { url: here().world.url, key: here().key };
    },
    channel({ type, channel, model, upstream: called = model }, models, fields) {
      const { world, upstream } = here();
      const own = { base_url: upstream.url, key: "upstream-key", ...channel?.(upstream.url) };
      const mapping = Object.fromEntries(models.map((name) => [name, called]));
      return world.given.channel({
        type,
        models: models.join(),
        model_mapping: JSON.stringify(mapping),
        ...own,
        ...fields,
      });
    },
    async logged(models) {
      const { world } = here();
      await world.settled();
      const names = models.map((name) => `'${name}'`).join();
      return await world.rows<LogRow>(`select * from logs where origin_model_name in (${names}) order by id`);
    },
  };
}
