import { relayChannel } from "@tollgate/tests/support/relay-channel.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createBreakers } from "./breakers.ts";
import { buildChannelSnapshot, type RelayChannel } from "./channel-table.ts";
import { NoChannel, type RoutingRequest } from "./choose-channels.ts";
import { chooseTargets } from "./choose-targets.ts";
import { candidatesMax } from "./order-channels.ts";
import type { RoutedName } from "./routed-name.ts";
import { createToldLimits } from "./told-limits.ts";

const channel = (
  id: number,
  models: readonly string[],
  changes: Partial<RelayChannel> = {},
): RelayChannel => relayChannel(id, { models: new Set(models), ...changes });
const request: RoutingRequest = {
  model: "any",
  endpoint: "chat_completions",
  groups: ["default"],
  groupRatioFor: () => 1_000_000,
  pin: undefined,
  tokenId: 1,
  userId: 1,
  preferred: undefined,
  attemptsMax: 4,
};
const virtual = (
  tiers: readonly (readonly string[])[],
  changes: Partial<RoutedName> = {},
): RoutedName => ({
  name: "any",
  seed: "seed",
  tiers: tiers.map((models) => ({
    strategy: "weights",
    targets: models.map((model) => ({ model, weight: 1 })),
  })),
  sticky: "none",
  access: "name",
  retries_refused_content: false,
  ...changes,
});
const idle = { firstContentMs: () => undefined, runningCalls: () => 0 };
const now = () => 0;

function choose(
  channels: RelayChannel[],
  routed: RoutedName,
  {
    breakers = createBreakers(now),
    changes = {} as Partial<RoutingRequest>,
    random = (): number => 0,
  } = {},
) {
  const snapshot = buildChannelSnapshot(channels, new Map(), [routed]);
  const state = {
    breakers,
    toldLimits: createToldLimits(() => 0),
    waits: new Map<number, number>(),
  };
  return chooseTargets({ ...request, ...changes }, routed, snapshot, state, idle, 0, random);
}
const tried = ({ candidates }: ReturnType<typeof choose>) =>
  candidates.map(({ channel: { id }, model }) => `${model}@${id}`);

test("every channel of an earlier tier stands before those of a later one, those that just failed after all", () => {
  const channels = [channel(1, ["a", "b"]), channel(2, ["a"]), channel(3, ["c"])];
  const breakers = createBreakers(now);
  breakers.acquire(1, "a").failed(503, undefined);
  expect(tried(choose(channels, virtual([["a"], ["b", "c"]]), { breakers }))).toEqual([
    "a@2",
    "b@1",
    "c@3",
    "a@1",
  ]);
});

test("no candidate of a later tier precedes a ready one of an earlier tier, over generated worlds", () => {
  const models = ["a", "b", "c", "d"];
  const world = fc.record({
    channels: fc.array(
      fc.record({
        models: fc.subarray(models),
        status: fc.constantFrom(1, 1, 1, 2),
        failed: fc.boolean(),
      }),
      { maxLength: 6 },
    ),
    split: fc.integer({ min: 1, max: 3 }),
    draw: fc.nat(999).map((part) => part / 1_000),
    attemptsMax: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(world, ({ channels, split, draw, attemptsMax }) => {
      const breakers = createBreakers(now);
      const made = channels.map(({ models, status }, index) =>
        channel(index + 1, models, { status }),
      );
      channels.forEach(({ failed, models }, index) => {
        if (failed)
          for (const model of models) breakers.acquire(index + 1, model).failed(503, undefined);
      });
      const routed = virtual([models.slice(0, split), models.slice(split)]);
      let choice: ReturnType<typeof choose>;
      try {
        choice = choose(made, routed, { breakers, changes: { attemptsMax }, random: () => draw });
      } catch (error) {
        expect(error).toBeInstanceOf(NoChannel);
        expect(made.some(({ status, models: listed }) => status === 1 && listed.size > 0)).toBe(
          false,
        );
        return;
      }
      expect(choice.candidates.length).toBeLessThanOrEqual(candidatesMax);
      const ranks = choice.candidates.map(({ target, reason }) => [
        reason.reason === "last_resort" ? 1 : 0,
        target?.tier ?? 0,
      ]);
      expect(ranks).toEqual(ranks.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
      for (const { model, channel } of choice.candidates)
        expect(channel.models.has(model)).toBe(true);
      const perModel = Map.groupBy(choice.candidates, ({ model }) => model);
      for (const some of perModel.values()) expect(some.length).toBeLessThanOrEqual(attemptsMax);
    }),
  );
});

test("a target of the virtual name itself is the real model", () => {
  const routed = virtual([["any"], ["b"]]);
  expect(tried(choose([channel(1, ["any"]), channel(2, ["b"])], routed))).toEqual(["any@1", "b@2"]);
});

test("calls of one conversation, user or key stay with one target, and others spread", () => {
  const channels = [channel(1, ["a"]), channel(2, ["b"])];
  const firsts = (
    sticky: RoutedName["sticky"],
    changesOf: (index: number) => Partial<RoutingRequest>,
  ) =>
    new Set(
      Array.from({ length: 40 }, (_, index) =>
        tried(
          choose(channels, virtual([["a", "b"]], { sticky }), {
            changes: changesOf(index),
            random: () => (index % 2 === 0 ? 0.1 : 0.9),
          }),
        ).at(0),
      ),
    ).size;
  expect(firsts("conversation", () => ({ conversationId: "c" }))).toBe(1);
  expect(firsts("conversation", (index) => ({ conversationId: `c ${index}` }))).toBe(2);
  expect(firsts("user", (index) => ({ tokenId: index, conversationId: `c ${index}` }))).toBe(1);
  expect(firsts("user", (index) => ({ userId: index }))).toBe(2);
  expect(firsts("key", (index) => ({ userId: index }))).toBe(1);
  expect(firsts("key", (index) => ({ tokenId: index }))).toBe(2);
});

test("embeddings refuse a name for several models, because their vectors cannot be compared", () => {
  const changes: Partial<RoutingRequest> = { endpoint: "embeddings" };
  const embedding = {
    urlsFor: () => ({ embeddings: new URL("https://upstream.example/v1/embeddings") }),
  };
  const channels = [channel(1, ["a", "b"], embedding)];
  expect(() => choose(channels, virtual([["a"], ["b"]]), { changes })).toThrow(
    /vectors cannot be compared/,
  );
  expect(tried(choose(channels, virtual([["a"]]), { changes }))).toEqual(["a@1"]);
});

test("a name whose targets the key cannot know does not exist for it", () => {
  const channels = [
    channel(1, ["a"], { status: 2 }),
    channel(2, ["b"], { groups: new Set(["vip"]) }),
  ];
  const attempt = () => choose(channels, virtual([["a"], ["b"]]));
  expect(attempt).toThrow(
    expect.objectContaining({
      refusal: expect.objectContaining({ status: 404, code: "model_not_found" }),
    }),
  );
});

test("without a channel for any target, the refusal names the virtual model and every channel says why", () => {
  const channels = [
    channel(1, ["a"], { status: 3 }),
    channel(2, ["b"], { groups: new Set(["vip"]) }),
  ];
  const attempt = () => choose(channels, virtual([["a"], ["b"]]));
  expect(attempt).toThrow(
    "No channel is available for any target of the model any in the group default",
  );
  try {
    attempt();
  } catch (error) {
    expect(
      (error as NoChannel).excluded.map(({ target, reason }) => [target?.model, reason.reason]),
    ).toEqual([
      ["a", "auto_disabled"],
      ["b", "wrong_group"],
    ]);
  }
});

test("the model list of a key names the virtual model, or every target where the virtual model says so", () => {
  const channels = [channel(1, ["a"]), channel(2, ["b"])];
  const needed = (access: RoutedName["access"]) =>
    buildChannelSnapshot(channels, new Map(), [virtual([["a"], ["b"]], { access })]).namesNeeded(
      "any",
    );
  expect(needed("name")).toEqual(["any"]);
  expect(needed("targets")).toEqual(["a", "b"]);
  const { modelsOf } = buildChannelSnapshot(channels, new Map(), [
    virtual([["a"]]),
    virtual([["none"]], { name: "b" }),
  ]);
  // A virtual model hides the model of its name.
  expect(modelsOf(["default"])).toEqual(["a", "any"]);
});
