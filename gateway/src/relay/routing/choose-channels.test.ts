import { chatUrls, relayChannel } from "@tollgate/tests/support/relay-channel.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { createBreakers } from "./breakers.ts";
import { groupServing } from "./channel-groups.ts";
import { buildChannelSnapshot, type RelayChannel } from "./channel-table.ts";
import { chooseChannels, type RoutingRequest } from "./choose-channels.ts";
import { orderByPriority } from "./order-channels.ts";
import { describeReason } from "./routing-reasons.ts";
import { createToldLimits } from "./told-limits.ts";

const channel = (id: number, changes: Partial<RelayChannel> = {}): RelayChannel =>
  relayChannel(id, { models: new Set(["small"]), ...changes });
const request: RoutingRequest = {
  model: "small",
  endpoint: "chat_completions",
  groups: ["default"],
  groupRatioFor: () => 1_000_000,
  pin: undefined,
  tokenId: 1,
  userId: 1,
  preferred: undefined,
  attemptsMax: 5,
};
const first = () => 0;
const inGroups = (...groups: string[]): Pick<RoutingRequest, "groups" | "groupOf"> => ({
  groups,
  groupOf: (channel) => groupServing(channel, groups) ?? "",
});
const of = (...groups: string[]): Pick<RelayChannel, "groups"> => ({ groups: new Set(groups) });

/** Breakers and waits at time 0 of a clock that a test may move. */
function memories() {
  const clock = { now: 0 };
  const now = () => clock.now;
  return {
    clock,
    breakers: createBreakers(now),
    waits: new Map<number, number>(),
    toldLimits: createToldLimits(now),
  };
}

function choose(
  channels: RelayChannel[],
  changes: Partial<RoutingRequest> = {},
  memory = memories(),
) {
  const snapshot = buildChannelSnapshot(channels, new Map());
  const choice = chooseChannels(
    { ...request, ...changes },
    snapshot,
    memory,
    memory.clock.now,
    first,
  );
  return {
    tried: choice.candidates.map(({ channel: { id } }) => id),
    groups: choice.candidates.map(({ group }) => group),
    reasons: choice.candidates.map(({ reason }) => describeReason(reason)),
    excluded: Object.fromEntries(
      choice.excluded.map(({ channel: { id }, reason }) => [id, describeReason(reason)]),
    ),
  };
}

/** The provider of a channel says in an answer that it takes no more requests. */
const nothingLeft = {
  "x-ratelimit-remaining-requests": "0",
  "x-ratelimit-limit-requests": "60",
  "x-ratelimit-reset-requests": "1m0s",
};

describe("a channel whose provider has nothing left of its rate limit", () => {
  const model = request.model;

  test("is tried after the others until a call has room again, and says so", () => {
    const memory = memories();
    memory.toldLimits.hear(1, 0, model, nothingLeft);
    const channels = [channel(1, { priority: 9 }), channel(2)];
    expect(choose(channels, {}, memory)).toMatchObject({
      tried: [2, 1],
      reasons: ["priority 0", "last resort: its provider has no requests left, 1 s to go"],
    });
    memory.clock.now += 1_000;
    expect(choose(channels, {}, memory).tried).toEqual([1, 2]);
  });

  test("is tried all the same where it is the only one, and for what another account signed", () => {
    const memory = memories();
    memory.toldLimits.hear(1, 0, model, nothingLeft);
    expect(choose([channel(1)], {}, memory).tried).toEqual([1]);
    const preferred = { channelId: 1, keyIndex: 0, isBound: true };
    expect(choose([channel(1), channel(2)], { preferred }, memory).tried).toEqual([1, 2]);
  });

  test("keeps its place for other models, and while another of its keys has some left", () => {
    const memory = memories();
    memory.toldLimits.hear(1, 0, "another", nothingLeft);
    memory.toldLimits.hear(2, 0, model, nothingLeft);
    const keys = [0, 1].map((index) => ({ index, key: `k${index}`, hint: "", status: 1 }));
    expect(
      choose(
        [channel(1, { priority: 9 }), channel(2, { priority: 8, keys }), channel(3)],
        {},
        memory,
      ).tried,
    ).toEqual([1, 2, 3]);
  });
});

describe("choosing channels", () => {
  test("tries the channels of a key's first group before those of the next, whatever their priorities", () => {
    const channels = [
      channel(1, { ...of("dear"), priority: 9 }),
      channel(2, of("cheap")),
      channel(3, { ...of("cheap", "dear"), priority: 1 }),
      channel(4, of("other")),
    ];
    expect(choose(channels, inGroups("cheap", "dear"))).toMatchObject({
      tried: [3, 2, 1],
      groups: ["cheap", "cheap", "dear"],
      excluded: { 4: "not for the groups cheap, dear" },
    });
    expect(choose(channels, inGroups("dear", "cheap"))).toMatchObject({
      tried: [1, 3, 2],
      groups: ["dear", "dear", "cheap"],
    });
  });
  test("tries channels that list the name before those with a pattern, the longest beginning first", () => {
    const pattern = (id: number, ...modelPatterns: string[]) =>
      channel(id, { models: new Set(), modelPatterns });
    const channels = [
      { ...pattern(1, "sm*"), priority: 9 },
      pattern(2, "small*", "sma*"),
      { ...pattern(3, "sma*"), priority: 1 },
      channel(4),
      pattern(5, "other*"),
      { ...pattern(6, "sma*"), priority: 2 },
    ];
    expect(choose(channels).tried).toEqual([4, 6, 3, 2, 1]);
    expect(
      choose([channel(1, { models: new Set(["other"]), modelPatterns: ["sm*"] })]).tried,
    ).toEqual([1]);
    // A pattern stands for more than its beginning.
    expect(() => choose([pattern(2, "small*")])).toThrow(RelayRefused);
  });
  test("tries what just failed after the ready channels of all groups of a key", () => {
    const memory = memories();
    memory.breakers.acquire(1, "small").failed(503, undefined);
    const channels = [channel(1, of("cheap")), channel(2, of("dear"))];
    expect(choose(channels, inGroups("cheap", "dear"), memory)).toMatchObject({ tried: [2, 1] });
  });
  test("leaves the next group of a key its tries, however many channels the first one has", () => {
    const channels = [1, 2, 3, 4].map((id) => channel(id, of(id < 4 ? "cheap" : "dear")));
    const { tried, excluded } = choose(channels, { ...inGroups("cheap", "dear"), attemptsMax: 2 });
    expect(tried).toEqual([1, 2, 4]);
    expect(excluded).toEqual({ 3: "beyond the number of tries" });
  });
  test("refuses a key whose owner may use none of its groups", () => {
    expect(() => choose([channel(1)], inGroups())).toThrow(
      "may use none of the groups that it names",
    );
  });
  test("lets no channel of a later group precede a ready one of an earlier group, over generated worlds", () => {
    const names = ["a", "b", "c"];
    const world = fc.record({
      channels: fc.array(
        fc.record({ groups: fc.subarray(names), priority: fc.nat(2), weight: fc.nat(2) }),
      ),
      groups: fc.shuffledSubarray(names, { minLength: 1 }),
      attemptsMax: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(world, ({ channels, groups, attemptsMax }) => {
        const usable = channels.filter((one) => one.groups.some((group) => groups.includes(group)));
        fc.pre(usable.length > 0);
        const all = channels.map((one, index) =>
          channel(index + 1, { ...one, groups: new Set(one.groups) }),
        );
        const result = choose(all, { ...inGroups(...groups), attemptsMax });
        const ranks = result.groups.map((group) => groups.indexOf(group ?? ""));
        expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
        expect(new Set(result.tried).size).toBe(result.tried.length);
        for (const group of groups) {
          const own = usable.filter(
            (one) => groups.find((name) => one.groups.includes(name)) === group,
          );
          expect(result.groups.filter((name) => name === group).length).toBe(
            Math.min(own.length, attemptsMax),
          );
        }
      }),
    );
  });
  test("passes over a channel that none of the tools would reach, and names the tools where no other is left", () => {
    const own = { ...chatUrls, response_api: new URL("https://upstream.example/v1/responses") };
    const both = [channel(1, { priority: 5 }), channel(2, { urlsFor: () => own })];
    const changes: Partial<RoutingRequest> = { endpoint: "response_api", neededTools: "own_api" };
    expect(choose(both, changes)).toMatchObject({
      tried: [2],
      excluded: { 1: "none of the tools of the call would reach it" },
    });
    expect(choose([channel(1)], { ...changes, neededTools: "functions" }).tried).toEqual([1]);
    const refusal = { status: 400, code: "tools_not_served", param: "tools" };
    expect(() => choose([channel(1)], changes)).toThrow(
      expect.objectContaining({ refusal: expect.objectContaining(refusal) }),
    );
    expect(() => choose([channel(1)], { ...changes, pin: "1" })).toThrow(
      "can carry any of the tools",
    );
    const talk = { coze_chat: new URL("https://upstream.example/v3/chat") };
    expect(() =>
      choose([channel(1, { urlsFor: () => talk })], { neededTools: "functions" }),
    ).toThrow("any of the tools");
  });
  test("sends a call that refers to an earlier response only to channels that can have stored it", () => {
    const both = { ...chatUrls, response_api: new URL("https://upstream.example/v1/responses") };
    const translating = channel(1, { priority: 5 });
    const changes: Partial<RoutingRequest> = {
      endpoint: "response_api",
      refersTo: "previous_response_id",
    };
    expect(choose([translating, channel(2, { urlsFor: () => both })], changes)).toMatchObject({
      tried: [2],
      excluded: { 1: "it cannot know what the call refers to" },
    });
    expect(() => choose([translating], changes)).toThrow(
      /previous_response_id.*send the whole conversation in input \(the AI SDK does with store: false\)/,
    );
    expect(() => choose([translating], { ...changes, pin: "1" })).toThrow(/previous_response_id/);
    expect(() => choose([], changes)).toThrow(/does not exist/);
  });
  test("goes down the priorities and gives the reason for every excluded channel", () => {
    const result = choose([
      channel(1, { priority: -1 }),
      channel(2, { priority: 5 }),
      channel(3, { status: 2 }),
      channel(4, { status: 3, disabledReason: "status 401" }),
      channel(5, { groups: new Set(["vip"]) }),
      channel(6, { hiddenModels: new Set(["small"]) }),
      channel(7, { urlsFor: () => ({}) }),
      channel(8, { models: new Set(["large"]) }),
    ]);
    expect(result.tried).toEqual([2, 1]);
    expect(result.excluded).toEqual({
      3: "disabled",
      4: "disabled automatically: status 401",
      5: "not for the group default",
      6: "the model is hidden on this channel",
      7: "its type does not serve chat completions",
    });
  });
  test("stops after the number of attempts", () => {
    expect(choose([channel(1), channel(2), channel(3)], { attemptsMax: 2 })).toMatchObject({
      tried: [1, 2],
      excluded: { 3: "beyond the number of tries" },
    });
  });
  test("keeps a channel that just failed as the last resort", { tags: ["FT-06"] }, () => {
    const memory = memories();
    memory.breakers.acquire(1, "small").failed(503, undefined);
    const result = choose([channel(1, { priority: 9 }), channel(2)], {}, memory);
    expect(result.tried).toEqual([2, 1]);
    expect(result.reasons).toEqual([
      "priority 0",
      "last resort: suspended after status 503, 30 s left",
    ]);
  });
  test("excludes a channel for as long as its upstream asked", () => {
    const memory = memories();
    memory.breakers.acquire(1, "small").failed(429, 7_000);
    expect(choose([channel(1), channel(2)], {}, memory).tried).toEqual([2]);
    expect(() => choose([channel(1)], {}, memory)).toThrow(
      expect.objectContaining({ refusal: expect.objectContaining({ status: 429, retryAfter: 7 }) }),
    );
  });
  test("lets one call at a time try whether a suspended channel works again", () => {
    const memory = memories();
    memory.breakers.acquire(1, "small").failed(503, undefined);
    memory.clock.now = 30_000;
    const both = [channel(1, { priority: 9 }), channel(2)];
    expect(choose(both, {}, memory)).toMatchObject({
      tried: [1, 2],
      reasons: ["priority 9, tried again after status 503", "priority 0"],
    });
    const trial = memory.breakers.acquire(1, "small");
    expect(choose(both, {}, memory)).toMatchObject({
      tried: [2, 1],
      reasons: ["priority 0", "last resort: another call tries it after status 503"],
    });
    trial.succeeded();
    expect(choose(both, {}, memory).tried).toEqual([1, 2]);
  });
  test("skips channels whose limit the key has reached, and says when to retry", () => {
    const memory = memories();
    const limited = channel(1, { priority: 9, ratelimit: 1 });
    memory.waits.set(1, 189_001).set(2, 0);
    expect(choose([limited, channel(2)], {}, memory)).toMatchObject({
      tried: [2],
      excluded: { 1: "the API key has reached the rate limit of this channel, 190 s left" },
    });
    for (const pin of [undefined, "1"])
      expect(() => choose([limited], { pin }, memory)).toThrow(
        expect.objectContaining({
          refusal: expect.objectContaining({ status: 429, retryAfter: 190 }),
        }),
      );
  });
  test("prefers the channel that answered a conversation last, among those of its priority", () => {
    const channels = [channel(1), channel(2), channel(3, { priority: 1 })];
    expect(choose(channels, { preferred: { channelId: 2, keyIndex: 0 } })).toMatchObject({
      tried: [3, 2, 1],
      reasons: ["priority 1", "priority 0, answered this conversation last", "priority 0"],
    });
    const memory = memories();
    memory.breakers.acquire(2, "small").failed(503, undefined);
    expect(choose(channels, { preferred: { channelId: 2, keyIndex: 0 } }, memory).tried).toEqual([
      3, 1, 2,
    ]);
    expect(choose(channels, { preferred: { channelId: 9, keyIndex: 0 } }).tried).toEqual([3, 1, 2]);
  });
  test("puts the channel first that alone can read what the request brings, whatever the priorities", () => {
    const channels = [channel(1), channel(2), channel(3, { priority: 1 })];
    const preferred = { channelId: 2, keyIndex: 0, isBound: true };
    expect(choose(channels, { preferred }).tried).toEqual([2, 3, 1]);
    const memory = memories();
    memory.breakers.acquire(2, "small").failed(503, undefined);
    expect(choose(channels, { preferred }, memory).tried).toEqual([3, 1, 2]);
  });
  test("excludes a channel without an enabled key", () => {
    const keys = [2, 3].map((status, index) => ({ index: index + 1, key: "k", hint: "", status }));
    expect(choose([channel(1, { keys }), channel(2)]).excluded).toEqual({
      1: "every key of it is disabled",
    });
    expect(() => choose([channel(1, { keys })], { pin: "1" })).toThrow("The channel 1 is disabled");
  });
  const refusalOf = (channels: RelayChannel[], changes: Partial<RoutingRequest> = {}): unknown => {
    try {
      choose(channels, changes);
    } catch (error) {
      return error instanceof RelayRefused ? error.refusal : error;
    }
    return undefined;
  };
  test.each<[string, RelayChannel[]]>([
    ["no channel lists it", []],
    ["an administrator disabled the channel", [channel(1, { status: 2 })]],
    ["only another group has it", [channel(1, of("vip"))]],
    ["it is hidden", [channel(1, { hiddenModels: new Set(["small"]) })]],
  ])("answers 404 for a model that the key cannot know: %s", (_, channels) => {
    const refusal = {
      status: 404,
      type: "invalid_request_error",
      code: "model_not_found",
      param: "model",
    };
    expect(refusalOf(channels)).toMatchObject(refusal);
    expect(refusalOf(channels)).toMatchObject({ message: expect.not.stringContaining("default") });
  });
  test.each<[string, RelayChannel[]]>([
    ["the channel was disabled automatically", [channel(1, { status: 3 })]],
    [
      "its keys are disabled",
      [channel(1, { keys: [{ index: 1, key: "k", hint: "", status: 2 }] })],
    ],
    ["one of several is", [channel(1, { status: 2 }), channel(2, { status: 3 })]],
  ])("answers 503 with a time to wait for a model that comes back: %s", (_, channels) => {
    expect(refusalOf(channels)).toMatchObject({ status: 503, code: "no_channel", retryAfter: 30 });
  });
  test("names the cure for token ids, which only channels of OpenAI's own API read", () => {
    const google = { gemini_embeddings: new URL("https://upstream.example/v1beta/models") };
    const changes: Partial<RoutingRequest> = { endpoint: "embeddings", ownApiFor: "token_ids" };
    const refused = refusalOf([channel(1, { urlsFor: () => google })], changes);
    expect(refused).toMatchObject({
      status: 400,
      param: "input",
      message: expect.stringContaining("send the text itself"),
    });
  });
  test("answers 400 where the model is served at other endpoints alone", () => {
    const refusal = { status: 400, code: "model_not_supported", param: "model" };
    expect(refusalOf([channel(1)], { endpoint: "images_generations" })).toMatchObject(refusal);
  });
  test("takes an administrator's pin by id or uuid, whatever the group", () => {
    const channels = [channel(1), channel(2, { groups: new Set(["vip"]) })];
    expect(choose(channels, { pin: "2" }).tried).toEqual([2]);
    expect(choose(channels, { pin: "uuid-1" }).tried).toEqual([1]);
    expect(() => choose(channels, { pin: "9" })).toThrow("There is no channel 9");
  });
});

test("an order holds every channel once, higher priorities first", () => {
  const channels = fc.array(
    fc.record({ priority: fc.integer({ min: -3, max: 3 }), weight: fc.nat(5) }),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(
      channels,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999999, noNaN: true })),
      (some, numbers) => {
        const all = some.map((changes, id) => channel(id, changes));
        const order = orderByPriority(all, () => numbers.next().value ?? 0);
        expect(order.map(({ id }) => id).sort((a, b) => a - b)).toEqual(all.map(({ id }) => id));
        expect(order.map(({ priority }) => priority)).toEqual(
          all.map(({ priority }) => priority).sort((a, b) => b - a),
        );
      },
    ),
  );
});

test("weights decide how often a channel comes first", () => {
  const tier = [channel(1, { weight: 3 }), channel(2, { weight: 1 }), channel(3, { weight: 0 })];
  const steps = 4_000;
  const firsts = Array.from(
    { length: steps },
    (_, step) => orderByPriority(tier, () => step / steps)[0]?.id,
  );
  expect([1, 2, 3].map((id) => firsts.filter((one) => one === id).length)).toEqual([
    3_000, 1_000, 0,
  ]);
});
