import { expect, test } from "vitest";
import { createKeyCooldowns } from "./key-cooldowns.ts";

const key = (index: number, status = 1) => ({ index, key: `k${index}`, hint: "", status });

function world(...statuses: number[]) {
  const clock = { now: 1_000_000 };
  const rests = createKeyCooldowns(() => clock.now);
  const channel = { id: 1, keys: statuses.map((status, index) => key(index + 1, status)) };
  const order = (first?: number) => rests.keysToTry(channel, first).map(({ index }) => index);
  return { clock, rests, order };
}

test("every call begins with the next key, and disabled ones are left out", () => {
  const { order } = world(1, 2, 1, 3, 1);
  expect([order(), order(), order(), order()]).toEqual([
    [1, 3, 5],
    [3, 5, 1],
    [5, 1, 3],
    [1, 3, 5],
  ]);
});

test("a conversation begins with the key that answered it last, unless that key is cooling down", () => {
  const { rests, order } = world(1, 1, 1);
  expect(order(3)).toEqual([3, 1, 2]);
  rests.coolDown(1, 3, 401, undefined);
  expect(order(3)).toEqual([2, 1, 3]);
});

test("a key that was refused comes last for a minute, one whose provider named a time not at all", () => {
  const { clock, rests, order } = world(1, 1, 1);
  rests.coolDown(1, 1, 429, undefined);
  rests.coolDown(1, 2, 429, 5_000);
  expect(order()).toEqual([3, 1]);
  expect(rests.list()).toEqual([
    { channelId: 1, keyIndex: 1, reason: "status 429", until: clock.now + 60_000, isHard: false },
    { channelId: 1, keyIndex: 2, reason: "status 429", until: clock.now + 5_000, isHard: true },
  ]);
  clock.now += 5_000;
  expect(order()).toEqual([2, 3, 1]);
  clock.now += 55_000;
  expect(order()).toEqual([3, 1, 2]);
  expect(rests.list()).toEqual([]);
});

test("when every key is cooling down, all are tried: the channel's breaker decides whether to call at all", () => {
  const { rests, order } = world(1, 1);
  rests.coolDown(1, 1, 429, 60_000);
  rests.coolDown(1, 2, 429, 60_000);
  expect(order()).toEqual([1, 2]);
});

test("a channel with one key has nothing to rotate, and none without an enabled one", () => {
  expect([world(1).order(), world(2, 3).order()]).toEqual([[1], []]);
});
