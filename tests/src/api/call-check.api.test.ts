// "Would this call work?" over a real gateway: what the check says, and then the call itself.

import { updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import { updateChannelStatus } from "@tollgate/contract/catalogue/channels.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { startTestGateway, type TestGateway, type TestUser } from "../harness/test-gateway.ts";

const worldsMax = 300;
/** Beside an example of each verdict. */
const someWorlds = 40;
const query = { status_only: "1" };
const greeting = [{ role: "user", content: "Hello" }];

let gateway: TestGateway;
let root: ApiSession;
let rich: TestUser;
let poor: TestUser;
let channels: { id: number; name: string }[];
let tokens: { id: number; key: string; of: TestUser }[];

beforeAll(async () => {
  gateway = await startTestGateway({ env: { API_RATE_LIMIT: "0" } });
  root = await gateway.root();
  rich = await gateway.given.user("rich", { quota: 1_000_000_000 });
  poor = await gateway.given.user("poor", { quota: 20_000 });
  channels = [
    await gateway.given.channel({
      key: "sim-ok+as-1",
      models: "small",
      group: "default,vip",
      priority: 2,
    }),
    await gateway.given.channel({ key: "sim-ok+as-2", models: "small,large", priority: 1 }),
    await gateway.given.channel({
      key: "sim-ok+as-3",
      models: "hidden",
      hidden_models: JSON.stringify(["hidden"]),
    }),
    await gateway.given.channel({ key: "sim-ok+as-4", models: "vip", group: "vip" }),
  ];
  const limited = { unlimited_quota: false, remain_quota: 50_000 };
  const made: [TestUser, Record<string, unknown>][] = [
    [rich, {}],
    [rich, { models: "small" }],
    [rich, { rpm_limit: 2 }],
    [rich, limited],
    [rich, { expired_time: Math.floor(Date.now() / 1000) + 1 }],
    [poor, {}],
    [poor, { tpm_limit: 40 }],
  ];
  tokens = [];
  for (const [of, fields] of made) tokens.push({ ...(await of.token(fields)), of });
});
afterAll(() => gateway.close());

const check = async (
  by: ApiSession,
  query: { token?: number; model: string; max_tokens?: number },
) => (await by.call(checkCall, { query })).data;

/** 1 is enabled, 2 disabled. */
function toggledStatus(off: Set<number>, id: number): 1 | 2 {
  if (off.delete(id)) return 1;
  off.add(id);
  return 2;
}

/** Seconds pass between the check and the call, and each answer names its own request. */
const comparable = (message: string): string =>
  message.replace(/ \(request id: .*\)$/, "").replace(/\d+ s$/, "n s");

/** `off` is what earlier worlds have switched off. */
const off = new Set<number>();
const disabled = new Set<number>();
const switchChannel = (id: number): Promise<unknown> =>
  root.call(updateChannelStatus, { query, body: { id, status: toggledStatus(off, id) } });
const switchToken = ({ id, of }: { id: number; of: TestUser }): Promise<unknown> =>
  of.call(updateTokenStatus, { query, body: { id, status: toggledStatus(disabled, id) } });

const playWorlds = async (numRuns: number): Promise<void> => {
  const world = fc.record({
    token: fc.nat(tokens.length - 1),
    model: fc.constantFrom("small", "small", "large", "hidden", "vip", "unknown"),
    max_tokens: fc.constantFrom(12, 12, 12, 900, 90_000),
    toggled: fc.option(fc.nat(channels.length - 1), { freq: 3 }),
    isTokenToggled: fc.nat(9).map((n) => n === 0),
  });
  const seen = new Set<string>();
  type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;
  const plain: World = {
    token: 0,
    model: "small",
    max_tokens: 12,
    toggled: null,
    isTokenToggled: false,
  };
  // Chance may miss a verdict; the third call within a minute is one too many for its key.
  const oneOfEach: World[] = [
    plain,
    { ...plain, token: 1, model: "large" },
    { ...plain, model: "unknown" },
    { ...plain, token: 5, max_tokens: 90_000 },
    ...Array.from({ length: 3 }, () => ({ ...plain, token: 2 })),
    { ...plain, token: 3, isTokenToggled: true },
  ];
  const play = async ({ token: index, model, max_tokens, toggled, isTokenToggled }: World) => {
    const token = tokens[index];
    const channel = toggled === null ? undefined : channels[toggled];
    if (!token) throw new Error("there is no such token");
    if (channel) await switchChannel(channel.id);
    if (isTokenToggled) await switchToken(token);
    const verdict = await check(root, { token: token.id, model, max_tokens });
    const [refusal] = verdict.refusals;
    seen.add(refusal?.step ?? "works");
    const reply = await gateway.chat(token.key, {
      model,
      messages: greeting,
      max_completion_tokens: max_tokens,
    });
    if (refusal === undefined) expect(reply.status, JSON.stringify(verdict)).toBe(200);
    else {
      expect(reply.status).toBe(refusal.status);
      expect(comparable(reply.body.error.message)).toBe(comparable(refusal.message));
    }
    // The owner reads the same, without the channels.
    const own = await check(token.of, { token: token.id, model, max_tokens });
    expect(own.channels).toEqual([]);
  };
  // The examples begin where nothing is off, whichever test ran before.
  for (const id of [...off]) await switchChannel(id);
  for (const token of tokens) if (disabled.has(token.id)) await switchToken(token);
  await fc.assert(fc.asyncProperty(world, play), {
    numRuns,
    endOnFailure: true,
    examples: oneOfEach.map((one) => [one]),
  });
  expect([...seen].sort()).toEqual(["balance", "key", "limits", "model", "route", "works"]);
};

test("what it says is what happens, in some worlds", () => playWorlds(someWorlds));

test(
  "what it says is what happens, over generated worlds: whose key, which model, which answer, which channels are on",
  {
    tags: ["large"],
    timeout: 120_000,
  },
  () => playWorlds(worldsMax),
);

test("administrators ask about any user and see the channels with reasons; users ask about their own keys", async () => {
  const [ofRich] = tokens;
  const ask = (by: ApiSession, query: string) =>
    by.request("GET", `/api/call_check?model=vip&${query}`);
  const seen = (await ask(root, `token=${ofRich?.id}`)).body.data;
  expect(seen).toMatchObject({ would_work: false, username: "rich", candidates: 0, excluded: 1 });
  expect(seen.channels).toMatchObject([
    { name: channels[3]?.name, is_candidate: false, reason: expect.any(String) },
  ]);
  expect((await ask(root, `user=${poor.id}`)).body.data).toMatchObject({
    username: "poor",
    token_name: "",
  });
  expect((await ask(rich, "")).body.data).toMatchObject({ username: "rich", channels: [] });
  expect((await ask(poor, `token=${ofRich?.id}`)).body).toMatchObject({
    success: false,
    code: "token_not_found",
  });
  expect((await ask(poor, `user=${rich.id}`)).body).toMatchObject({
    success: false,
    code: "user_not_found",
  });
  expect((await ask(root, `user=${poor.id}&token=${ofRich?.id}`)).status).toBe(400);
});
