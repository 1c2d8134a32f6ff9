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
import type { RunGateway, RunMember } from "../runs/run-gateway.ts";
import { difference, type Race, retryingCaller, sumOf, withRaceGateway } from "./race-support.ts";

interface OverspendCase {
  what: string;
  /** The share of the racers that the balance covers. */
  balance: number;
  /**
   * `tokens` are the same share for each of the owner's tokens; empty for one token without a
   * limit.
   */
  tokens: readonly number[];
  /** `tag` is the same share for the budget of a tag that the token's calls have. */
  tag?: number;
  /**
   * `budget` is the same share for a budget of the token, beside one of its owner that is ample.
   */
  budget?: number;
}

const overspendCases: readonly OverspendCase[] = [
  { what: "one account", balance: 0.4, tokens: [] },
  { what: "two tokens with limits", balance: 1, tokens: [0.2, 0.3] },
  { what: "two tokens whose limits are more than the account", balance: 0.4, tokens: [0.2, 0.3] },
  { what: "the budget of a tag", balance: 1, tokens: [], tag: 0.3 },
  { what: "the budget of a token", balance: 1, tokens: [], budget: 0.3 },
];
const tag = "team=raced";

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
      for (const contest of overspendCases)
        found.push(await runCase(gateway, canned, contest, count));
      return {
        size: overspendCases.length * count,
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
  contest: OverspendCase,
  count: number,
) {
  const { what } = contest;
  const covered = Math.floor(count * contest.balance);
  const limits = contest.tokens.map((share) => Math.floor(count * share));
  const member = await gateway.addMember();
  await gateway.root("POST", "/api/topup", { user_id: member.id, quota: justShortOf(covered + 1) });
  if (contest.tag !== undefined) {
    const amount = justShortOf(Math.floor(count * contest.tag) + 1);
    await gateway.root("POST", "/api/budget/", {
      subject: "tag",
      tag,
      name: "raced",
      window: "lifetime",
      amount,
    });
  }
  const tagged = contest.tag === undefined ? {} : { tags: tag };
  const tokens = await Promise.all(
    (limits.length === 0 ? [undefined] : limits).map((limit) =>
      gateway.addToken(
        member.access,
        limit === undefined
          ? tagged
          : { unlimited_quota: false, remain_quota: justShortOf(limit + 1) },
      ),
    ),
  );
  if (contest.budget !== undefined) {
    const amount = justShortOf(Math.floor(count * contest.budget) + 1);
    const subject_id = tokens[0]?.id;
    await gateway.root("POST", "/api/budget/", {
      subject: "token",
      subject_id,
      name: "raced",
      window: "lifetime",
      amount,
    });
    await gateway.addBudget("user", member.id, "lifetime");
  }
  const assignments = Array.from({ length: count }, (_, n) => n % tokens.length);
  const { statuses, again, problems } = await race(
    gateway,
    canned,
    member,
    assignments.map((turn) => tokens[turn]?.key ?? ""),
  );
  const isServed = statuses.map((status) => status === 200);
  const served = isServed.filter(Boolean).length;
  const ofBudget = Math.floor(count * (contest.tag ?? contest.budget ?? 1));
  const allowed = Math.min(covered, ofBudget, limits.length === 0 ? covered : sumOf(limits));
  const [wallet] = await gateway.rows<{ balance: number }>(
    `select balance from wallets where id = ${member.walletId}`,
  );
  problems.push(
    ...difference(`served on ${what}`, served, allowed),
    ...difference(
      `left of ${what}`,
      Number(wallet?.balance),
      justShortOf(covered + 1) - served * defaultCharge,
    ),
  );
  for (const [turn, limit] of limits.entries()) {
    const ofToken = isServed.filter((one, n) => one && assignments[n] === turn).length;
    if (ofToken > limit) problems.push(`${ofToken} served on a token for ${limit}`);
  }
  const outcome = `${count} racers on ${what}, enough for ${allowed}: ${served} served${again}`;
  return { told: outcome, over: Math.max(0, -Number(wallet?.balance)), problems };
}

/** `justShortOf` gives one unit less than this many calls need. */
const justShortOf = (calls: number): number => calls * defaultHold - 1;

async function race(
  gateway: RunGateway,
  canned: CannedProvider,
  member: RunMember,
  keys: readonly string[],
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
  const running = keys.map(async (key) => {
    const response = await retrying.call(key, { model, max_tokens: 12 });
    const text = await response.text();
    if (response.status === 403) refused += 1;
    else if (response.status !== 200) problems.push(`a racer was told ${response.status} ${text}`);
    return response.status;
  });
  const watch = watchWallet(gateway, member, problems);
  try {
    await eventually(
      () => {
        if (admitted + refused < keys.length)
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
function watchWallet(gateway: RunGateway, { walletId }: RunMember, problems: string[]) {
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
