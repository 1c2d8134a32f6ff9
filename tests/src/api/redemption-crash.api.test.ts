// The gateway is killed while codes are made and redeemed: all of a batch or none, each code paid
// once.
import { consoleHeader, idempotencyHeader } from "@tollgate/contract/api/envelope.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootPassword } from "../harness/database-templates.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { describeLarge } from "../support/large-tests.ts";

const perBatch = 100;
const quota = 700;

describeLarge(databaseKinds)("on %s", (store) => {
  let gateway: TestGateway;
  let cookie = "";
  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    const response = await send(
      "/api/user/login",
      { username: "root", password: rootPassword },
      "sign-in",
    );
    cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  });
  afterAll(() => gateway.close());

  const send = (path: string, body: unknown, key: string) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        [consoleHeader.name]: consoleHeader.value,
        [idempotencyHeader]: key,
        cookie,
      },
      body: JSON.stringify(body),
    });
  const ask = async <Data>(path: string, body: unknown, key: string): Promise<Data> => {
    const reply = (await (await send(path, body, key)).json()) as {
      success: boolean;
      message: string;
      data: Data;
    };
    if (!reply.success) throw new Error(`${path}: ${reply.message}`);
    return reply.data;
  };
  const generate = (name: string) =>
    ask<string[]>("/api/redemption/", { name, quota, count: perBatch }, name);
  const redeem = (code: string) => ask<number>("/api/user/topup", { key: code }, code.slice(0, 8));
  /**
   * Kills it as soon as the first of several calls is answered: the others are somewhere on their
   * way.
   */
  const killedMidway = async <Data>(
    calls: (() => Promise<Data>)[],
  ): Promise<PromiseSettledResult<Data>[]> => {
    const running = calls.map((call) => call());
    const ended = Promise.allSettled(running);
    await Promise.any(running);
    await gateway.restart("SIGKILL");
    return ended;
  };
  const batches = () =>
    gateway.rows<{ name: string; codes: number }>(
      "select name, count(*) as codes from redemptions group by name",
    );

  test("kill -9 amid generations leaves whole batches, the answered ones among them, and each can be requested again", {
    tags: ["I-9"],
    timeout: 60_000,
  }, async () => {
    const names = Array.from({ length: 12 }, (_, place) => `batch-${place}`);
    const endings = await killedMidway(names.map((name) => () => generate(name)));
    const stored = await batches();
    for (const { name, codes } of stored) expect(codes, name).toBe(perBatch);
    const there = stored.map(({ name }) => name);
    const answered = names.filter((_, place) => endings[place]?.status === "fulfilled");
    expect(answered.length).toBeGreaterThan(0);
    expect(there).toEqual(expect.arrayContaining(answered));

    const again = await Promise.all(names.map(generate));
    expect(new Set(again.flat()).size).toBe(names.length * perBatch);
    expect(await batches()).toHaveLength(names.length);
    for (const { name, codes } of await batches()) expect(codes, name).toBe(perBatch);
    for (const [place, ending] of endings.entries())
      if (ending.status === "fulfilled")
        expect(again[place]?.toSorted()).toEqual(ending.value.toSorted());
  });

  test("kill -9 amid redemptions pays each code once, however often it is sent again", {
    tags: ["I-9", "FT-01"],
    timeout: 60_000,
  }, async () => {
    const before = (await gateway.books()).balance;
    // No more at once than a person may fail.
    const codes = (await generate("redeemed")).slice(0, 5);
    await killedMidway(codes.map((code) => () => redeem(code)));
    expect(await Promise.all(codes.map(redeem))).toEqual(codes.map(() => quota));
    expect((await gateway.books()).balance).toBe(before + codes.length * quota);
    const [used] = await gateway.rows<{ used: number }>(
      "select count(*) as used from redemptions where status = 3",
    );
    expect(used?.used).toBe(codes.length);
    expect(await gateway.audit()).toBe("The books agree.");
  });
});
