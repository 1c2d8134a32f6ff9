import { expect, test } from "vitest";
import { backupCauses } from "./backup-causes.ts";
import type { CauseChannel } from "./operator-causes.ts";
import { listSuspensionCauses } from "./suspension-causes.ts";
import { listToldSuspensions, type Suspension } from "./suspensions.ts";

const now = Date.UTC(2026, 10, 22, 9);
const minute = 60_000;
const channel = (id: number, status = 1): CauseChannel => ({
  ...{
    id,
    name: `channel ${id}`,
    status,
    models: "small",
    balance_micros: null,
    balance_updated_at: 0,
    updated_at: 0,
  },
});
const suspension = (minutes: number, changes: Partial<Suspension> = {}): Suspension => ({
  ...{
    channel: 1,
    model: "small",
    since: now - minutes * minute,
    openUntil: now + minute,
    reason: "status 503",
  },
  ...changes,
});
const found = (nodes: Suspension[][], channels = [channel(1), channel(2, 2)]) =>
  listSuspensionCauses(channels, nodes, now).map(({ event, begins }) => ({
    ...event.facts,
    begins,
  }));

test("a channel that some node has passed over for ten minutes fires, and is told by its longest suspension", () => {
  const facts = {
    kind: "channel_suspended",
    channel: "channel 1",
    model: "small",
    reason: "status 503",
  };
  expect(found([[], [suspension(9.9)]])).toEqual([{ ...facts, minutes: 9, begins: false }]);
  expect(found([[suspension(3)], [suspension(10)]])).toEqual([
    { ...facts, minutes: 10, begins: true },
  ]);
  expect(found([[suspension(12, { model: "large" }), suspension(11)]])).toEqual([
    { ...facts, model: "large", minutes: 12, begins: true },
  ]);
});

test("one that only waits for a call does not fire, and lasts where it has", () => {
  const idle = suspension(40, { model: "idle", openUntil: now - minute });
  expect(found([[idle]])).toMatchObject([{ model: "idle", begins: false }]);
  expect(found([[idle, suspension(10)]])).toMatchObject([{ model: "small", begins: true }]);
});

test("a channel that is disabled or gone says nothing", () => {
  expect(found([[suspension(20, { channel: 2 }), suspension(20, { channel: 3 })]])).toEqual([]);
});

test("a node tells what it has suspended for a minute, and again after a trial that failed", () => {
  const breaker = (since: number, openUntil = now + minute) => ({
    ...{ channelId: 1, model: "small", since, openUntil, reason: "no answer" },
  });
  const once = [
    breaker(now - minute, now),
    breaker(now - 80_000, now - 50_000),
    breaker(now - 59_999),
  ];
  expect(listToldSuspensions([...once, breaker(now - minute)], now)).toEqual([
    {
      channel: 1,
      model: "small",
      since: now - minute,
      openUntil: now + minute,
      reason: "no answer",
    },
  ]);
});

test("a backup that is older than its interval, or not known, is told, and none where no interval is set", () => {
  const told = (at: number | undefined, hours: number) =>
    backupCauses({ at }, hours, now).map(({ event }) => event.facts);
  expect(told(now - 24 * 60 * minute, 24)).toEqual([]);
  expect(told(now - 24 * 60 * minute - 1, 24)).toEqual([
    { kind: "backup_old", last: "2026-11-21 08:59 UTC", hours: 24 },
  ]);
  expect(told(undefined, 24)).toEqual([{ kind: "backup_old", last: "", hours: 24 }]);
  expect([told(undefined, 0), backupCauses(undefined, 24, now)]).toEqual([[], []]);
});
