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
 * Who came there and was not carried yet, who left there and is still in the team, and who has
 * another role there. Whom an administrator removed here is no difference, nor is one who has fewer
 * rights here than there, unless a later run has not read theirs yet.
 */
async function comparePeople(
  { db, imported }: VerifyRun,
  { item, ourId, before }: ComparedPeople,
  differ: (difference: { theirs: string; ours: string }) => void,
): Promise<void> {
  const there = new Map(item.members.map(({ userSourceId, role }) => [userSourceId, role]));
  const carried = new Map(
    before.map((entry) => {
      const [role = "", ...id] = entry.split(" ");
      return [id.join(" "), role];
    }),
  );
  for (const [userId, role] of there)
    if (!carried.has(userId)) differ({ theirs: `${role} ${userId}`, ours: "not carried" });
  const known = await imported.known("user", [...carried.keys()]);
  const present = await db.read(
    db.sql
      .selectFrom("team_members")
      .select(["user_id", "role"])
      .where("team_id", "=", ourId)
      .where("left_at", "is", null),
  );
  const rolesHere = new Map(present.map(({ user_id, role }) => [user_id, role]));
  for (const [userId, roleBefore] of carried) {
    const [theirs, ours] = [there.get(userId), rolesHere.get(known.get(userId)?.ourId ?? 0)];
    if (ours === undefined || ours === theirs) continue;
    if (theirs === undefined) differ({ theirs: `without ${userId}`, ours: `with ${userId}` });
    else if (ours === "admin" || theirs !== roleBefore)
      differ({ theirs: `${theirs} ${userId}`, ours: `${ours} ${userId}` });
  }
}

export const teams: ComparedKind<SourceTeam> = {
  entity: "team",
  nameOf: ({ name }) => name,
  compare: compareTeams,
  left: async () => () => false,
};
