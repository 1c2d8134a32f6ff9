// The forecast of a call against what then happens to it, over generated worlds: the same key,
// channels, breakers, limits and funds, first asked and then called.
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { checkedEndpoints } from "@tollgate/contract/catalogue/call-checks.ts";
import { tierStrategies, virtualModelAccess } from "@tollgate/contract/catalogue/virtual-models.ts";
import { createTestAccount, type TestAccount } from "@tollgate/tests/support/money-fixtures.ts";
import { relayChannel } from "@tollgate/tests/support/relay-channel.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemoryCounters } from "../limits/counters.ts";
import { readFunds } from "../money/holds/hold-forecast.ts";
import { startLiveHolds } from "../money/holds/live-holds.ts";
import { readGroupRatio } from "../money/prices/price-book.ts";
import { buildPriceBook, readPriceLists } from "../money/prices/price-lists.ts";
import { openGroups } from "../settings/group-rules.ts";
import { buildOptionReader } from "../settings/live-options.ts";
import {
  createApiKeys,
  findCallerOfToken,
  hashKey,
  type OpenGroups,
} from "./admission/api-keys.ts";
import { authenticate, authorize } from "./admission/authenticate.ts";
import { type AdmissionDeps, admitCall } from "./admit-call.ts";
import { type CallForecastDeps, forecastCall, sampleCall } from "./call-forecast.ts";
import { Exchange } from "./exchange.ts";
import { relaySettings } from "./relay-settings.ts";
import { createBreakers } from "./routing/breakers.ts";
import { groupServing } from "./routing/channel-groups.ts";
import { createChannelLimits } from "./routing/channel-limits.ts";
import { buildChannelSnapshot, type RelayChannel } from "./routing/channel-table.ts";
import { createModelPace } from "./routing/model-pace.ts";
import type { RoutedName } from "./routing/routed-name.ts";
import { createToldLimits } from "./routing/told-limits.ts";
import { readWantedHold } from "./wanted-hold.ts";
import { RelayRefused } from "./wire/relay-refusal.ts";

const worlds = process.env.DATABASES === "all" ? 10_000 : 2_000;
/** `someWorlds` are as many as a change to admission or routing does not survive. */
const someWorlds = 300;
/** Fewer where each world costs round trips. */
const worldsOnPostgres = 500;

const key = "of the worlds";
const models = ["gpt-4o", "gpt-4o-mini", "none"] as const;
const virtualName = "any";
const groups = ["default", "vip", "svip"] as const;
const spoken = [
  ["chat_completions", "/v1/chat/completions"],
  ["embeddings", "/v1/embeddings"],
  ["response_api", "/v1/responses"],
] as const;

const oneIn = (parts: number) => fc.nat(parts - 1).map((part) => part === 0);
/** `usual` in most worlds. */
const mostly = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    { weight: others.length, arbitrary: fc.constantFrom(...others) },
  );

const channelWorld = fc.record({
  status: mostly(1, 2, 3),
  groups: mostly([...groups], ["vip"], ["svip"], []),
  models: mostly(models.slice(0, 2), ["gpt-4o"], []),
  hidden: oneIn(8),
  priority: fc.nat(2),
  weight: fc.nat(3),
  ratelimit: fc.constantFrom(0, 0, 0, 1, 3),
  endpoints: mostly([...spoken], [spoken[0]], [spoken[1]], []),
  hasKey: mostly(true, false),
});
const callWorld = fc.record({
  passedMs: mostly(10, 0, 1_000, 31_000, 61_000, 200_000),
  channels: fc.array(channelWorld, { minLength: 2, maxLength: 6 }),
  failure: fc.option(
    fc.record({
      channel: fc.nat(4),
      status: fc.constantFrom(0, 429, 503),
      waitMs: fc.option(fc.nat(60_000)),
    }),
  ),
  model: fc.constantFrom(...models.slice(0, 2), ...models, virtualName, `anthropic/${virtualName}`),
  virtual: fc.record({
    tiers: fc.constantFrom<string[][]>(
      [["gpt-4o", "gpt-4o-mini"]],
      [["gpt-4o-mini"], ["gpt-4o", "none"]],
      [["none"]],
    ),
    strategy: fc.constantFrom(...tierStrategies),
    access: fc.constantFrom(...virtualModelAccess),
  }),
  endpoint: fc.constantFrom("chat_completions" as const, ...checkedEndpoints),
  maxTokens: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  promptTokens: fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: undefined }),
  user: fc.record({ status: mostly(1, 2), group: fc.constantFrom("default", ...groups) }),
  wallet: fc.record({
    balance: fc.constantFrom(0, 10, 1_000, 30_000, 50_000_000),
    debt: mostly(0, 7),
  }),
  token: fc.record({
    status: mostly(1, 2, 4),
    unlimited_quota: fc.constantFrom(0 as const, 1 as const),
    remain_quota: mostly(50_000_000, 0, 10, 1_000, 30_000),
    expiresInMs: mostly<number | null>(null, -1, 1),
    models: mostly("", "gpt-4o", "gpt-4o,gpt-4o-mini"),
    groups: mostly("", "default,vip", "vip,default", "vip", "svip,default", "closed"),
    rpm_limit: fc.constantFrom(0, 0, 1, 5),
    tpm_limit: fc.constantFrom(0, 0, 100, 10_000),
    max_parallel_requests: fc.constantFrom(0, 0, 1, 3),
  }),
  draw: fc.nat(999).map((n) => n / 1_000),
  /**
   * `runsOn` says whether the call runs on, with its hold and slot, while the next worlds are
   * tried.
   */
  runsOn: oneIn(3),
});
type CallWorld = typeof callWorld extends fc.Arbitrary<infer World> ? World : never;

const virtualOf = ({ virtual: { tiers, strategy, access } }: CallWorld): RoutedName => ({
  name: virtualName,
  seed: "seed",
  tiers: tiers.map((names) => ({
    strategy,
    targets: names.map((model, index) => ({ model, weight: index + 1 })),
  })),
  sticky: "none",
  access,
  retries_refused_content: false,
});

const channelOf = (world: CallWorld["channels"][number], index: number): RelayChannel => {
  const status = world.hasKey ? 1 : 2;
  const urls = Object.fromEntries(
    world.endpoints.map(([name, path]) => [name, new URL(`https://upstream.example${path}`)]),
  );
  return relayChannel(index + 1, {
    status: world.status,
    disabledReason: "status 401",
    priority: world.priority,
    weight: world.weight,
    ratelimit: world.ratelimit,
    groups: new Set(world.groups),
    models: new Set(world.models),
    hiddenModels: new Set(world.hidden ? world.models : []),
    urlsFor: () => urls,
    keys: [{ index: 0, key: "k", hint: "", status }],
  });
};

describe.each(testDatabases)("a call is forecast on $name", ({ name, open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(storage.db, 0, [null]);
  });
  afterAll(() => storage.close());

  const tryWorlds = async (numRuns: number): Promise<void> => {
    const { db } = storage;
    const clock = { now: 1_800_000_000_000 };
    const now = () => clock.now;
    const counters = createMemoryCounters(now);
    const options = buildOptionReader(
      new Map([
        ["RetryTimes", "2"],
        ["GroupRatio", '{"default":1,"vip":0.4,"svip":3,"closed":2}'],
        ["SelectableGroups", "vip,svip"],
      ]),
    );
    const settings = relaySettings({ tokenKeyPrefix: "sk-", publicUrl: undefined }, options);
    const openToOwner: OpenGroups = (own, named) => openGroups(options, own, named);
    const holds = startLiveHolds(db, now, (error) => {
      throw error;
    });
    const book = buildPriceBook(readPriceLists());
    const shared = {
      ...{ counters, settings, holds, now },
      apiKeys: createApiKeys(db, now, openToOwner),
      breakers: createBreakers(now),
      channelLimits: createChannelLimits(counters),
      modelPace: createModelPace(now),
      toldLimits: createToldLimits(now),
    };
    const running: (() => Promise<void>)[] = [];
    const seen = new Map<string, number>();
    const tokenId = account.tokenIds[0] ?? 0;

    const build = async ({
      user,
      wallet,
      token: { expiresInMs, ...token },
    }: CallWorld): Promise<void> => {
      const expired_at = expiresInMs === null ? null : clock.now + expiresInMs;
      const [held] = await db.read(
        db.sql.selectFrom("wallets").select("held").where("id", "=", account.walletId),
      );
      await db.write(
        [
          { query: db.sql.updateTable("users").set(user).where("id", "=", account.userId) },
          {
            query: db.sql
              .updateTable("wallets")
              // A wallet never holds more than it has.
              .set({ ...wallet, balance: wallet.balance + (held?.held ?? 0) })
              .where("id", "=", account.walletId),
          },
          {
            query: db.sql
              .updateTable("tokens")
              .set({ ...token, expired_at, key_hash: hashKey(key) })
              .where("id", "=", tokenId),
          },
        ],
        { changes: ["users", "tokens"] },
      );
    };

    const tryCall = async (world: CallWorld): Promise<void> => {
      clock.now += world.passedMs;
      if (running.length > 3 || world.passedMs > 30_000)
        for (const end of running.splice(0)) await end();
      await build(world);
      const channels = world.channels.map(channelOf);
      const { failure, model } = world;
      const failed = failure && channels[failure.channel];
      if (failure && failed)
        shared.breakers
          .acquire(failed.id, model)
          .failed(failure.status, failure.waitMs ?? undefined);
      const snapshot = buildChannelSnapshot(channels, book, [virtualOf(world)]);
      const deps: AdmissionDeps & Omit<CallForecastDeps, "db"> = {
        ...shared,
        channels: { snapshot, refresh: async () => undefined },
        budgets: {
          ...{ heldBy: () => undefined, ofKey: () => [], find: () => undefined },
          ...{ hasChannels: () => false, ofChannel: () => [] },
        },
        readCounters: async () => [],
        readFunds: (walletId, of) => readFunds(db, walletId, of),
        budgetPauses: { afterRefusal: async () => undefined },
        tags: { of: () => undefined },
        runs: { of: () => undefined, isStopped: () => false },
        random: () => world.draw,
      };

      const asked = await findCallerOfToken(db, tokenId, openToOwner);
      if (!asked) throw new Error("the token is gone");
      const forecast = await forecastCall(asked, world, { ...deps, db });

      const request = new IncomingMessage(new Socket());
      const exchange = new Exchange(db.mintId(), request, new ServerResponse(request), "127.0.0.1");
      const credential = { key, whole: key, pin: undefined };
      const [refusal] = forecast.refusals;
      seen.set(refusal?.step ?? "works", (seen.get(refusal?.step ?? "works") ?? 0) + 1);
      try {
        const caller = await authenticate(credential, shared.apiKeys, exchange, clock.now);
        const isServed = (model: string) => snapshot.channelsBehind(model).length > 0;
        const call = authorize(caller, sampleCall(world, false, isServed), snapshot.namesNeeded);
        const admitted = await admitCall(exchange, call, caller, credential, deps);
        expect(forecast.refusals).toEqual([]);
        const tried = forecast.channels
          .filter(({ is_candidate }) => is_candidate)
          .map(({ id }) => id);
        expect(admitted.choice.candidates.map(({ channel }) => channel.id)).toEqual(tried);
        const [hold] = await db.read(
          db.sql.selectFrom("reservations").select("amount").where("id", "=", exchange.id),
        );
        expect(hold?.amount).toBe(forecast.hold?.granted);
        for (const candidate of admitted.choice.candidates) {
          expect(candidate.group).toBe(
            caller.namesGroups ? groupServing(candidate.channel, caller.groups) : undefined,
          );
          const ratio = readGroupRatio(candidate.group ?? caller.group, settings.groupRatios());
          expect(candidate.cost.frozen.group_ratio).toBe(ratio);
          const { amount } = readWantedHold(call, { candidates: [candidate] }, settings);
          expect(forecast.hold?.wanted).toBeGreaterThanOrEqual(amount);
        }
        if (forecast.hold?.output_limit != null)
          expect(admitted.call.maxOutputTokens).toBe(forecast.hold.output_limit);
        // As the attempt does.
        for (const { channel } of admitted.choice.candidates.slice(0, 1))
          await shared.channelLimits.consume(tokenId, channel);
        running.push(async () => {
          exchange.facts.admission?.finish(3);
          await holds.release(exchange.id);
        });
        if (!world.runsOn) await running.pop()?.();
      } catch (error) {
        exchange.facts.admission?.finish(0);
        if (!(error instanceof RelayRefused)) throw error;
        const { status, message, code, type, retryAfter } = error.refusal;
        expect(refusal).toEqual({
          ...{ step: refusal?.step, status, message, code: String(code ?? type) },
          ...(retryAfter !== undefined && { retry_after: retryAfter }),
        });
      }
    };

    try {
      await fc.assert(fc.asyncProperty(callWorld, tryCall), { numRuns, endOnFailure: true });
    } finally {
      for (const end of running) await end();
      await holds.close();
    }
    // The worlds are worth trying: each step refuses some of them, and some calls work.
    if (numRuns === someWorlds) return;
    for (const step of ["key", "model", "route", "limits", "balance", "works"]) {
      expect(seen.get(step) ?? 0, step).toBeGreaterThan(numRuns / 200);
    }
  };

  if (name === "sqlite") test("in some worlds as it then happens", () => tryWorlds(someWorlds));

  test(
    "as it then happens: the refusal in the client's words, the channels in their order, the units held",
    {
      tags: ["large"],
      timeout: 300_000,
    },
    () => tryWorlds(name === "sqlite" ? worlds : worldsOnPostgres),
  );
});
