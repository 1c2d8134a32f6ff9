import { describe, expect, test } from "vitest";
import {
  asksForLargeContainer,
  buildSessionsAsked,
  collectContainers,
  computeSessionsCharged,
  computeSessionsDue,
  parseContainerSizes,
  sessionMs,
} from "./container-sessions.ts";

const interpreter = (container?: unknown) => ({
  type: "code_interpreter",
  ...(container !== undefined && { container }),
});
const shell = (environment?: unknown) => ({
  type: "shell",
  ...(environment !== undefined && { environment }),
});
const askedBy = (...tools: unknown[]) => buildSessionsAsked({ tools }).extras?.container_sessions;

describe("the containers that a request starts", { tags: ["S2-04"] }, () => {
  test.each([
    ["a program's", interpreter({ type: "auto" }), 1],
    ["one without a word on it", interpreter(), 1],
    ["a large one", interpreter({ type: "auto", memory_limit: "64g" }), 64],
    ["a size in another spelling", interpreter({ memory_limit: " 16 GB " }), 16],
    ["a size of nothing", interpreter({ memory_limit: "0g" }), 1],
    ["no size", interpreter({ memory_limit: null }), 1],
    ["a size that no one can read, as the largest", interpreter({ memory_limit: "huge" }), 64],
    ["a size that is a number, as the largest", interpreter({ memory_limit: 4 }), 64],
    ["a size beyond any", interpreter({ memory_limit: "999999g" }), 1_024],
    ["a shell's", shell({ type: "container_auto", memory_limit: "4g" }), 4],
    ["a shell's without a word on it", shell(), 1],
    ["one that runs already", interpreter("cntr_1"), undefined],
    [
      "a shell in one that runs already",
      shell({ type: "container_reference", container_id: "cntr_1" }),
      undefined,
    ],
    ["a shell of the client", shell({ type: "local" }), undefined],
    ["another tool", { type: "web_search", container: { memory_limit: "4g" } }, undefined],
    ["what is no tool", null, undefined],
  ])("are held for: %s", (_, tool, sessions) => expect(askedBy(tool)).toBe(sessions));

  test("add up, and none are in a request without tools", () => {
    expect(askedBy(interpreter(), shell({ type: "container_auto", memory_limit: "4g" }))).toBe(5);
    expect(buildSessionsAsked({})).toEqual({});
    expect(buildSessionsAsked({ tools: "code_interpreter" })).toEqual({});
  });
});

test("what a call started is charged as it was asked for, the largest first", () => {
  const tools = [interpreter(), interpreter({ memory_limit: "16g" }), shell({ type: "local" })];
  expect([0, 1, 2, 3].map((started) => computeSessionsCharged(started, { tools }))).toEqual([
    0, 16, 17, 17,
  ]);
  expect(
    computeSessionsCharged(1, { tools: [interpreter("cntr_1"), { type: "web_search" }] }),
  ).toBe(1);
  expect([0, 1, 2, 9_000].map((started) => computeSessionsCharged(started, {}))).toEqual([
    0, 1, 2, 2,
  ]);
});

test("the containers of an answer are those in which its programs ran, each once", {
  tags: ["S2-02"],
}, () => {
  const items = [
    { type: "code_interpreter_call", container_id: "a" },
    { type: "code_interpreter_call", container_id: "a" },
    { type: "code_interpreter_call" },
    { type: "code_interpreter_call", container_id: 7 },
    { type: "code_interpreter_call", container_id: "" },
    { type: "shell_call", environment: { type: "container_reference", container_id: "b" } },
    { type: "shell_call", environment: { type: "local", container_id: "c" } },
    { type: "shell_call" },
    { type: "message", container_id: "d" },
  ];
  expect([...collectContainers(items)]).toEqual(["a", "b"]);
});

test("a large container is found, whatever other tools stand beside it", {
  tags: ["S2-04"],
}, () => {
  const client = Array.from({ length: 70 }, (_, index) => ({
    type: "function",
    name: `f${index}`,
  }));
  const large = interpreter({ type: "auto", memory_limit: "2g" });
  const usual = interpreter({ type: "auto", memory_limit: "1g" });
  expect(
    [[large], [...client, large], [usual, large]].map((tools) => asksForLargeContainer({ tools })),
  ).toEqual([true, true, true]);
  expect(
    [[], client, [usual], [usual, usual]].map((tools) => asksForLargeContainer({ tools })),
  ).toEqual([false, false, false, false]);
});

test("a container that is used again costs what has passed since it was paid for, and 20 minutes more", {
  tags: ["S2-02"],
}, () => {
  const minute = 60_000;
  const due = [0, 20, 20 + 1 / minute, 38, 40, 41, 90].map((minutes) =>
    computeSessionsDue(1_000, 1_000 + minutes * minute),
  );
  expect([sessionMs, ...due]).toEqual([20 * minute, 0, 0, 2, 2, 2, 3, 5]);
});

test("the containers that a request starts are told the largest first", () => {
  const tools = [
    { type: "code_interpreter", container: { type: "auto" } },
    { type: "shell", environment: { type: "container_auto", memory_limit: "16g" } },
    { type: "code_interpreter", container: "cntr_1" },
  ];
  expect(parseContainerSizes({ tools })).toEqual([16, 1]);
});
