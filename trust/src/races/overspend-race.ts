// F-43, F-44: more calls at once than the balance covers. No call ends before all are decided, so
// exactly as many are admitted as the balance can pay.
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { defaultCharge, defaultHold } from "@tollgate/tests/harness/test-gateway.ts";
import {
  type CannedProvider,
  completion,
  startCannedProvider,
  whole,
} from "@tollgate/tests/relay/canned-provider.ts";
import type { RunGateway } from "../runs/run-gateway.ts";
import { difference, type Race, retryingCaller, sumOf, withRaceGateway } from "./race-support.ts";

/** What racers contend for, made ready. */
interface Contest {
  walletId: number;
  /** Units in the wallet before the race. */
  opening: number;
  /** Racers take them in turns; `most` are the calls that one of them covers. */
  keys: readonly { key: string; most: number }[];
  /** Calls that are served in all. */
  allowed: number;
  headers: Record<string, string>;
}

type PrepareContest = (gateway: RunGateway, count: number) => Promise<Contest>;

const tag = "team=raced";
const raced = { name: "raced", window: "lifetime" } as const;
const teamMembers = 20;
const run = { "x-tollgate-run": "raced" };
const unlimited = Number.POSITIVE_INFINITY;

const share = (count: number, part: number): number => Math.floor(count * part);
const addBudget = (gateway: RunGateway, fields: Record<string, unknown>) =>
  gateway.root("POST", "/api/budget/", { ...raced, ...fields });

/** An account whose balance covers so many calls. */
async function addRacer(gateway: RunGateway, covered: number) {
  const member = await gateway.addMember();
  const opening = justShortOf(covered + 1);
  await gateway.root("POST", "/api/topup", { user_id: member.id, quota: opening });
  return { ...member, opening };
}

/** Two tokens of one account, with limits for `parts` of the calls. */
const tokensWithLimits =
  (balance: number, parts: readonly number[]): PrepareContest =>
  async (gateway, count) => {
    const covered = share(count, balance);
    const { walletId, opening, access } = await addRacer(gateway, covered);
    const keys = await Promise.all(
      parts.map(async (part) => {
        const most = share(count, part);
        const limit = { unlimited_quota: false, remain_quota: justShortOf(most + 1) };
        return { key: (await gateway.addToken(access, limit)).key, most };
      }),
    );
    const allowed = Math.min(covered, sumOf(keys.map(({ most }) => most)));
    return { walletId, opening, keys, allowed, headers: {} };
  };

/** One token whose calls count for a budget for three tenths of them. */
const budgeted =
  (
    budgetOf: (token: { id: number }, allowed: number) => Record<string, unknown>,
    of: { token?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ): PrepareContest =>
  async (gateway, count) => {
    const allowed = share(count, 0.3);
    const { id, walletId, opening, access } = await addRacer(gateway, count);
    const token = await gateway.addToken(access, of.token);
    await addBudget(gateway, budgetOf(token, allowed));
    await gateway.addBudget("user", id, "lifetime");
    const keys = [{ key: token.key, most: unlimited }];
    return { walletId, opening, keys, allowed, headers: of.headers ?? {} };
  };

/**
 * A team of twenty whose wallet covers a part of the calls, and whose caps cover a part of each
 * member's. The key of one member covers less than the cap.
 */
const teamOfTwenty =
  (balance: number, cap: number): PrepareContest =>
  async (gateway, count) => {
    const { root } = gateway;
    const each = Math.floor(count / teamMembers);
    const [covered, capped] = [share(count, balance), share(each, cap)];
    const { id } = await root<{ id: number }>("POST", "/api/team/", {
      name: `raced ${gateway.now()} ${balance} ${cap}`,
    });
    const path = `/api/team/${id}`;
    const opening = justShortOf(covered + 1);
    await root("POST", `${path}/transfer`, { source: "issuance", amount: opening });
    await root("POST", `${path}/cap`, { ...raced, amount: justShortOf(capped + 1) });
    const keys: Contest["keys"][number][] = [];
    while (keys.length < teamMembers) {
      const { id: user_id, access } = await gateway.addMember();
      await root("PUT", `${path}/member`, { user_id, role: "member" });
      const most = keys.length === 0 ? Math.max(1, capped - 1) : capped;
      const limit =
        keys.length === 0
          ? { unlimited_quota: false, remain_quota: justShortOf(most + 1) }
          : { unlimited_quota: true };
      const made = await gateway.api<{ key: string }>(access, "POST", `${path}/token`, {
        ...{ name: "raced", ...limit },
      });
      keys.push({ key: made.key.replace(/^sk-/, ""), most });
    }
    const [team] = await gateway.rows<{ wallet: number }>(
      `select wallet_id as wallet from teams where id = ${id}`,
    );
    const ofKeys = sumOf(keys.map(({ most }) => Math.min(most, each)));
    return {
      walletId: Number(team?.wallet),
      opening,
      keys,
      allowed: Math.min(covered, ofKeys),
      headers: {},
    };
  };

const overspendCases: Readonly<Record<string, PrepareContest>> = {
  "one account": async (gateway, count) => {
    const allowed = share(count, 0.4);
    const { walletId, opening, access } = await addRacer(gateway, allowed);
    const { key } = await gateway.addToken(access);
    return { walletId, opening, keys: [{ key, most: unlimited }], allowed, headers: {} };
  },
  "two tokens with limits": tokensWithLimits(1, [0.2, 0.3]),
  "two tokens whose limits are more than the account": tokensWithLimits(0.4, [0.2, 0.3]),
  "the budget of a tag": budgeted(
    (_, allowed) => ({ subject: "tag", tag, amount: justShortOf(allowed + 1) }),
    { token: { tags: tag } },
  ),
  "the budget of a token": budgeted(({ id: subject_id }, allowed) => ({
    ...{ subject: "token", subject_id, amount: justShortOf(allowed + 1) },
  })),
  "the budget of a run": budgeted(
    ({ id: subject_id }, allowed) => ({
      ...{ subject: "token_run", subject_id, amount: justShortOf(allowed + 1) },
    }),
    { headers: run },
  ),
  "the calls of a run": budgeted(
    ({ id: subject_id }, amount) => ({
      ...{ subject: "token_run", subject_id, measure: "calls", amount },
    }),
    { headers: run },
  ),
  "the wallet of a team of twenty": teamOfTwenty(0.4, 1),
  "the caps of a team of twenty and a key": teamOfTwenty(1, 0.5),
};
const overspendCount = Object.keys(overspendCases).length;

const model = "contested";
const decidedWithinMs = 100_000;
const watchEveryMs = 50;
const answer = completion(
  "amber delta ember orbit river echo atlas bridge castle forest garden letter",
  {
    prompt_tokens: 6,
    completion_tokens: 12,
    total_tokens: 18,
  },
);

export const overspendRace: Race = async (options, count) => {
  const canned = await startCannedProvider();
  try {
    return await withRaceGateway(options, { upstreams: [canned.url] }, async (gateway) => {
      await gateway.world.given.channel({ key: "canned", base_url: canned.url, models: model });
      await gateway.root("PUT", "/api/option/", { key: "TagKeys", value: "team" });
      const found: Awaited<ReturnType<typeof runCase>>[] = [];
      for (const [what, prepare] of Object.entries(overspendCases))
        found.push(await runCase(gateway, canned, what, prepare, count));
      return {
        size: overspendCount * count,
        figures: `${found.map(({ told: outcome }) => outcome).join("; ")}; ${sumOf(found.map(({ over }) => over))} units over`,
        problems: found.flatMap(({ problems }) => problems),
      };
    });
  } finally {
    await canned.close();
  }
};

async function runCase(
  gateway: RunGateway,
  canned: CannedProvider,
  what: string,
  prepare: PrepareContest,
  count: number,
) {
  const contest = await prepare(gateway, count);
  const { walletId, opening, keys, allowed } = contest;
  const { statuses, again, problems } = await race(gateway, canned, contest, count);
  const isServed = statuses.map((status) => status === 200);
  const served = isServed.filter(Boolean).length;
  const [wallet] = await gateway.rows<{ balance: number }>(
    `select balance from wallets where id = ${walletId}`,
  );
  problems.push(
    ...difference(`served on ${what}`, served, allowed),
    ...difference(`left of ${what}`, Number(wallet?.balance), opening - served * defaultCharge),
  );
  for (const [turn, { most }] of keys.entries()) {
    const ofKey = isServed.filter((one, n) => one && n % keys.length === turn).length;
    if (ofKey > most) problems.push(`${ofKey} served on a key for ${most}`);
  }
  const outcome = `${count} racers on ${what}, enough for ${allowed}: ${served} served${again}`;
  return { told: outcome, over: Math.max(0, -Number(wallet?.balance)), problems };
}

/** `justShortOf` gives one unit less than this many calls need. */
const justShortOf = (calls: number): number => calls * defaultHold - 1;

async function race(
  gateway: RunGateway,
  canned: CannedProvider,
  { walletId, keys, headers }: Contest,
  count: number,
) {
  const problems: string[] = [];
  const decided = Promise.withResolvers<void>();
  let admitted = 0;
  let refused = 0;
  const retrying = retryingCaller(gateway);
  canned.answer = async (response) => {
    admitted += 1;
    await decided.promise;
    whole(answer)(response);
  };
  const running = Array.from({ length: count }, async (_, n) => {
    const key = keys[n % keys.length]?.key ?? "";
    const response = await retrying.call(key, { model, max_tokens: 12 }, { headers });
    const text = await response.text();
    if (response.status === 403) refused += 1;
    else if (response.status !== 200) problems.push(`a racer was told ${response.status} ${text}`);
    return response.status;
  });
  const watch = watchWallet(gateway, walletId, problems);
  try {
    await eventually(
      () => {
        if (admitted + refused < count)
          throw new Error(`${admitted} admitted and ${refused} refused so far`);
      },
      { timeoutMs: decidedWithinMs },
    );
  } finally {
    decided.resolve();
  }
  const statuses = await Promise.all(running);
  await gateway.world.settled();
  await watch.stop();
  const served = statuses.filter((status) => status === 200).length;
  return {
    statuses,
    again: retrying.told(),
    problems: [...problems, ...difference("calls that went upstream", admitted, served)],
  };
}

/** Reads the database repeatedly: at no moment do holds exceed the balance. */
function watchWallet(gateway: RunGateway, walletId: number, problems: string[]) {
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      const [wallet] = await gateway.rows<{ balance: number; held: number }>(
        `select balance, held from wallets where id = ${walletId}`,
      );
      const { balance, held } = { balance: Number(wallet?.balance), held: Number(wallet?.held) };
      if (held > balance) problems.push(`${held} held of ${balance}`);
      await pause(watchEveryMs);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await done;
    },
  };
}
