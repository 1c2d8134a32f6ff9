import { noType } from "@tollgate/contract/catalogue/channel-types.ts";
import { describe, expect, test } from "vitest";
import { createMemoryCounters } from "../../limits/counters.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { openAi } from "../providers/standard-providers.ts";
import { buildErrorFromResponse } from "../upstream/upstream-error.ts";
import { makeAttempts, type Revision } from "./attempts.ts";
import { createBreakers } from "./breakers.ts";
import { createChannelLimits } from "./channel-limits.ts";
import type { RelayChannel } from "./channel-table.ts";
import type { ChannelCandidate } from "./choose-channels.ts";
import { createKeyCooldowns } from "./key-cooldowns.ts";
import { createModelPace } from "./model-pace.ts";
import { createToldLimits } from "./told-limits.ts";

function candidate(
  id: number,
  keys: number,
  changes: Partial<RelayChannel> = {},
): ChannelCandidate {
  const places = keys === 1 ? [0] : Array.from({ length: keys }, (_, index) => index + 1);
  const channel: RelayChannel = {
    id,
    uuid: `u${id}`,
    name: "",
    type: 1,
    status: 1,
    disabledReason: "",
    priority: 0,
    weight: 0,
    ratelimit: 0,
    groups: new Set(),
    models: new Set(),
    modelPatterns: [],
    coveredModels: [],
    hiddenModels: new Set(),
    modelMapping: new Map(),
    configs: new Map(),
    systemPrompt: null,
    mayReportFalseUsage: false,
    proxy: undefined,
    provider: openAi,
    settings: { type: noType, base: "", config: {}, other: "", profiles: new Map() },
    urlsFor: () => ({}),
    key: `k${id}.${places[0]}`,
    keyIndex: places[0] ?? 0,
    keys: places.map((index) => ({ index, key: `k${id}.${index}`, hint: "", status: 1 })),
    ...changes,
  };
  return {
    channel,
    model: "m",
    reason: { reason: "pinned" },
    cost: {} as ChannelCandidate["cost"],
  };
}

function world() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const parts = {
    breakers: createBreakers(now),
    channelLimits: createChannelLimits(createMemoryCounters(now)),
    keyCooldowns: createKeyCooldowns(now),
    modelPace: createModelPace(now),
    toldLimits: createToldLimits(now),
  };
  /** `answers` holds a status by key; other keys succeed. Returns the keys that were tried. */
  const run = async (
    candidates: ChannelCandidate[],
    answers: Record<string, number> = {},
    wish = {},
  ) => {
    const tried: string[] = [];
    const skipped: number[] = [];
    const asked = { tokenId: 1, attemptsMax: 4, preferred: undefined, ...wish };
    for await (const turn of makeAttempts(
      candidates,
      asked,
      parts,
      ({ channel }) => void skipped.push(channel.id),
    )) {
      tried.push(turn.channel.key);
      const status = answers[turn.channel.key];
      if (status === undefined) {
        turn.succeeded();
        break;
      }
      turn.failed(buildErrorFromResponse(status, Buffer.from("{}"), {}, clock.now));
    }
    return { tried, skipped };
  };
  const isOpen = (id: number) => parts.breakers.find(id, "m")?.isOpen ?? false;
  return { clock, parts, run, isOpen };
}

describe("the attempts of a call", () => {
  test("go down the candidates until one works, and open the breakers of those that failed", async () => {
    const { run, isOpen } = world();
    expect(
      (await run([candidate(1, 1), candidate(2, 1), candidate(3, 1)], { "k1.0": 503 })).tried,
    ).toEqual(["k1.0", "k2.0"]);
    expect([1, 2, 3].map(isOpen)).toEqual([true, false, false]);
  });

  test.each([401, 403, 429])(
    "try the next key of a channel whose key got %i, and its breaker stays closed",
    async (status) => {
      const { run, isOpen, parts } = world();
      expect((await run([candidate(1, 3), candidate(2, 1)], { "k1.1": status })).tried).toEqual([
        "k1.1",
        "k1.2",
      ]);
      expect(isOpen(1)).toBe(false);
      expect(parts.keyCooldowns.list().map(({ keyIndex }) => keyIndex)).toEqual([1]);
    },
  );

  test("use the remaining key while the others cool down for as long as their provider asked", async () => {
    const { parts, run } = world();
    for (const place of [1, 2]) parts.keyCooldowns.coolDown(1, place, 429, 30_000);
    expect((await run([candidate(1, 3)])).tried).toEqual(["k1.3"]);
  });

  test("leave a channel when its error is not that of a key", async () => {
    const { run, isOpen, parts } = world();
    expect((await run([candidate(1, 3), candidate(2, 1)], { "k1.1": 503 })).tried).toEqual([
      "k1.1",
      "k2.0",
    ]);
    expect([isOpen(1), parts.keyCooldowns.list()]).toEqual([true, []]);
  });

  test("open the breaker with the last key, and are never more than allowed", async () => {
    const refused = { "k1.1": 429, "k1.2": 429, "k1.3": 429 };
    const all = world();
    expect((await all.run([candidate(1, 3), candidate(2, 1)], refused)).tried).toEqual([
      "k1.1",
      "k1.2",
      "k1.3",
      "k2.0",
    ]);
    expect(all.isOpen(1)).toBe(true);
    const few = world();
    expect(
      (await few.run([candidate(1, 3), candidate(2, 1)], refused, { attemptsMax: 2 })).tried,
    ).toEqual(["k1.1", "k1.2"]);
  });

  test("begin with the key that answered the conversation last", async () => {
    const { run } = world();
    const preferred = { channelId: 1, keyIndex: 3 };
    expect((await run([candidate(1, 3)], {}, { preferred })).tried).toEqual(["k1.3"]);
    expect((await run([candidate(1, 3)], {}, { preferred })).tried).toEqual(["k1.3"]);
    expect((await run([candidate(1, 3)])).tried).toEqual(["k1.3"]);
    expect((await run([candidate(1, 3)])).tried).toEqual(["k1.1"]);
  });

  test("skip a channel whose limit the key has reached since routing", async () => {
    const { run } = world();
    const limited = candidate(1, 1, { ratelimit: 1 });
    expect((await run([limited])).tried).toEqual(["k1.0"]);
    expect(await run([limited, candidate(2, 1)])).toEqual({ tried: ["k2.0"], skipped: [1] });
    expect(await run([limited])).toEqual({ tried: [], skipped: [1] });
  });

  test("defer a channel that another call has begun to try since routing", async () => {
    const { clock, parts, run } = world();
    parts.breakers.acquire(1, "m").failed(503, undefined);
    clock.now += 30_000;
    const trial = parts.breakers.acquire(1, "m");
    expect((await run([candidate(1, 1), candidate(2, 1)])).tried).toEqual(["k2.0"]);
    expect((await run([candidate(1, 1), candidate(2, 1)], { "k2.0": 503 })).tried).toEqual([
      "k2.0",
      "k1.0",
    ]);
    trial.release();
  });

  test("release a trial without a result: the client left, or made a mistake", async () => {
    const { clock, parts, run } = world();
    parts.breakers.acquire(1, "m").failed(503, undefined);
    clock.now += 30_000;
    expect((await run([candidate(1, 1)], { "k1.0": 400 })).tried).toEqual(["k1.0"]);
    expect(parts.breakers.find(1, "m")).toMatchObject({ isOpen: false, isOnTrial: false });
    for await (const _ of makeAttempts(
      [candidate(1, 1)],
      { tokenId: 1, attemptsMax: 4, preferred: undefined },
      parts,
      () => 0,
    ))
      break;
    expect(parts.breakers.find(1, "m")).toMatchObject({ isOpen: false, isOnTrial: false });
  });

  test("send a revised request once, to the same channel with the same key, whatever is left of the limits", async () => {
    const { clock, parts } = world();
    const options = { model: "m", tokenId: 1, attemptsMax: 2, preferred: undefined };
    const [first, second] = ["1", "2"].map((body) => ({
      call: { body: Buffer.from(body) } as RelayCall,
    }));
    const limited = candidate(1, 2, { ratelimit: 1 });
    const tried: [string, Revision | undefined][] = [];
    for await (const attempt of makeAttempts([limited, candidate(2, 1)], options, parts, () => 0)) {
      tried.push([attempt.channel.key, attempt.revised]);
      const revised = tried.length === 1 ? first : second;
      if (revised && !attempt.revise(revised)) {
        attempt.failed(buildErrorFromResponse(503, Buffer.from("{}"), {}, clock.now));
      }
    }
    expect(tried).toEqual([
      ["k1.1", undefined],
      ["k1.1", first],
      ["k2.0", undefined],
    ]);
    expect(parts.breakers.find(1, "m")).toMatchObject({ isOpen: true });
  });
});
