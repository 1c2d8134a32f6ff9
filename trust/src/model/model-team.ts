// What is stored of the team of a story, compared with the model, and its end with the story.
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import type { RunGateway } from "../runs/run-gateway.ts";
import type { ModelTeam } from "./reference-model.ts";

/** Budgets of which something was spent, by their ids. */
const listSpent = ({ members, keys, budget: whole }: ModelTeam) =>
  [whole, ...members.flatMap(({ caps }) => caps), ...keys.map(({ budget }) => budget)]
    .flatMap((budget) => (budget && budget.spent > 0 ? [[budget.id, budget.spent, 0]] : []))
    .toSorted(([one = 0], [other = 0]) => one - other);

export async function compareTeam(gateway: RunGateway, team: ModelTeam): Promise<void> {
  const readAll = async () => {
    const [wallet] = await gateway.rows<Record<"balance" | "held" | "debt" | "open", number>>(
      `select balance, held, debt,
         (select count(*) from reservations where wallet_id = w.id) as open
       from wallets w where id = ${team.walletId}`,
    );
    const keys = await gateway.rows<Record<"id" | "remain" | "held" | "used" | "status", number>>(
      `select id, remain_quota as remain, held_quota as held, used_quota as used, status from tokens
       where team_id = ${team.id} order by id`,
    );
    const counters = await gateway.rows<Record<"id" | "spent" | "held", number>>(
      `select b.id as id, sum(c.spent) as spent, sum(c.held) as held
       from budgets b join budget_counters c on c.budget_id = b.id
       where (b.subject = 'member' and b.subject_id in (select id from team_members where team_id = ${team.id}))
         or (b.subject = 'team' and b.subject_id = ${team.id})
         or (b.subject = 'token' and b.subject_id in (select id from tokens where team_id = ${team.id}))
       group by b.id order by b.id`,
    );
    return {
      wallet: [wallet?.balance, wallet?.held, wallet?.debt, wallet?.open].map(Number),
      keys: keys.map(({ id, remain, held, used, status }) => [
        ...[Number(id), Number(remain), Number(held), Number(used)],
        Number(status) !== 2,
      ]),
      spent: counters
        .map(({ id, spent, held }) => [Number(id), Number(spent), Number(held)])
        .filter(([, spent = 0, held = 0]) => spent > 0 || held > 0),
    };
  };
  const expected = JSON.stringify({
    wallet: [team.balance, 0, team.debt, 0],
    keys: team.keys
      .toSorted((one, other) => one.id - other.id)
      .map(({ id, remain, used, isEnabled }) => [id, remain, 0, used, isEnabled]),
    spent: listSpent(team),
  });
  await eventually(
    async () => {
      const found = JSON.stringify(await readAll());
      if (found !== expected) throw new Error(`the team has ${found}, the model ${expected}`);
    },
    { timeoutMs: 15_000, everyMs: 2 },
  );
}

/** The next story begins without the team; what it owes is written off. */
export async function endTeam(gateway: RunGateway, team: ModelTeam): Promise<void> {
  await compareTeam(gateway, team);
  await gateway.root("DELETE", `/api/team/${team.id}${team.debt > 0 ? "?write_off=true" : ""}`);
}
