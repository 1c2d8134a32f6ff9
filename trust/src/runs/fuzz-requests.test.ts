import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { expect, test } from "vitest";
import { type FuzzRequest, type FuzzTargets, requestFor } from "./fuzz-requests.ts";

const world: FuzzTargets = {
  actors: [{}, { authorization: "root" }],
  userActors: [{}],
  keys: ["sk-good", ""],
  simulatorUrl: "http://127.0.0.1:1234",
  models: ["fuzz-chat"],
};

const generated = (seed: number, count: number): FuzzRequest[] => {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => requestFor(random, world));
};
const requests = generated(1, 20_000);

test("a seed makes the same requests each time", () => {
  expect(generated(1, 200)).toEqual(requests.slice(0, 200));
  expect(generated(2, 200)).not.toEqual(requests.slice(0, 200));
});

test("every operation is among them, and the relay", () => {
  const called = new Set(requests.map(({ operation }) => operation?.name));
  for (const { name } of catalogue) expect(called).toContain(name);
  expect(requests.filter(({ path }) => path.startsWith("/v1")).length).toBeGreaterThan(500);
});

test("no channel gets an address other than the simulator's", () => {
  const channels = requests.filter(({ operation }) =>
    /^(create|update)Channel$/.test(operation?.name ?? ""),
  );
  expect(channels.length).toBeGreaterThan(20);
  for (const { body } of channels) {
    const [, address = '""'] = /"base_url":("(?:[^"\\]|\\.)*")/.exec(body ?? "") ?? [];
    const text = (JSON.parse(address) as string).trim();
    expect(text === "" || !URL.canParse(text) || text === world.simulatorUrl, text).toBe(true);
  }
});

test("credentials that the run needs are not put at stake", () => {
  const risky = requests.filter(({ operation }) =>
    /newAccessToken|deleteSelf|endOtherSessions/.test(operation?.name ?? ""),
  );
  expect(risky.length).toBeGreaterThan(5);
  for (const { headers } of risky) expect(headers.authorization).not.toBe("root");
});
