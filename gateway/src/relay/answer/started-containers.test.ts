import { expect, test } from "vitest";
import { noUsage } from "../../money/price.ts";
import { withStartedContainers } from "./started-containers.ts";

const bodyWith = (...tools: object[]) => ({ body: Buffer.from(JSON.stringify({ tools })) });
const auto = (memory_limit?: unknown) => ({ type: "code_interpreter", container: { type: "auto", memory_limit } });
const shell = (memory_limit?: unknown) => ({ type: "shell", environment: { type: "container_auto", memory_limit } });

test.each([
  ["one that it started", 1, 1, bodyWith(auto()), 1],
  ["a large one, by its gigabytes", 1, 1, bodyWith(auto("16g")), 16],
  ["nothing for one that runs already", 1, 0, bodyWith(auto("16g")), 0],
  ["each of two tools", 2, 2, bodyWith(auto("4g"), shell("64g")), 68],
  ["the larger of two tools where one container was started", 2, 1, bodyWith(auto("4g"), shell("64g")), 64],
  ["no more than its tools start, whatever an answer names", 5_000, 5_000, bodyWith(auto("4g"), shell()), 5],
  ["a gigabyte each where the operator's parameters asked for them", 2, 2, bodyWith(), 2],
  ["no more than the answer names", 1, 3, bodyWith(), 1],
])("a call is charged for %s", { tags: ["S2-02"] }, (_, named, started, body, sessions) => {
  const usage = { ...noUsage, input: 7, container_sessions: named };
  const charged = withStartedContainers(usage, body, { startedContainers: () => started });
  expect(charged).toEqual({ ...noUsage, input: 7, ...(sessions > 0 && { container_sessions: sessions }) });
});

test("without a word on whose they are, all that an answer names are charged, and no call without any changes", () => {
  const named = { ...noUsage, container_sessions: 1 };
  expect(withStartedContainers(named, bodyWith(auto("4g")), undefined)).toEqual({ ...named, container_sessions: 4 });
  const plain = { ...noUsage, input: 1 };
  expect(withStartedContainers(plain, bodyWith(auto()), { startedContainers: () => 1 })).toBe(plain);
});
