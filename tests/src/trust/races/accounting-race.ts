// Mixed calls of many users, tokens and channels, each with a question of its own: every answer belongs to its caller, and
// the simulator's count times the price is what stands in ledger, log, balances, counters and roll-ups, to the unit.
import { randomFrom } from "../runs/random.ts";
import type { Site } from "../runs/site.ts";
import { troubleInViews } from "../runs/views.ts";
import { type Call, costOf, mixedCall, type Payer, startMixedSite } from "./mixed-calls.ts";
import { inParallel, nothingOpen, onSite, patientCaller, type Race, rollupsFolded, sumOf, unlike } from "./race.ts";

const callsAtOnce = 64;
const people = 24;
const tokensEach = 3;
const rowsAtOnce = 20_000;
const sayEvery = 10_000;
/** Making people takes longer than calling: few calls are made by few. */
const peopleFor = (count: number): number => Math.min(people, Math.max(4, Math.ceil(count / 500)));

interface Row {
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
  /** Of the ledger. */
  charged: number;
}

export const accountingRace: Race = (use, count) =>
  onSite(use, {}, async (site) => {
    const payers = await startMixedSite(site, peopleFor(count), tokensEach);
    const opening = await balancesOf(site);
    const random = randomFrom(use.seed);
    const patient = patientCaller(site);
    const startedAt = performance.now();
    const made = await inParallel(Array.from({ length: count }), callsAtOnce, async (_, n) => {
      if (n > 0 && n % sayEvery === 0) console.log(`accounting: ${n} calls`);
      return use.stop?.aborted ? [] : [await mixedCall(patient, payers, n, random)];
    });
    const calls = made.flat();
    const perSecond = Math.round((calls.length / (performance.now() - startedAt)) * 1000);
    await nothingOpen(site);
    await rollupsFolded(site);

    const rows = await rowsOf(site);
    const trouble = [...calls.flatMap((call) => call.trouble || []), ...mixUps(calls, rows, payers)];
    trouble.push(...(await drift(site, rows, payers, opening)), ...(await troubleInViews(site)));
    const of = (outcome: string) => [...rows.values()].filter((row) => row.outcome === outcome).length;
    const failures = await failedAttempts(site, calls);
    return {
      size: calls.length,
      figures: `${calls.length} mixed calls at ${perSecond}/s by ${payers.length} tokens of ${payers.length / tokensEach} users: ${of("success")} successes, ${of("failed")} failures, ${of("client_left")} callers who left, ${failures} attempts that failed; ${sumOf([...rows.values()].map(({ quota }) => quota))} units charged; ${trouble.length} mix-ups or differences${patient.told()}`,
      trouble,
    };
  });

async function rowsOf(site: Site): Promise<Map<number, Row>> {
  const found = new Map<number, Row>();
  let after = 0;
  while (true) {
    const rows = await site.rows<Row>(
      `select logs.id, user_id, username, token_id, token_name, channel_id, origin_model_name, quota, prompt_tokens,
         completion_tokens, outcome,
         (select coalesce(sum(amount), 0) from ledger where billing_id = logs.id and kind in ('charge', 'shortfall')) as charged
       from logs where type = 2 and id > ${after} order by id limit ${rowsAtOnce}`,
    );
    for (const row of rows) {
      const numbers = { id: Number(row.id), quota: Number(row.quota), charged: Number(row.charged) };
      found.set(numbers.id, { ...row, ...numbers, user_id: Number(row.user_id), token_id: Number(row.token_id) });
      after = numbers.id;
    }
    if (rows.length < rowsAtOnce) return found;
  }
}

/** Each call with its row: whose it is, how it ended, and what it cost. */
function mixUps(calls: readonly Call[], rows: ReadonlyMap<number, Row>, payers: readonly Payer[]): string[] {
  const seen = new Set<number>();
  const trouble: string[] = [];
  for (const call of calls) {
    if (call.id === undefined) {
      if (!call.trouble) trouble.push(`a ${call.kind} call has no id`);
      continue;
    }
    if (seen.has(call.id)) trouble.push(`two callers were told ${call.id}`);
    seen.add(call.id);
    trouble.push(...unlikeRow(call, rows.get(call.id), payers[call.payer]));
  }
  for (const id of rows.keys()) if (!seen.has(id)) trouble.push(`row ${id} is nobody's`);
  return trouble;
}

function unlikeRow(call: Call, row: Row | undefined, payer: Payer | undefined): string[] {
  const what = `${call.kind} call ${call.id}`;
  if (call.kind === "refused") return row ? [`${what} was refused and has a row`] : [];
  if (!row || !payer) return [`${what} has no row`];
  const { member, token, groupRatio } = payer;
  const priced = costOf(call.model, groupRatio, row.prompt_tokens, row.completion_tokens);
  const found = [
    ...unlike(`${what}, its user`, `${row.user_id} ${row.username}`, `${member.id} ${member.username}`),
    ...unlike(`${what}, its token`, `${row.token_id} ${row.token_name}`, `${token.id} ${token.name}`),
    ...unlike(`${what}, its model`, row.origin_model_name, call.model),
    ...unlike(`${what}, in the ledger`, row.charged, row.quota),
  ];
  if (call.kind === "failed") return [...found, ...unlike(what, `${row.outcome} ${row.quota}`, "failed 0")];
  if (call.kind === "left" && row.outcome === "client_left") {
    const { completion_tokens: delivered, quota } = row;
    // What came to him before he left was delivered, and nothing was that the provider did not say.
    if (delivered < call.received || delivered > call.completion) {
      found.push(`${what}: ${delivered} tokens recorded, ${call.received} received of ${call.completion}`);
    }
    return delivered === 0 && quota === 0 ? found : [...found, ...unlike(`${what}, its charge`, quota, priced)];
  }
  const due = costOf(call.model, groupRatio, call.prompt, call.completion);
  return [
    ...found,
    ...unlike(`${what}, its end`, row.outcome, "success"),
    ...unlike(
      `${what}, its tokens`,
      `${row.prompt_tokens} ${row.completion_tokens}`,
      `${call.prompt} ${call.completion}`,
    ),
    ...unlike(`${what}, its charge`, row.quota, due),
  ];
}

/** Every other place where the same units stand. */
async function drift(
  site: Site,
  rows: ReadonlyMap<number, Row>,
  payers: readonly Payer[],
  opening: ReadonlyMap<number, number>,
): Promise<string[]> {
  const all = [...rows.values()];
  const by = (key: (row: Row) => number | string): Map<string, number> => {
    const sums = new Map<string, number>();
    for (const row of all) sums.set(String(key(row)), (sums.get(String(key(row))) ?? 0) + row.quota);
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
    ["select user_id as key, sum(quota) as units from rollup_day_user_model group by user_id", users],
    ["select token_id as key, sum(quota) as units from rollup_day_token group by token_id", tokens],
    ["select channel_id as key, sum(quota) as units from rollup_hour_channel group by channel_id", channels],
    ["select model_name as key, sum(quota) as units from rollup_day_model group by model_name", models],
    ["select model_name as key, sum(quota) as units from rollup_hour_model group by model_name", models],
  ];
  const trouble: string[] = [];
  for (const [statement, due] of places) {
    const found = await site.rows<{ key: number | string; units: number }>(statement);
    const units = new Map(found.map((row) => [String(row.key), Number(row.units)]));
    for (const key of new Set([...units.keys(), ...due.keys()])) {
      trouble.push(...unlike(`${statement}, ${key}`, units.get(key) ?? 0, due.get(key) ?? 0));
    }
  }
  const left = await balancesOf(site);
  for (const { id, walletId } of new Set(payers.map(({ member }) => member))) {
    const due = (opening.get(walletId) ?? 0) - (users.get(String(id)) ?? 0);
    trouble.push(...unlike(`the balance of user ${id}`, left.get(walletId), due));
  }
  return trouble;
}

async function balancesOf(site: Site): Promise<Map<number, number>> {
  const wallets = await site.rows<{ id: number; balance: number }>("select id, balance from wallets");
  return new Map(wallets.map(({ id, balance }) => [Number(id), Number(balance)]));
}

/** Attempts that the provider saw besides those that it answered. */
async function failedAttempts(site: Site, calls: readonly Call[]): Promise<number> {
  const { calls: seen } = await site.world.simulator.stats();
  return seen - calls.filter(({ kind }) => kind !== "refused" && kind !== "failed").length;
}
