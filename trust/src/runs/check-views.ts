// I-20: every view of totals (dashboard, log, lists of users and tokens) shows those of the ledger
// for the same range.
import { computeIdFloor, computeIdTime } from "@tollgate/gateway/storage/time-ids.ts";
import type { RunGateway } from "./run-gateway.ts";

const dayMs = 24 * 3_600_000;
/** Longest range that is compared, in days. */
const daysMax = 3;
const peopleMax = 12;

interface ViewedUser {
  id: number;
  username: string;
}

const text = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/**
 * Every disagreement, once no call runs. PostgreSQL's roll-ups follow within a second, so the
 * caller retries.
 */
export async function findViewErrors(gateway: RunGateway): Promise<string[]> {
  const users = await gateway.rows<ViewedUser>(
    `select id, username from users where status = 1 and role = 1 order by used_quota desc, id limit ${peopleMax}`,
  );
  const problems: string[] = [];
  const compare = (what: string, shown: number, ledger: number) => {
    if (shown !== ledger) problems.push(`I-20 ${what}: shown ${shown}, ledger ${ledger}`);
  };
  const today = Math.floor(gateway.now() / dayMs);
  for (const [n, { id, username }] of users.entries()) {
    const [used] = await gateway
      .root<{ used_quota: number }[]>("GET", `/api/user/search?keyword=${username}&size=100`)
      .then((found) => found.filter((one) => (one as unknown as ViewedUser).username === username));
    compare(
      `${username} in the list of users`,
      used?.used_quota ?? -1,
      await charged(gateway, `user_id = ${id}`),
    );

    const first = today - (n % daysMax);
    for (const last of [first, today]) {
      const range = `billing_id >= ${computeIdFloor(first * dayMs)} and billing_id < ${computeIdFloor((last + 1) * dayMs)}`;
      const ledger = await charged(gateway, `${paidByOwn(id)} and ${range}`);
      const days = `${text(first)} to ${text(last)}`;
      const { logs } = await gateway.root<{ logs: { Quota: number }[] }>(
        "GET",
        `/api/user/dashboard?user_id=${id}&from_date=${text(first)}&to_date=${text(last)}`,
      );
      compare(`the dashboard of ${username}, ${days}`, sum(logs.map(({ Quota }) => Quota)), ledger);
      compare(
        `the log of ${username}, ${days}`,
        await logTotal(gateway, username, first * dayMs, (last + 1) * dayMs),
        ledger,
      );
    }
    problems.push(...(await findRowErrors(gateway, id, username)));
  }
  const tokens = await gateway.rows<{ id: number; used: number; ledger: number }>(
    `select tokens.id, tokens.used_quota as used,
       (select coalesce(sum(amount), 0) from ledger where token_id = tokens.id) as ledger
     from tokens order by tokens.id desc limit 50`,
  );
  for (const { id, used, ledger } of tokens) compare(`token ${id}`, Number(used), Number(ledger));
  return problems;
}

/**
 * Ranges to the second, between rows that still exist: the log sums rows where a range covers no
 * whole day.
 */
async function findRowErrors(gateway: RunGateway, id: number, username: string): Promise<string[]> {
  const rows = await gateway.rows<{ id: number; quota: number }>(
    `select id, quota from logs where type = 2 and user_id = ${id} and team_id is null order by id desc limit 20`,
  );
  const [cleared] = await gateway.rows<{ count: number }>(
    "select count(*) as count from audit_entries where action = 'log.cleared'",
  );
  // Cleared rows remain in the totals of whole days and in no row: only days can be compared then.
  if (Number(cleared?.count) > 0 || rows.length < 2) return [];
  const from = Math.floor(computeIdTime(Number(rows.at(-1)?.id)) / 1000) * 1000;
  const to = (Math.floor(computeIdTime(Number(rows[0]?.id)) / 1000) + 1) * 1000;
  const ledger = await charged(
    gateway,
    `${paidByOwn(id)} and billing_id >= ${computeIdFloor(from)} and billing_id < ${computeIdFloor(to)}`,
  );
  const shown = await logTotal(gateway, username, from, to);
  return shown === ledger
    ? []
    : [`I-20 the log of ${username} from ${from} to ${to}: shown ${shown}, ledger ${ledger}`];
}

/** Figures of an account are what its own wallet paid; those of a team are the team's. */
const paidByOwn = (id: number): string =>
  `user_id = ${id} and debit in (
     select kind || wallet_id from users cross join (select 'wallet:' as kind union select 'debt:') as kinds
     where users.id = ${id})`;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

async function charged(gateway: RunGateway, where: string): Promise<number> {
  const [row] = await gateway.rows<{ amount: number }>(
    `select coalesce(sum(amount), 0) as amount from ledger where credit = 'revenue' and ${where}`,
  );
  return Number(row?.amount ?? 0);
}

/** Both ends are inclusive seconds. */
async function logTotal(
  gateway: RunGateway,
  username: string,
  from: number,
  to: number,
): Promise<number> {
  const range = `start_timestamp=${from / 1000}&end_timestamp=${to / 1000 - 1}`;
  const { quota } = await gateway.root<{ quota: number }>(
    "GET",
    `/api/log/stat?username=${username}&${range}`,
  );
  return quota;
}
