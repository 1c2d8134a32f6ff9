// The team of the crash run: it pays for streams and short calls while the gateway is killed, and
// quota moves into it.
import { setTimeout as pause } from "node:timers/promises";
import type { RunGateway, RunMember } from "./run-gateway.ts";

const memberCount = 3;
const transfersPerCycle = 10;
const transferred = 700;
const ample = 1_000_000_000_000;
/** As many as a budget of calls may have. */
const ampleCalls = 10_000_000;

/** All calls of the team name it, each for its own key. */
export const crashedRun = { "x-tollgate-run": "crashed" };

export interface CrashTeam {
  walletId: number;
  /** Those of its members, and one of a service. */
  keys: string[];
  /** Moves quota out of the account of its admin, several times until `withinMs`. */
  beginTransfers(withinMs: number): Promise<string[]>;
  /** Sends transfers again, of which the gateway may have done some; what is wrong then. */
  endTransfers(sent: readonly string[]): Promise<string[]>;
  /** What the team's books have that no crash may leave. */
  findErrors(): Promise<string[]>;
}

/** `admin` is an account with quota. */
export async function addCrashTeam(gateway: RunGateway, admin: RunMember): Promise<CrashTeam> {
  const { root, rows } = gateway;
  const { id } = await root<{ id: number }>("POST", "/api/team/", { name: "Crashed" });
  const path = `/api/team/${id}`;
  await root("POST", `${path}/transfer`, { source: "issuance", amount: ample });
  const cap = { window: "lifetime", amount: ample };
  await root("POST", `${path}/cap`, { name: "each", ...cap });
  const ofTeam = { subject_id: id, ...cap };
  await root("POST", "/api/budget/", { subject: "team", name: "of the team", ...ofTeam });
  const { id: ofRuns } = await root<{ id: number }>("POST", "/api/budget/", {
    ...{ ...ofTeam, subject: "team_run", name: "of each run" },
    ...{ measure: "calls", amount: ampleCalls },
  });
  const makeKey = async (access: string, service: boolean) => {
    const made = await gateway.api<{ key: string }>(access, "POST", `${path}/token`, {
      ...{ name: "crashed", unlimited_quota: true, service },
    });
    return made.key.replace(/^sk-/, "");
  };
  const keys: string[] = [];
  const seat = async (member: RunMember, role: string) => {
    await root("PUT", `${path}/member`, { user_id: member.id, role });
    keys.push(await makeKey(member.access, false));
  };
  await seat(admin, "admin");
  for (let n = 1; n < memberCount; n += 1) await seat(await gateway.addMember(), "member");
  keys.push(await makeKey(gateway.rootAccess, true));
  const [team] = await rows<{ wallet: number }>(
    `select wallet_id as wallet from teams where id = ${id}`,
  );
  const walletId = Number(team?.wallet);

  let transfers = 0;
  const transfer = (key: string) =>
    gateway.askOnce(admin.access, `${path}/transfer`, { source: "own", amount: transferred }, key);
  return {
    walletId,
    keys,

    beginTransfers(withinMs) {
      return Promise.all(
        Array.from({ length: transfersPerCycle }, async (_, n) => {
          transfers += 1;
          const key = `crash-transfer-${transfers}`;
          await pause((withinMs * n) / transfersPerCycle);
          await transfer(key).catch(() => undefined);
          return key;
        }),
      );
    },

    async endTransfers(sent) {
      const replies = await Promise.all(sent.map(transfer));
      const problems = replies.flatMap(({ body, text }) =>
        body?.success === true ? [] : [`a transfer was not made: ${text}`],
      );
      const [moved] = await rows<{ count: number; amount: number }>(
        `select count(*) as count, coalesce(sum(amount), 0) as amount from ledger
         where kind = 'transfer' and debit = 'wallet:${admin.walletId}' and credit = 'wallet:${walletId}'`,
      );
      if (Number(moved?.count) !== transfers || Number(moved?.amount) !== transfers * transferred)
        problems.push(`${moved?.count} transfers of ${moved?.amount} units, of ${transfers}`);
      return problems;
    },

    async findErrors() {
      const [found] = await rows<{ counted: number; paid: number; held: number }>(
        `select (select coalesce(sum(spent), 0) from budget_counters where budget_id = ${ofRuns}) as counted,
           (select count(*) from ledger where kind = 'charge' and debit = 'wallet:${walletId}') as paid,
           (select count(*) from budget_counters where held <> 0) as held`,
      );
      const { counted, paid, held } = found ?? { counted: 0, paid: 0, held: 0 };
      return [
        ...(Number(counted) === Number(paid)
          ? []
          : [`the team paid for ${paid} calls, and its runs counted ${counted}`]),
        ...(Number(held) === 0 ? [] : [`${held} budgets hold units of no call`]),
      ];
    },
  };
}
