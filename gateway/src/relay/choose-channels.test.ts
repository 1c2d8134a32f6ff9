import { noType } from "@tollgate/contract/channel-types.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { channelSnapshot, type RelayChannel } from "./channel-table.ts";
import { byPriorityAndWeight, chooseChannels, type Wish } from "./choose-channels.ts";
import { openAi } from "./providers/usual.ts";
import { openSuspensions } from "./suspensions.ts";

const chat = { chat_completions: new URL("https://upstream.example/v1/chat/completions") };

const channel = (id: number, changes: Partial<RelayChannel> = {}): RelayChannel => ({
  id,
  uuid: `uuid-${id}`,
  name: `channel ${id}`,
  type: 1,
  status: 1,
  disabledReason: "",
  priority: 0,
  weight: 0,
  groups: new Set(["default"]),
  models: new Set(["small"]),
  hidden: new Set(),
  mapping: new Map(),
  configs: new Map(),
  systemPrompt: null,
  provider: openAi,
  settings: { type: noType, base: "", config: {}, other: "", profiles: new Map() },
  urlsFor: () => chat,
  key: "k",
  ...changes,
});
const wish: Wish = {
  model: "small",
  entry: "chat_completions",
  group: "default",
  ratioOn: () => 1_000_000,
  pin: undefined,
  triesMax: 5,
};
const first = () => 0;

function choose(channels: RelayChannel[], changes: Partial<Wish> = {}, suspensions = openSuspensions(() => 0)) {
  const choice = chooseChannels({ ...wish, ...changes }, channelSnapshot(channels, new Map()), suspensions, 0, first);
  return {
    tried: choice.candidates.map(({ channel: { id } }) => id),
    excluded: Object.fromEntries(choice.excluded.map(({ channel: { id }, reason }) => [id, reason])),
  };
}

describe("choosing channels", () => {
  test("looks for what a call refers to only where it can be kept", () => {
    const both = { ...chat, response_api: new URL("https://upstream.example/v1/responses") };
    const translating = channel(1, { priority: 5 });
    const changes: Partial<Wish> = { entry: "response_api", refersTo: "previous_response_id" };
    expect(choose([translating, channel(2, { urlsFor: () => both })], changes)).toEqual({
      tried: [2],
      excluded: { 1: "it cannot know what the call refers to" },
    });
    expect(() => choose([translating], changes)).toThrow(/previous_response_id.*send the whole conversation/);
    expect(() => choose([translating], { ...changes, pin: "1" })).toThrow(/previous_response_id/);
    expect(() => choose([], changes)).toThrow(/No channel is available/);
  });
  test("goes down the priorities and says why the others are out", () => {
    const result = choose([
      channel(1, { priority: -1 }),
      channel(2, { priority: 5 }),
      channel(3, { status: 2 }),
      channel(4, { status: 3, disabledReason: "status 401" }),
      channel(5, { groups: new Set(["vip"]) }),
      channel(6, { hidden: new Set(["small"]) }),
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
  test("stops after the number of tries", () => {
    expect(choose([channel(1), channel(2), channel(3)], { triesMax: 2 })).toEqual({
      tried: [1, 2],
      excluded: { 3: "beyond the number of tries" },
    });
  });
  test("keeps a channel that just failed as the last resort", () => {
    const suspensions = openSuspensions(() => 0);
    suspensions.note(1, "small", 503, undefined);
    expect(choose([channel(1, { priority: 9 }), channel(2)], {}, suspensions).tried).toEqual([2, 1]);
  });
  test("leaves a channel alone for as long as its upstream asked", () => {
    const suspensions = openSuspensions(() => 0);
    suspensions.note(1, "small", 429, 7_000);
    expect(choose([channel(1), channel(2)], {}, suspensions).tried).toEqual([2]);
    expect(() => choose([channel(1)], {}, suspensions)).toThrow(
      expect.objectContaining({ refusal: expect.objectContaining({ status: 429, retryAfter: 7 }) }),
    );
  });
  test("answers 503 when nobody serves the model to the group", () => {
    expect(() => choose([channel(1)], { model: "huge" })).toThrow("No channel is available");
  });
  test("takes an administrator's pin by id or uuid, whatever the group", () => {
    const channels = [channel(1), channel(2, { groups: new Set(["vip"]) })];
    expect(choose(channels, { pin: "2" }).tried).toEqual([2]);
    expect(choose(channels, { pin: "uuid-1" }).tried).toEqual([1]);
    expect(() => choose(channels, { pin: "9" })).toThrow("There is no channel 9");
  });
});

test("an order holds every channel once, higher priorities first", () => {
  const channels = fc.array(fc.record({ priority: fc.integer({ min: -3, max: 3 }), weight: fc.nat(5) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(channels, fc.infiniteStream(fc.double({ min: 0, max: 0.999999, noNaN: true })), (some, numbers) => {
      const all = some.map((changes, id) => channel(id, changes));
      const order = byPriorityAndWeight(all, () => numbers.next().value ?? 0);
      expect(order.map(({ id }) => id).sort((a, b) => a - b)).toEqual(all.map(({ id }) => id));
      expect(order.map(({ priority }) => priority)).toEqual(all.map(({ priority }) => priority).sort((a, b) => b - a));
    }),
  );
});

test("weights decide how often a channel comes first", () => {
  const tier = [channel(1, { weight: 3 }), channel(2, { weight: 1 }), channel(3, { weight: 0 })];
  const steps = 4_000;
  const firsts = Array.from({ length: steps }, (_, step) => byPriorityAndWeight(tier, () => step / steps)[0]?.id);
  expect([1, 2, 3].map((id) => firsts.filter((one) => one === id).length)).toEqual([3_000, 1_000, 0]);
});
