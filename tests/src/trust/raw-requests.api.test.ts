// Every request of raw-requests.ts to one gateway: none crashes it, hangs, is answered twice or
// with a 5xx, or reaches a provider without a right to; afterwards ordinary calls work.
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { rawConnection } from "../relay/raw-clients.ts";
import { type RawRequest, rawFamilies, rawRequests } from "./raw-requests.ts";

let world: TestGateway;
let key: string;
let all: RawRequest[];
beforeAll(async () => {
  world = await startTestGateway({ env: { API_RATE_LIMIT: "0" } });
  await world.given.channel({ key: "sim-ok" });
  key = (await world.given.token()).key;
  all = rawRequests({ key, body: JSON.stringify(chatBody({ max_tokens: 12 })) });
});
afterAll(() => world.close());

const hangMs = 5_000;
const atOnce = 20;

/** The response, and whether the gateway ended the connection in time. */
async function answerTo({
  bytes,
  isCutOff,
}: RawRequest): Promise<{ answer: string; hasClosed: boolean }> {
  const connection = await rawConnection(world.url);
  const { socket } = connection;
  if (isCutOff) socket.end(bytes, "latin1");
  else socket.write(bytes, "latin1");
  let hasClosed = true;
  const timer = setTimeout(() => {
    hasClosed = false;
    socket.destroy();
  }, hangMs);
  const answer = await connection.closed;
  clearTimeout(timer);
  return { answer, hasClosed };
}

async function troubleWith(request: RawRequest): Promise<string[]> {
  const { wanted, name } = request;
  const { answer, hasClosed } = await answerTo(request);
  const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d)\d\d /gm)].map(([, digit = ""]) => digit);
  const problems: string[] = [];
  const classes = statuses.length === 0 ? ["-"] : statuses;
  if (classes.some((digit) => !wanted.classes.includes(digit)))
    problems.push(`was answered ${answer.slice(0, 120)}`);
  if (wanted.answers === undefined ? statuses.length > 1 : statuses.length !== wanted.answers) {
    problems.push(`got ${statuses.length} answers`);
  }
  if (hasClosed !== wanted.closes) problems.push(hasClosed ? "was cut" : "hung");
  return problems.map((what) => `${name} ${what}`);
}

test("there are more than three hundred of them, all distinct", { tags: ["FT-26"] }, () => {
  expect(new Set(all.map(({ bytes, isCutOff }) => `${isCutOff} ${bytes}`)).size).toBe(all.length);
  expect(new Set(all.map(({ family, name }) => `${family}: ${name}`)).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(300);
});

test.each(rawFamilies)(
  "raw requests, %s: each ends as it must, and nothing reaches a provider that must not",
  { tags: ["F-81", "FT-26"] },
  async (family) => {
    const requests = all.filter((request) => request.family === family);
    const before = (await world.simulator.stats()).calls;
    const waiting = [...requests];
    const problems: string[] = [];
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let next = waiting.shift(); next; next = waiting.shift())
          problems.push(...(await troubleWith(next)));
      }),
    );
    expect(problems).toEqual([]);
    const rights = requests.reduce((sum, { reaches }) => sum + reaches, 0);
    expect((await world.simulator.stats()).calls - before).toBeLessThanOrEqual(rights);
  },
);

test("after all of them the same process answers, and has logged no bug", {
  tags: ["FT-26"],
}, async () => {
  expect((await world.chat(key)).status).toBe(200);
  await eventually(async () =>
    expect(await world.settled()).toMatchObject({ held: 0, reservations: 0 }),
  );
  expect(world.process.output()).not.toMatch(/unhandledRejection|uncaughtException|"level":[56]0/);
  expect(await world.audit()).toBe("The books agree.");
});
