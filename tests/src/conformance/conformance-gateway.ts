/** The gateway and the providers that all conformance tests share. */
import type { LogRow } from "@tollgate/gateway/storage/tables/call-tables.ts";
import { afterAll, beforeAll } from "vitest";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  type CannedRealtimeProvider,
  startCannedRealtimeProvider,
} from "../relay/canned-realtime-provider.ts";
import { startSessionMcpServer, startStatelessMcpServer } from "../support/mcp-test-servers.ts";
import { startAzureFront } from "./azure-front.ts";
import type { GatewayAccess } from "./conversation-scenario.ts";
import type { ProviderFamily } from "./provider-families.ts";
import { type ScriptedProvider, startScriptedProvider } from "./scripted-provider.ts";

export interface ConformanceGateway {
  readonly world: TestGateway;
  readonly upstream: ScriptedProvider;
  readonly realtime: CannedRealtimeProvider;
  /** Azure's addresses of the simulator. */
  readonly azure: string;
  /** Addresses of MCP servers: one of each revision of the protocol. */
  readonly mcp: { pages: string; counter: string };
  readonly access: GatewayAccess;
  /** A channel of a family for these names of its model. */
  channel(
    family: ProviderFamily,
    models: readonly string[],
    fields?: Record<string, unknown>,
  ): Promise<{ id: number }>;
  /** What is logged of calls for a model, once all calls have ended: the oldest first. */
  logged(models: readonly string[]): Promise<LogRow[]>;
}

/**
 * `CONFORMANCE_STORE=postgres` has everything, or what `-t` picks, settled there: the page is
 * written with SQLite.
 */
const store = process.env.CONFORMANCE_STORE === "postgres" ? "postgres" : "sqlite";

async function startConformanceGateway() {
  let simulator = "";
  const [upstream, realtime, azure, pages, counter] = await Promise.all([
    startScriptedProvider(),
    startCannedRealtimeProvider(),
    startAzureFront(() => simulator),
    startStatelessMcpServer(),
    startSessionMcpServer(),
  ]);
  const providers = [upstream, realtime, azure].map(({ url }) => url);
  const MCP_PRIVATE_HOSTS = [pages, counter].map(({ url }) => new URL(url).host).join();
  const world = await startTestGateway({ store, upstreams: providers, env: { MCP_PRIVATE_HOSTS } });
  simulator = world.simulator.url;
  const { key } = await world.given.token();
  const close = async () => {
    await world.close();
    await Promise.all([upstream, realtime, azure, pages, counter].map((server) => server.close()));
  };
  return { world, upstream, realtime, azure, pages, counter, key, close };
}

/**
 * Registers its start and end with the calling test file; its members are available once tests run.
 */
export function useConformanceGateway(): ConformanceGateway {
  let started: Awaited<ReturnType<typeof startConformanceGateway>> | undefined;
  beforeAll(async () => {
    started = await startConformanceGateway();
  });
  afterAll(() => started?.close());
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
    get azure() {
      return running().azure.url;
    },
    get mcp() {
      const { pages, counter } = running();
      return { pages: pages.url, counter: counter.url };
    },
    get access() {
      return { url: running().world.url, key: running().key };
    },
    channel({ type, channel, model, upstream: called = model }, models, fields) {
      const { world: gateway, upstream } = running();
      // No word of a message, or its redaction would change the message.
      const own = {
        base_url: upstream.url,
        key: "sk-9f3a7c21e0b84d56",
        ...channel?.(upstream.url),
      };
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
      return await gateway.rows<LogRow>(
        `select * from logs where origin_model_name in (${names}) order by id`,
      );
    },
  };
}
