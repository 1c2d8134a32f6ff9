// F-112: what calls of every kind leave behind in the process that served them. A soak of hours
// measures what the kernel counts (npm run trust -- soak); here it is the heap itself, after its
// garbage is gone, so that thousands of calls are enough.
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

/** Of each kind, in each of the rounds. */
const callsOfAKind = 60;
const atOnce = 12;
const warmUpRounds = 4;
/**
 * `keptBytesMax` is any object that a call leaves in a map or a listener is larger; bounded caches
 * are full by then.
 */
const keptBytesMax = 200;

interface RetainedResources {
  kept: number;
  resources: number;
}

async function retainedIn(world: TestGateway): Promise<RetainedResources> {
  const before = readRetained(world).length;
  world.process.kill("SIGUSR2");
  await eventually(async () => expect(readRetained(world).length).toBe(before + 1));
  return readRetained(world).at(-1) as RetainedResources;
}

const readRetained = (world: TestGateway): RetainedResources[] =>
  [...world.process.output().matchAll(/^\{"left":(.*)\}$/gm)].map(
    ([, json]) => JSON.parse(json ?? "") as RetainedResources,
  );

test("F-112 retained memory does not grow with the number of calls, however they end", {
  tags: ["F-112"],
  timeout: 120_000,
}, async () => {
  const preload = join(repositoryDir, "tests/src/harness/heap-on-signal.ts");
  const world = await startTestGateway({ env: { NODE_OPTIONS: `--import=${preload}` } });
  try {
    await world.given.channel({ key: "sim-ok", models: "works" });
    await world.given.channel({ key: "sim-no-usage", models: "counts-nothing" });
    await world.given.channel({ key: "sim-cut-3", models: "breaks" });
    await world.given.channel({ key: "sim-fail-400", models: "refuses" });
    await world.given.channel({ key: "sim-pace-20+tokens-200", models: "lasts" });
    for (const key of ["sim-as-one+fail-400-every-2", "sim-as-two"])
      await world.given.channel({ key, models: "either" });
    const { key } = await world.given.token({ rpm_limit: 1_000_000, max_parallel_requests: 1_000 });
    const toEnd = async (
      token: string,
      body: Record<string, unknown>,
      path = "/v1/chat/completions",
    ) => {
      const response = await fetch(world.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(chatBody({ max_tokens: 200, ...body })),
      });
      await response.text().catch(() => "");
    };
    const leave = async () => {
      const disconnect = new AbortController();
      const body = chatBody({ model: "lasts", stream: true });
      const reader = (await world.send(key, body, { signal: disconnect.signal })).body?.getReader();
      await reader?.read();
      disconnect.abort();
    };
    let number = 0;
    const kinds: (() => Promise<void>)[] = [
      () => toEnd(key, { model: "works" }),
      () => toEnd(key, { model: "works", stream: true }),
      () => toEnd(key, { model: "works", stream: true }, "/v1/messages"),
      () => toEnd(key, { model: "works", input: "one", messages: undefined }, "/v1/responses"),
      () => toEnd(key, { model: "counts-nothing", stream: true }),
      () => toEnd(key, { model: "breaks", stream: true }),
      () => toEnd(key, { model: "refuses" }),
      () => toEnd(key, { model: "either" }),
      () => toEnd(key, { model: "nobody-has-it" }),
      () => {
        number += 1;
        return toEnd(`sk-nobody-${number}`, { model: "works" });
      },
      leave,
    ];
    const round = async () => {
      const work = Array.from({ length: callsOfAKind }, () => kinds).flat();
      const next = work.values();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (const call of next) await call();
        }),
      );
      await world.settled();
    };
    /** Unknown keys are cached for two seconds, and the last connections close gradually. */
    const calm = (limit: number) =>
      eventually(
        async () => {
          const left = await retainedIn(world);
          expect(left.kept).toBeLessThan(limit);
          return left;
        },
        { timeoutMs: 15_000 },
      );

    for (let n = 0; n < warmUpRounds; n += 1) await round();
    const before = await calm(Number.POSITIVE_INFINITY);
    for (let n = 0; n < 2; n += 1) await round();
    const after = await calm(before.kept + 2 * callsOfAKind * kinds.length * keptBytesMax);
    expect(after.resources).toBeLessThanOrEqual(before.resources + atOnce);
  } finally {
    await world.close();
  }
});
