/**
 * Writes teams with their wallets and people, and in later runs what changed there since. A team of
 * which an earlier version made an account stays that account.
 */
import { createHash } from "node:crypto";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import { createTeamCap } from "@tollgate/contract/accounts/team-caps.ts";
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import { sql as raw } from "kysely";
import * as z from "zod/mini";
import { buildMemberCap } from "../../../accounts/teams/team-cap-rules.ts";
import { planMemberCaps } from "../../../money/holds/inherited-budgets.ts";
import { planOpeningBalanceWrites } from "../../../money/opening-writes.ts";
import type { Write } from "../../../storage/database.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import type { SourceTeam, SourceTeamMember } from "../import-items.ts";
import {
  commit,
  findCarried,
  type ImportRun,
  type ImportWrite,
  leave,
  leaveUnread,
  splitIntoBatches,
} from "../import-run.ts";
import type { ImportedItem, ImportedState } from "../import-store.ts";
import { planBalanceWrites } from "./carried-balance.ts";
import { readTeamNames, type TakenTeamNames } from "./team-names.ts";

/** A team may have a thousand people: a batch has a few teams. */
const teamsPerBatch = 20;
/** In what is remembered of a team: who left it there, and may still be in it here. */
const leftRole = "left";
/** The name of a budget that belongs to one member alone. */
const budgetName = "Budget of before";

export async function writeTeams(run: ImportRun): Promise<void> {
  let taken: TakenTeamNames | undefined;
  for await (const page of run.source.teams()) {
    run.seen.presence.note("team", page);
    taken ??= await readTeamNames(run.db);
    for (const batch of splitIntoBatches(page, teamsPerBatch)) {
      const items = batch.flatMap(({ item }) => item ?? []);
      const known = await findCarried(run, "team", batch);
      const people = await run.imported.known(
        "user",
        items.flatMap(({ accountSourceId, members }) => [
          accountSourceId,
          ...members.map(({ userSourceId }) => userSourceId),
        ]),
      );
      const rows: ImportWrite[] = [];
      for (const reading of batch) {
        const { sourceId, item: team, losses } = reading;
        const before = known.get(sourceId);
        if (!team) leaveUnread(run, "team", reading, before !== undefined);
        else if (before) rows.push(await changeTeam(run, { sourceId, team, people }, before));
        else if (!people.has(team.accountSourceId)) {
          run.report.lose(...losses);
          const name = taken.take(sourceId, team.name);
          const made = await makeTeam(run, { sourceId, team, people }, name);
          if (made) rows.push(made);
        }
      }
      await commit(run, rows);
    }
  }
}

interface ReadTeam {
  sourceId: string;
  team: SourceTeam;
  /** Accounts here, by their ids there. */
  people: ReadonlyMap<string, ImportedItem>;
}

/** The columns that an administrator may change here, which then stay. */
const buildSettings = ({ models, limits }: SourceTeam) => ({ models, ...limits });

const listIds = (members: readonly SourceTeamMember[]): string[] =>
  members.map(({ userSourceId, role }) => `${role} ${userSourceId}`).sort();

const buildState = (team: SourceTeam, updatedAt: number): ImportedState => ({
  balance: team.balance,
  isEnabled: team.isEnabled ? 1 : 0,
  settings: createHash("sha256")
    .update(JSON.stringify(buildSettings(team)))
    .digest("hex")
    .slice(0, 16),
  members: JSON.stringify(listIds(team.members)),
  updatedAt,
});

const storedMembers = z.array(z.string());

/** `readCarriedMembers` gives `role id` of the people whom an earlier run read. */
export const readCarriedMembers = ({ members }: ImportedState): string[] =>
  z.parse(storedMembers, JSON.parse(String(members)));

/** Root owns a team without an admin: a plan knows no account yet. */
async function findOwner(
  { db, isPlan }: ImportRun,
  { team, people }: ReadTeam,
): Promise<{ id: number; isAdminThere: boolean; username: string } | undefined> {
  for (const { role, userSourceId } of team.members) {
    const found = people.get(userSourceId);
    if (role === "admin" && (found || isPlan))
      return { id: found?.ourId ?? 0, isAdminThere: true, username: "" };
  }
  const [root] = await db.read(
    db.sql
      .selectFrom("users")
      .select(["id", "username"])
      .where("status", "=", userStatus.enabled)
      .where("role", ">=", roles.admin)
      .orderBy("role", "desc")
      .orderBy("id")
      .limit(1),
  );
  if (root) return { ...root, isAdminThere: false };
  return isPlan ? { id: 0, isAdminThere: false, username: "root" } : undefined;
}

async function makeTeam(
  run: ImportRun,
  given: ReadTeam,
  name: string,
): Promise<ImportWrite | undefined> {
  const { db, now, teams } = run;
  const { sourceId, team, people } = given;
  const lose = (reason: ImportLossReason, value = "") =>
    run.report.lose({ entity: "team", sourceId, name: team.name, field: "", reason, value });
  if (name !== team.name) lose("name_taken", name);
  const owner = await findOwner(run, given);
  if (!owner) {
    leave(run, { entity: "team" }, [
      { entity: "team", sourceId, name, field: "", reason: "owner_missing", value: "" },
    ]);
    return undefined;
  }
  if (!owner.isAdminThere) lose("team_without_admin", owner.username);
  const [uuid, walletUuid] = [readUuid7(now), readUuid7(now)];
  const columns = {
    ...{ uuid, name, group: "default", owner_id: owner.id },
    ...buildSettings(team),
    status: team.isEnabled ? teamStatus.enabled : teamStatus.disabled,
    created_at: team.createdAtMs ?? now,
    updated_at: now,
  };
  const id = raw<number>`(select id from teams where uuid = ${uuid})` as unknown as number;
  const opening = { id: db.mintId(), uuid: walletUuid, amount: team.balance };
  return {
    ...{ entity: "team", sourceId, name, outcome: "added" },
    writes: [
      ...teams.insert(columns, walletUuid),
      ...planOpeningBalanceWrites(db, [opening], now),
      ...planMembers(run, { id, ownerId: owner.id }, team.members, people),
      run.imported.remember("team", "teams", [{ uuid, sourceId, state: buildState(team, now) }]),
    ],
  };
}

/** Memberships with what limits each of them alone. */
function planMembers(
  { now, teams, budgets }: ImportRun,
  { id, ownerId }: { id: number; ownerId: number },
  members: readonly SourceTeamMember[],
  people: ReadTeam["people"],
): Write[] {
  return members.flatMap(({ userSourceId, role, budget }) => {
    const userId = people.get(userSourceId)?.ourId;
    if (userId === undefined) return [];
    const membership =
      raw<number>`(select id from team_members where team_id = ${id} and user_id = ${userId})` as unknown as number;
    return [
      ...(userId === ownerId ? [] : [teams.putMember(id, userId, role, now)]),
      ...(budget === undefined ? [] : [budgets.insert(buildOwnBudget(membership, budget, now))]),
    ];
  });
}

const buildOwnBudget = (
  membership: number,
  { amount, window }: NonNullable<SourceTeamMember["budget"]>,
  now: number,
) =>
  buildMemberCap(
    membership,
    z.parse(createTeamCap.body, { name: budgetName, amount, window, zone: "UTC" }),
    readUuid7(now),
    now,
    "UTC",
  );

/**
 * `changeTeam` adds people who came there, and ends the rights of an admin who is a member there
 * now. Who left there stays, and a line says so: a key of that person that was deleted there is
 * disabled by itself.
 */
async function changeTeam(
  run: ImportRun,
  { sourceId, team, people }: ReadTeam,
  { ourId, state }: ImportedItem,
): Promise<ImportWrite> {
  const { db, now } = run;
  const { joining, others, lowered, left } = compareMembers(team, state);
  const after: ImportedState = {
    ...buildState(team, Number(state.updatedAt)),
    members: JSON.stringify([...listIds(team.members), ...left].sort()),
  };
  const result = (outcome: ImportWrite["outcome"], writes: readonly Write[] = []): ImportWrite => ({
    ...{ entity: "team", sourceId, name: team.name, outcome, writes },
  });
  if (Object.entries(after).every(([name, value]) => state[name] === value))
    return result("unchanged");
  const lose = (reason: ImportLossReason, field: string, value = "") =>
    run.report.lose({ entity: "team", sourceId, name: team.name, field, reason, value });
  const [row] = await db.read(
    db.sql
      .selectFrom("teams")
      .innerJoin("wallets", "wallets.id", "teams.wallet_id")
      .selectAll("teams")
      .select(["wallets.balance", "wallets.held"])
      .where("teams.id", "=", ourId)
      .where("teams.status", "<>", teamStatus.deleted),
  );
  if (!row) {
    lose("changed_here", "");
    return result("unchanged");
  }
  const isEditedHere = row.updated_at !== state.updatedAt;
  const areSettingsChanged = after.settings !== state.settings;
  if (areSettingsChanged && isEditedHere) lose("changed_here", "models");
  const settings = areSettingsChanged && !isEditedHere ? buildSettings(team) : {};
  const isClosed = !team.isEnabled && row.status === teamStatus.enabled;
  const change = { ...settings, ...(isClosed && { status: teamStatus.disabled }) };
  const isWritten = Object.keys(change).length > 0;
  const updatedAt = isWritten ? Math.max(now, row.updated_at + 1) : row.updated_at;
  const lowering = await findAdmins(run, { ourId, ownerId: row.owner_id, people }, lowered);
  const staying = others.filter((id) => !lowering.has(id));
  if (staying.length > 0) lose("team_members_changed", "members", staying.join(", "));
  const joiningIds = joining.flatMap(({ userSourceId }) => people.get(userSourceId)?.ourId ?? []);
  return result("changed", [
    ...(await planBalanceWrites(run, row, team.balance - Number(state.balance))),
    ...(isWritten ? [run.teams.update(row, { ...change, updated_at: updatedAt })] : []),
    ...planMembers(run, { id: ourId, ownerId: row.owner_id }, joining, people),
    ...[...lowering.values()].map((userId) => run.teams.putMember(ourId, userId, "member", now)),
    ...(joiningIds.length > 0
      ? planMemberCaps(db, { teamId: ourId, userIds: joiningIds }, now)
      : []),
    run.imported.put("team", sourceId, ourId, {
      ...after,
      updatedAt: isEditedHere ? Number(state.updatedAt) : updatedAt,
    }),
  ]);
}

/** Accounts of those who are admins of the team here, by their ids there. The owner stays one. */
async function findAdmins(
  { db }: ImportRun,
  { ourId, ownerId, people }: { ourId: number; ownerId: number; people: ReadTeam["people"] },
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const admins = await db.read(
    db.sql
      .selectFrom("team_members")
      .select("user_id")
      .where("team_id", "=", ourId)
      .where("role", "=", "admin")
      .where("by_provider", "=", "")
      .where("left_at", "is", null)
      .where("user_id", "<>", ownerId),
  );
  const ids = new Set(admins.map(({ user_id }) => user_id));
  const found = sourceIds.flatMap((sourceId) => {
    const userId = people.get(sourceId)?.ourId;
    return userId !== undefined && ids.has(userId) ? [[sourceId, userId] as const] : [];
  });
  return new Map(found);
}

/**
 * `others` are those who left there since, or have another role, `lowered` those among them who
 * were admins and are members. `left` are the entries of all who left there: they stay known,
 * because they may still be in the team here.
 */
function compareMembers(
  { members }: SourceTeam,
  state: ImportedState,
): { joining: SourceTeamMember[]; others: string[]; lowered: string[]; left: string[] } {
  const before = readCarriedMembers(state).map((entry) => {
    const [role = "", ...id] = entry.split(" ");
    return { entry, role, isLeft: role === leftRole, id: id.join(" ") };
  });
  const idsBefore = new Set(before.filter(({ isLeft }) => !isLeft).map(({ id }) => id));
  const idsNow = new Set(members.map(({ userSourceId }) => userSourceId));
  const now = new Set(listIds(members));
  const others = before.filter(({ entry, isLeft }) => !isLeft && !now.has(entry));
  return {
    joining: members.filter(({ userSourceId }) => !idsBefore.has(userSourceId)),
    others: others.map(({ id }) => id),
    lowered: others
      .filter(({ id, role }) => role === "admin" && idsNow.has(id))
      .map(({ id }) => id),
    left: before.filter(({ id }) => !idsNow.has(id)).map(({ id }) => `${leftRole} ${id}`),
  };
}
