// The invariants of money, read directly from the database: what `tollgate audit` proves, and what
// it leaves out.
import { chargedLogTypes } from "@tollgate/contract/figures/logs.ts";
import { type FrozenPrice, picodollarsPerUnit } from "@tollgate/gateway/money/prices/price.ts";
import type { RunGateway } from "./run-gateway.ts";

const groupRatioOne = 1_000_000n;
/** The wallet of root: its first quota is granted at the first start. */
const rootWallet = 1;

interface CountedViolation {
  what: string;
  count: number;
}

/** Queries for `what` and `count`; every count must be 0. */
const violationQueries = (store: RunGateway["store"]): string[] => [
  "select 'I-4 a wallet below zero or below its holds' as what, count(*) as count from wallets where balance < 0 or held < 0 or held > balance",
  "select 'I-4 a debt beside units that could pay it' as what, count(*) as count from wallets where debt < 0 or (debt > 0 and balance > held)",
  "select 'I-4 a token below zero' as what, count(*) as count from tokens where remain_quota < 0 or held_quota < 0 or used_quota < 0",
  "select 'I-5 a hold without an end' as what, count(*) as count from reservations",
  "select 'I-6 a call settled twice' as what, count(*) as count from (select billing_id from ledger where kind = 'charge' group by billing_id having count(*) > 1) as twice",
  "select 'I-8 a code paid twice' as what, count(*) as count from (select billing_id from redemptions where billing_id is not null group by billing_id having count(*) > 1) as twice",
  "select 'I-8 a used code without a user' as what, count(*) as count from redemptions where status = 3 and (redeemed_by is null or billing_id is null)",
  "select 'I-14 an amount that is none' as what, count(*) as count from ledger where amount <= 0",
  ...(store === "sqlite"
    ? [
        `select 'I-14 an amount that is no integer' as what, count(*) as count from ledger where typeof(amount) <> 'integer'`,
        `select 'I-14 a balance that is no integer' as what, count(*) as count from wallets where typeof(balance) <> 'integer' or typeof(held) <> 'integer'`,
      ]
    : [
        `select 'I-14 a column that is no integer' as what, count(*) as count from information_schema.columns
         where table_schema = current_schema() and data_type not in ('bigint', 'integer', 'smallint')
           and (table_name, column_name) in (('ledger', 'amount'), ('wallets', 'balance'), ('wallets', 'held'), ('tokens', 'remain_quota'), ('logs', 'quota'))`,
      ]),
];

interface BookSums {
  balances: number;
  issued: number;
  charged: number;
  used: number;
  logged: number;
}

/** The errors in the books once no call runs; empty when the books are right. */
export async function findBookErrors(gateway: RunGateway): Promise<string[]> {
  const [found, wrong, sums, changes, priced] = await Promise.all([
    gateway.audit(),
    gateway.rows<CountedViolation>(
      `select * from (${violationQueries(gateway.store).join(" union all ")}) as counted where count > 0`,
    ),
    gateway.rows<BookSums>(
      `select (select sum(balance) from wallets) as balances,
         (select coalesce(sum(case when debit = 'issuance' then amount else -amount end), 0) from ledger where 'issuance' in (debit, credit)) as issued,
         (select coalesce(sum(amount), 0) from ledger where kind in ('charge', 'debt_payment')) as charged,
         (select coalesce(sum(used_quota), 0) from users) +
           (select coalesce(sum(used_quota), 0) from tokens where service = 1) as used,
         (select coalesce(sum(quota), 0) from logs where type in (${chargedLogTypes.join(", ")})) as logged`,
    ),
    changesOfBalances(gateway),
    wronglyPriced(gateway),
  ]);
  const [sum] = sums;
  if (!sum) throw new Error("there are no sums");
  const cleared = await clearedQuota(gateway);
  return [
    ...found.map(
      ({ name, what, stored, proved }) => `${name}: ${what}: stored ${stored}, proved ${proved}`,
    ),
    ...wrong.map(({ what, count }) => `${what}: ${count}`),
    ...(Number(sum.logged) + cleared === Number(sum.used)
      ? []
      : [`I-3 logs ${sum.logged} and cleared ${cleared} are not what was used, ${sum.used}`]),
    ...(Number(sum.issued) - Number(sum.charged) === Number(sum.balances)
      ? []
      : [
          `I-19 issued ${sum.issued} less charged ${sum.charged} are not the balances, ${sum.balances}`,
        ]),
    ...changes,
    ...priced,
  ];
}

async function clearedQuota(gateway: RunGateway): Promise<number> {
  const rows = await gateway.rows<{ change: string }>(
    "select change from audit_entries where action = 'log.cleared'",
  );
  return rows.reduce(
    (sum, { change }) => sum + Number((JSON.parse(change) as { quota: number }).quota),
    0,
  );
}

/**
 * I-11: every manual change of a balance is in the ledger and in the audit trail, with the same
 * amount.
 */
async function changesOfBalances(gateway: RunGateway): Promise<string[]> {
  const [granted, told] = await Promise.all([
    gateway.rows<{ uuid: string; amount: number }>(
      `select users.uuid, sum(case when ledger.debit = 'issuance' then ledger.amount else -ledger.amount end) as amount
       from ledger join users on 'wallet:' || users.wallet_id in (ledger.debit, ledger.credit)
       where ledger.kind = 'grant' and users.wallet_id <> ${rootWallet} group by users.uuid`,
    ),
    gateway.rows<{ target: string; change: string }>(
      "select target, change from audit_entries where action in ('user.create', 'user.update', 'user.topup')",
    ),
  ]);
  const audited = new Map<string, number>();
  for (const { target, change } of told) {
    const { quota = 0, quota_moved_by = quota } = JSON.parse(change) as {
      quota?: number;
      quota_moved_by?: number;
    };
    audited.set(target, (audited.get(target) ?? 0) + quota_moved_by);
  }
  const ledger = new Map(granted.map(({ uuid, amount }) => [uuid, Number(amount)]));
  return [...new Set([...ledger.keys(), ...audited.keys()])]
    .filter((uuid) => (ledger.get(uuid) ?? 0) !== (audited.get(uuid) ?? 0))
    .map(
      (uuid) =>
        `I-11 ${uuid}: ledger ${ledger.get(uuid) ?? 0}, audit trail ${audited.get(uuid) ?? 0}`,
    );
}

/**
 * I-13, I-14: computes each row's charge again from its stored price, in integers and rounded up
 * once.
 */
async function wronglyPriced(gateway: RunGateway): Promise<string[]> {
  const rows = await gateway.rows<{
    id: number;
    quota: number;
    prompt_tokens: number;
    completion_tokens: number;
    price: string;
  }>(
    `select id, quota, prompt_tokens, completion_tokens, price from logs
     where type = 2 and price is not null order by id desc limit 2000`,
  );
  return rows.flatMap(({ id, quota, prompt_tokens, completion_tokens, price }) => {
    const { rates, group_ratio, usage = {} } = JSON.parse(price) as FrozenPrice;
    const text = rates as Partial<Record<string, string>>;
    const counted = { input: prompt_tokens, output: completion_tokens, ...usage };
    const sum = Object.entries(counted).reduce(
      (all, [bucket, used]) => all + BigInt(text[bucket] ?? "0") * BigInt(used),
      0n,
    );
    const divisor = picodollarsPerUnit * groupRatioOne;
    const units = (sum * BigInt(group_ratio) + divisor - 1n) / divisor;
    return units === BigInt(quota) ? [] : [`I-13 call ${id}: charged ${quota}, priced ${units}`];
  });
}
