/** The facts that are compared of teams: the wallet, the switch, and the people, both ways. */
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { sql as raw } from "kysely";
import { type Compare, type ComparedKind, openHere } from "./compared-kinds.ts";
import type { VerifyRun } from "./import-differences.ts";
import type { SourceTeam } from "./import-items.ts";
import { readCarriedMembers } from "./writers/write-teams.ts";

interface CarriedTeam {
  id: number;
  status: number;
  balance: number;
}

/** The ledger says what was carried: later calls and transfers here do not change it. */
const compareTeams: Compare<SourceTeam> = async (run, rows, differ) => {
  if (rows.length === 0) return;
  const { db, imported } = run;
  const ids = raw.join(rows.map(({ ourId }) => ourId));
  const carried = raw<CarriedTeam>`
    select teams.id, teams.status,
      coalesce((select sum(amount) from ledger where kind = 'opening' and credit = 'wallet:' || teams.wallet_id), 0)
      - coalesce((select sum(amount) from ledger where kind = 'opening' and debit = 'wallet:' || teams.wallet_id), 0)
      - coalesce((select sum(amount) from ledger where kind = 'opening_debt' and debit = 'debt:' || teams.wallet_id), 0)
      as balance
    from teams where teams.id in (${ids})`;
  const found = await db.read({ compile: () => carried.compile(db.sql) });
  const byId = new Map(found.map((row) => [Number(row.id), row]));
  const states = await imported.known(
    "team",
    rows.map(({ sourceId }) => sourceId),
  );
  for (const { sourceId, item, ourId } of rows) {
    const ours = byId.get(ourId);
    const balance = Number(ours?.balance);
    if (balance !== item.balance)
      differ(sourceId, { what: "balance", theirs: String(item.balance), ours: String(balance) });
    const status = Number(ours?.status);
    if (!item.isEnabled && status === teamStatus.enabled)
      differ(sourceId, openHere(teamStatus.disabled, status));
    const state = states.get(sourceId)?.state;
    if (state)
      await comparePeople(run, { item, ourId, before: readCarriedMembers(state) }, (difference) =>
        differ(sourceId, { what: "members", ...difference }),
      );
  }
};

interface ComparedPeople {
  item: SourceTeam;
  ourId: number;
  /** `before` has `role id` of each whom a run has read, also of those who had left there. */
  before: readonly string[];
}

/**
 * Who came there and was not carried yet, and who left there and is still in the team. Whom an
 * administrator removed here is no difference.
 */
async function comparePeople(
  { db, imported }: VerifyRun,
  { item, ourId, before }: ComparedPeople,
  differ: (difference: { theirs: string; ours: string }) => void,
): Promise<void> {
  const there = new Map(item.members.map(({ userSourceId, role }) => [userSourceId, role]));
  const carried = new Set(before.map((entry) => entry.slice(entry.indexOf(" ") + 1)));
  for (const [userId, role] of there)
    if (!carried.has(userId)) differ({ theirs: `${role} ${userId}`, ours: "not carried" });
  const left = [...carried].filter((userId) => !there.has(userId));
  if (left.length === 0) return;
  const known = await imported.known("user", left);
  const present = await db.read(
    db.sql
      .selectFrom("team_members")
      .select("user_id")
      .where("team_id", "=", ourId)
      .where("left_at", "is", null),
  );
  const presentIds = new Set(present.map(({ user_id }) => user_id));
  for (const userId of left)
    if (presentIds.has(known.get(userId)?.ourId ?? 0))
      differ({ theirs: `without ${userId}`, ours: `with ${userId}` });
}

export const teams: ComparedKind<SourceTeam> = {
  entity: "team",
  nameOf: ({ name }) => name,
  compare: compareTeams,
  left: async () => () => false,
};
