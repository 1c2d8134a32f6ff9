/** The gateway and the providers that all conformance tests share. */
import type { LogRow } from "@tollgate/gateway/storage/tables/call-tables.ts";
import { afterAll, beforeAll } from "vitest";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedRealtimeProvider, startCannedRealtimeProvider } from "../relay/canned-realtime-provider.ts";
import type { GatewayAccess } from "./conversation-scenario.ts";
import type { ProviderFamily } from "./provider-families.ts";
import { type ScriptedProvider, startScriptedProvider } from "./scripted-provider.ts";

export interface ConformanceGateway {
  readonly world: TestGateway;
  readonly upstream: ScriptedProvider;
  readonly realtime: CannedRealtimeProvider;
  readonly access: GatewayAccess;
  /** A channel of a family for these names of its model. */
  channel(family: ProviderFamily, models: readonly string[], fields?: Record<string, unknown>): Promise<unknown>;
  /** What is logged of calls for a model, once all calls have ended: the oldest first. */
  logged(models: readonly string[]): Promise<LogRow[]>;
}

/** `CONFORMANCE_STORE=postgres` has everything, or what `-t` picks, settled there: the page is written with SQLite. */
const store = process.env.CONFORMANCE_STORE === "postgres" ? "postgres" : "sqlite";

/** Registers its start and end with the calling test file; its members are available once tests run. */
export function useConformanceGateway(): ConformanceGateway {
  let started:
    | { world: TestGateway; upstream: ScriptedProvider; realtime: CannedRealtimeProvider; key: string }
    | undefined;
  beforeAll(async () => {
    const upstream = await startScriptedProvider();
    const realtime = await startCannedRealtimeProvider();
    const gateway = await startTestGateway({ store, upstreams: [upstream.url, realtime.url] });
    started = { world: gateway, upstream, realtime, key: (await gateway.given.token()).key };
  });
  afterAll(async () => {
    await started?.world.close();
    await started?.upstream.close();
    await started?.realtime.close();
  });
  const running = () => {
    if (!started) throw new Error("the gateway starts when tests begin");
    return started;
  };
  return {
    get world() {
      return running().world;
    },
    get upstream() {
      return running().upstream;
    },
    get realtime() {
      return running().realtime;
    },
    get access() {
      return { url: running().world.url, key: running().key };
    },
    channel({ type, channel, model, upstream: called = model }, models, fields) {
      const { world: gateway, upstream } = running();
      // No word of a message, or its redaction would change the message.
      const own = { base_url: upstream.url, key: "sk-9f3a7c21e0b84d56", ...channel?.(upstream.url) };
      const mapping = Object.fromEntries(models.map((name) => [name, called]));
      return gateway.given.channel({
        type,
        models: models.join(),
        model_mapping: JSON.stringify(mapping),
        ...own,
        ...fields,
      });
    },
    async logged(models) {
      const { world: gateway } = running();
      await gateway.settled();
      const names = models.map((name) => `'${name}'`).join();
      return await gateway.rows<LogRow>(`select * from logs where origin_model_name in (${names}) order by id`);
    },
  };
}
