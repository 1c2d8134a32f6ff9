// Mixed calls of many users, tokens and channels, each with its own question: every response
// belongs to its client, and ledger, log, balances, counters and roll-ups equal the simulator's
// count times the price, to the unit.

import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { findViewErrors } from "../runs/check-views.ts";
import type { RunGateway } from "../runs/run-gateway.ts";
import { costOf, createMixedUsers, type MixedCall, mixedCall, type Payer } from "./mixed-calls.ts";
import {
  difference,
  inParallel,
  type Race,
  retryingCaller,
  rollupsFolded,
  sumOf,
  untilNothingIsOpen,
  withRaceGateway,
} from "./race-support.ts";

const callsAtOnce = 64;
const people = 24;
const tokensEach = 3;
const rowsAtOnce = 20_000;
const sayEvery = 10_000;
/** Creating users takes longer than calling: few calls have few users. */
const peopleFor = (count: number): number => Math.min(people, Math.max(4, Math.ceil(count / 500)));

interface AccountedLogRow {
  id: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  channel_id: number;
  origin_model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  outcome: string;
  /** The amount in the ledger. */
  charged: number;
}

export const accountingRace: Race = (options, count) =>
  withRaceGateway(options, {}, async (gateway) => {
    const payers = await createMixedUsers(gateway, peopleFor(count), tokensEach);
    const opening = await balancesOf(gateway);
    const random = randomFrom(options.seed);
    const retrying = retryingCaller(gateway);
    const startedAt = performance.now();
    const made = await inParallel(Array.from({ length: count }), callsAtOnce, async (_, n) => {
      if (n > 0 && n % sayEvery === 0) console.log(`accounting: ${n} calls`);
      return options.stop?.aborted ? [] : [await mixedCall(retrying, payers, n, random)];
    });
    const calls = made.flat();
    const perSecond = Math.round((calls.length / (performance.now() - startedAt)) * 1000);
    await untilNothingIsOpen(gateway);
    await rollupsFolded(gateway);

    const rows = await rowsOf(gateway);
    const problems = [
      ...calls.flatMap((call) => call.problem || []),
      ...mixUps(calls, rows, payers),
    ];
    problems.push(
      ...(await drift(gateway, rows, payers, opening)),
      ...(await findViewErrors(gateway)),
    );
    const of = (outcome: string) =>
      [...rows.values()].filter((row) => row.outcome === outcome).length;
    const failures = await failedAttempts(gateway, calls);
    return {
      size: calls.length,
      figures: `${calls.length} mixed calls at ${perSecond}/s by ${payers.length} tokens of ${payers.length / tokensEach} users: ${of("success")} successes, ${of("failed")} failures, ${of("client_left")} callers who left, ${failures} attempts that failed; ${sumOf([...rows.values()].map(({ quota }) => quota))} units charged; ${problems.length} mix-ups or differences${retrying.told()}`,
      problems,
    };
  });

async function rowsOf(gateway: RunGateway): Promise<Map<number, AccountedLogRow>> {
  const found = new Map<number, AccountedLogRow>();
  let after = 0;
  while (true) {
    const rows = await gateway.rows<AccountedLogRow>(
      `select logs.id, user_id, username, token_id, token_name, channel_id, origin_model_name, quota, prompt_tokens,
         completion_tokens, outcome,
         (select coalesce(sum(amount), 0) from ledger where billing_id = logs.id and credit = 'revenue') as charged
       from logs where type = 2 and id > ${after} order by id limit ${rowsAtOnce}`,
    );
    for (const row of rows) {
      const numbers = {
        id: Number(row.id),
        quota: Number(row.quota),
        charged: Number(row.charged),
      };
      found.set(numbers.id, {
        ...row,
        ...numbers,
        user_id: Number(row.user_id),
        token_id: Number(row.token_id),
      });
      after = numbers.id;
    }
    if (rows.length < rowsAtOnce) return found;
  }
}

/** Compares each call with its log row: owner, outcome and cost. */
function mixUps(
  calls: readonly MixedCall[],
  rows: ReadonlyMap<number, AccountedLogRow>,
  payers: readonly Payer[],
): string[] {
  const seen = new Set<number>();
  const problems: string[] = [];
  for (const call of calls) {
    if (call.id === undefined) {
      if (!call.problem) problems.push(`a ${call.kind} call has no id`);
      continue;
    }
    if (seen.has(call.id)) problems.push(`two callers were told ${call.id}`);
    seen.add(call.id);
    problems.push(...rowDifferences(call, rows.get(call.id), payers[call.payer]));
  }
  for (const id of rows.keys()) if (!seen.has(id)) problems.push(`row ${id} belongs to no call`);
  return problems;
}

function rowDifferences(
  call: MixedCall,
  row: AccountedLogRow | undefined,
  payer: Payer | undefined,
): string[] {
  const what = `${call.kind} call ${call.id}`;
  if (call.kind === "refused") return row ? [`${what} was refused and has a row`] : [];
  if (!row || !payer) return [`${what} has no row`];
  const { member, token, groupRatio } = payer;
  const priced = costOf(call.model, groupRatio, row.prompt_tokens, row.completion_tokens);
  const found = [
    ...difference(
      `${what}, its user`,
      `${row.user_id} ${row.username}`,
      `${member.id} ${member.username}`,
    ),
    ...difference(
      `${what}, its token`,
      `${row.token_id} ${row.token_name}`,
      `${token.id} ${token.name}`,
    ),
    ...difference(`${what}, its model`, row.origin_model_name, call.model),
    ...difference(`${what}, in the ledger`, row.charged, row.quota),
  ];
  if (call.kind === "failed")
    return [...found, ...difference(what, `${row.outcome} ${row.quota}`, "failed 0")];
  if (call.kind === "left" && row.outcome === "client_left") {
    const { completion_tokens: delivered, quota } = row;
    // Everything that the client received was delivered, and nothing that the provider did not
    // send.
    if (delivered < call.received || delivered > call.completion) {
      found.push(
        `${what}: ${delivered} tokens recorded, ${call.received} received of ${call.completion}`,
      );
    }
    return delivered === 0 && quota === 0
      ? found
      : [...found, ...difference(`${what}, its charge`, quota, priced)];
  }
  const due = costOf(call.model, groupRatio, call.prompt, call.completion);
  return [
    ...found,
    ...difference(`${what}, its end`, row.outcome, "success"),
    ...difference(
      `${what}, its tokens`,
      `${row.prompt_tokens} ${row.completion_tokens}`,
      `${call.prompt} ${call.completion}`,
    ),
    ...difference(`${what}, its charge`, row.quota, due),
  ];
}

/** Compares every other table that stores the same units. */
async function drift(
  gateway: RunGateway,
  rows: ReadonlyMap<number, AccountedLogRow>,
  payers: readonly Payer[],
  opening: ReadonlyMap<number, number>,
): Promise<string[]> {
  const all = [...rows.values()];
  const by = (key: (row: AccountedLogRow) => number | string): Map<string, number> => {
    const sums = new Map<string, number>();
    for (const row of all)
      sums.set(String(key(row)), (sums.get(String(key(row))) ?? 0) + row.quota);
    return sums;
  };
  const [users, tokens, channels, models] = [
    by((row) => row.user_id),
    by((row) => row.token_id),
    by((row) => row.channel_id),
    by((row) => row.origin_model_name),
  ];
  const places: readonly (readonly [string, Map<string, number>])[] = [
    ["select id as key, used_quota as units from users", users],
    ["select id as key, used_quota as units from tokens", tokens],
    ["select id as key, used_quota as units from channels", channels],
    ["select user_id as key, sum(quota) as units from rollup_day_user group by user_id", users],
    [
      "select user_id as key, sum(quota) as units from rollup_day_user_model group by user_id",
      users,
    ],
    ["select token_id as key, sum(quota) as units from rollup_day_token group by token_id", tokens],
    [
      "select channel_id as key, sum(quota) as units from rollup_hour_channel group by channel_id",
      channels,
    ],
    [
      "select model_name as key, sum(quota) as units from rollup_day_model group by model_name",
      models,
    ],
    [
      "select model_name as key, sum(quota) as units from rollup_hour_model group by model_name",
      models,
    ],
  ];
  const problems: string[] = [];
  for (const [statement, due] of places) {
    const found = await gateway.rows<{ key: number | string; units: number }>(statement);
    const units = new Map(found.map((row) => [String(row.key), Number(row.units)]));
    for (const key of new Set([...units.keys(), ...due.keys()])) {
      problems.push(...difference(`${statement}, ${key}`, units.get(key) ?? 0, due.get(key) ?? 0));
    }
  }
  const left = await balancesOf(gateway);
  for (const { id, walletId } of new Set(payers.map(({ member }) => member))) {
    const due = (opening.get(walletId) ?? 0) - (users.get(String(id)) ?? 0);
    problems.push(...difference(`the balance of user ${id}`, left.get(walletId), due));
  }
  return problems;
}

async function balancesOf(gateway: RunGateway): Promise<Map<number, number>> {
  const wallets = await gateway.rows<{ id: number; balance: number }>(
    "select id, balance from wallets",
  );
  return new Map(wallets.map(({ id, balance }) => [Number(id), Number(balance)]));
}

/** Attempts that the provider received beyond the successful ones. */
async function failedAttempts(gateway: RunGateway, calls: readonly MixedCall[]): Promise<number> {
  const { calls: seen } = await gateway.world.simulator.stats();
  return seen - calls.filter(({ kind }) => kind !== "refused" && kind !== "failed").length;
}
