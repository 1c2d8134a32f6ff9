import { expect, test } from "vitest";
import { noUsage } from "../../money/prices/price.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { addSessionsDue, addStartedContainers } from "./started-containers.ts";

const bodyWith = (...tools: object[]) => ({ body: Buffer.from(JSON.stringify({ tools })) });
const auto = (memory_limit?: unknown) => ({
  type: "code_interpreter",
  container: { type: "auto", memory_limit },
});
const shell = (memory_limit?: unknown) => ({
  type: "shell",
  environment: { type: "container_auto", memory_limit },
});

test.each([
  ["one that it started", 1, 1, bodyWith(auto()), 1],
  ["a large one, by its gigabytes", 1, 1, bodyWith(auto("16g")), 16],
  ["nothing for one that runs already", 1, 0, bodyWith(auto("16g")), 0],
  ["each of two tools", 2, 2, bodyWith(auto("4g"), shell("64g")), 68],
  [
    "the larger of two tools where one container was started",
    2,
    1,
    bodyWith(auto("4g"), shell("64g")),
    64,
  ],
  [
    "no more than its tools start, whatever an answer names",
    5_000,
    5_000,
    bodyWith(auto("4g"), shell()),
    5,
  ],
  ["a gigabyte each where the operator's parameters asked for them", 2, 2, bodyWith(), 2],
  ["no more than the answer names", 1, 3, bodyWith(), 1],
])("a call is charged for %s", { tags: ["S2-02"] }, (_, named, started, body, sessions) => {
  const usage = { ...noUsage, input: 7, container_sessions: named };
  const charged = addStartedContainers(usage, body, {
    startedContainers: () => started,
    renewedSessions: () => 0,
  });
  expect(charged).toEqual({
    ...noUsage,
    input: 7,
    ...(sessions > 0 && { container_sessions: sessions }),
  });
});

test("without a word on whose they are, all that an answer names are charged, and no call without any changes", () => {
  const named = { ...noUsage, container_sessions: 1 };
  expect(addStartedContainers(named, bodyWith(auto("4g")), undefined)).toEqual({
    ...named,
    container_sessions: 4,
  });
  const plain = { ...noUsage, input: 1 };
  expect(
    addStartedContainers(plain, bodyWith(auto()), {
      startedContainers: () => 1,
      renewedSessions: () => 3,
    }),
  ).toBe(plain);
});

test("a call is charged for the time of a container that it used again, beside those that it started", {
  tags: ["S2-02"],
}, () => {
  const usage = { ...noUsage, input: 7, container_sessions: 2 };
  const keeper = { startedContainers: () => 1, renewedSessions: () => 8 };
  expect(addStartedContainers(usage, bodyWith(auto("4g")), keeper)).toEqual({
    ...usage,
    container_sessions: 12,
  });
  const again = { startedContainers: () => 0, renewedSessions: () => 8 };
  expect(addStartedContainers(usage, bodyWith(), again)).toEqual({
    ...usage,
    container_sessions: 8,
  });
});

test("a call holds for the containers that it names beside those that it starts", {
  tags: ["S2-04"],
}, () => {
  const call = { extras: { container_sessions: 4, images: 1 } } as RelayCall;
  expect(addSessionsDue(call, { sessionsDue: 8 }).extras).toEqual({
    container_sessions: 12,
    images: 1,
  });
  expect(addSessionsDue({} as RelayCall, { sessionsDue: 8 }).extras).toEqual({
    container_sessions: 8,
  });
  expect([addSessionsDue({} as RelayCall), addSessionsDue(call, { sessionsDue: 0 })]).toEqual([
    {},
    call,
  ]);
});
