/** API routes by which teams are made, changed and left, and get their quota. */

import { isDeepStrictEqual } from "node:util";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import {
  createTeam,
  deleteTeam,
  getTeam,
  listTeamMembers,
  listTeams,
  putTeam,
  removeTeamMember,
  setTeamMember,
  type TeamChange,
  type TeamInput,
  type TeamSetting,
  type TeamTransfer,
  type TransferSource,
  teamInput,
  teamSettings,
  teamStatus,
  transferToTeam,
  updateTeam,
} from "@tollgate/contract/accounts/teams.ts";
import type { BodyOf, QueryOf } from "@tollgate/contract/api/endpoint.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import type { LogEvent } from "@tollgate/contract/figures/log-events.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotent } from "../../http/idempotency.ts";
import { checkFileAllows, checkUnmanaged } from "../../http/managed-by-file.ts";
import { readBoundTeam } from "../../http/management-key-access.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import { planWaiverWrites } from "../../money/debt-writes.ts";
import { grantWrites } from "../../money/grant-writes.ts";
import { planMemberCaps } from "../../money/holds/inherited-budgets.ts";
import { formatQuotaText } from "../../money/quota-text.ts";
import { planTransferWrites } from "../../money/transfer-writes.ts";
import { checkGroup } from "../../settings/group-rules.ts";
import { planEventRow } from "../../storage/event-row.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { UserAccount } from "../identity/users/user-store.ts";
import { checkByHand, type RulingProviders } from "../ruling-providers.ts";
import type { InvitationStore } from "./invitation-store.ts";
import { reachTeam, type TeamDeps } from "./reach-team.ts";
import { requireLiving } from "./team-guards.ts";
import {
  buildTeamColumns,
  checkMayDo,
  checkUsersTeam,
  listStandings,
  mayDo,
  settingActs,
  transferActs,
  viewMember,
  viewTeam,
} from "./team-rules.ts";

type MemberBody = BodyOf<typeof setTeamMember>;

const isSetting = (name: string): name is TeamSetting => Object.hasOwn(teamSettings, name);

/** `eventCodes` tell in the log what moved from where. */
const eventCodes = {
  own: "transfer_to_team",
  team: "transfer_from_team",
  issuance: "quota_for_team",
} as const satisfies Readonly<Record<TransferSource, LogEvent["code"]>>;

interface TeamRoutesDeps extends TeamDeps {
  ruling: RulingProviders;
  invitations: Pick<InvitationStore, "endOf" | "endOffers">;
}

export function buildTeamRoutes({
  db,
  teams,
  users,
  options,
  invitations,
  ruling,
}: TeamRoutesDeps): ApiRoute[] {
  const reach = (call: AuthenticatedContext, reference: Reference) =>
    reachTeam({ teams }, call, reference);
  const view = async (call: AuthenticatedContext, reference: Reference) => {
    const { row, standings } = await reach(call, reference);
    return viewTeam(row, standings);
  };
  const existingUser = async (id: number): Promise<UserAccount> => {
    const user = await users.byId(id);
    if (!user) throw refuse("user_not_found");
    return user;
  };

  const create = (call: AuthenticatedContext & { body: TeamInput }): Promise<string> =>
    idempotent(db, call, {
      name: "team.create",
      body: call.body,
      async create(remember) {
        const { principal } = call;
        const { owner_id = principal.id } = call.body;
        const isByUser = principal.role < roles.admin;
        const max = options.number("TeamsByUsers");
        if (isByUser && max === 0) throw refuse("insufficient_role");
        if (isByUser) checkUsersTeam(principal, call.body);
        const body = isByUser ? { ...call.body, group: principal.group } : call.body;
        checkGroup(options, body.group);
        await existingUser(owner_id);
        const columns = buildTeamColumns(body, owner_id, readUuid7(call.now), call.now);
        const { uuid } = columns;
        const audits = call.audit("team.create", uuid, columns);
        await db.write([
          ...(isByUser ? teams.requireFewerOwned(principal.id, max) : []),
          ...teams.insert(columns, readUuid7(call.now)),
          ...audits,
          ...remember(uuid),
        ]);
        return uuid;
      },
    });

  const update = async (call: AuthenticatedContext & { body: TeamChange }) => {
    const { row, standings } = await reach(call, named(call.body));
    const { updated_at, members_see_balance, owner_id, id: _, uuid: _uuid, ...columns } = call.body;
    checkFileAllows(row, call.body);
    if (columns.managed_by !== undefined) checkMayDo(standings, "administer");
    for (const [name, value] of Object.entries(call.body))
      if (isSetting(name) && value !== undefined) checkMayDo(standings, settingActs[name]);
    if (updated_at !== undefined && updated_at !== row.updated_at)
      throw refuse("changed_meanwhile");
    if (columns.group !== undefined) checkGroup(options, columns.group);
    const owner = owner_id === undefined ? undefined : await teams.member(row.id, owner_id);
    const isFit = owner?.left_at === null && owner.role === "admin" && owner.user_status === 1;
    if (owner_id !== undefined && !isFit) throw refuse("team_member_not_found");
    const change = {
      ...columns,
      ...(owner_id !== undefined && { owner_id }),
      ...(members_see_balance !== undefined && {
        members_see_balance: members_see_balance ? (1 as const) : (0 as const),
      }),
      updated_at: Math.max(call.now, row.updated_at + 1),
    };
    const audits = call.audit("team.update", row.uuid, findNamedChanges(row, change));
    const ended = [
      ...(owner_id === undefined ? [] : [invitations.endOffers(row.id)]),
      ...(columns.managed_by === undefined ? [] : teams.takeOver(row.id)),
    ];
    await db.write([teams.update(row, change), ...ended, ...audits], {
      changes: ["teams", "budgets"],
    });
    return view(call, { id: row.id });
  };

  /**
   * `put` is for programs that keep teams as they should be: it changes nothing where all members
   * are as they are asked for.
   */
  const put = async (
    call: AuthenticatedContext & { body: BodyOf<typeof putTeam> },
    external_id: string,
  ) => {
    const [found] = (await teams.page({ userId: undefined, teamId: undefined }, { external_id }))
      .rows;
    const { status, ...settings } = call.body;
    if (!found) {
      const body = parseOrRefuse(teamInput, { ...settings, external_id });
      const made = { uuid: await create({ ...call, body }) };
      if (status === undefined || status === teamStatus.enabled) return view(call, made);
      return update({ ...call, body: { ...made, status } });
    }
    const shown = viewTeam(found, ["site"]);
    const isSame = Object.entries(call.body).every(
      ([name, value]) =>
        value === undefined || isDeepStrictEqual(shown[name as keyof typeof shown], value),
    );
    const body = { uuid: found.uuid, ...call.body };
    return isSame ? view(call, { id: found.id }) : update({ ...call, body });
  };

  /**
   * `remove` gives what the wallet has left back to the operator, in the batch that ends the team.
   */
  const remove = async (
    call: AuthenticatedContext & { query: QueryOf<typeof deleteTeam> },
    reference: Reference,
  ): Promise<void> => {
    const { row, standings } = await reach(call, reference);
    checkMayDo(standings, "own");
    checkUnmanaged(row);
    const isWrittenOff = call.query.write_off === true;
    if (isWrittenOff && call.principal.role < roles.root) throw refuse("insufficient_role");
    if (row.debt > 0 && !isWrittenOff) throw refuse("team_owes");
    const { wallet_id: walletId, debt } = row;
    const waiver = { id: db.mintId(), walletId, amount: debt, at: call.now };
    const rest = {
      id: db.mintId(),
      wallet: { id: row.wallet_id },
      amount: -row.balance,
      at: call.now,
    };
    const batch = [
      teams.requireIdle(row.wallet_id, "quota_set_aside"),
      ...planWaiverWrites(db, { ...waiver, missed: "changed_meanwhile" }),
      ...grantWrites(db, { ...rest, expectedBalance: row.balance, missed: "changed_meanwhile" }),
      teams.update(row, {
        ...{
          status: teamStatus.deleted,
          external_id: null,
          updated_at: Math.max(call.now, row.updated_at + 1),
        },
      }),
      teams.disableTokens(row.id, call.now),
      teams.disableManagementKeys(row.id),
      teams.endKeyOffers(row.id),
      ...call.audit("team.delete", row.uuid, {
        ...{ name: row.name, balance: row.balance },
        ...(debt > 0 && { debt_written_off: debt }),
      }),
    ];
    await db.write(batch, { changes: ["teams", "tokens"] });
  };

  const setMember = async (
    call: AuthenticatedContext & { params: { id: Reference } },
    body: MemberBody,
  ) => {
    const { row, standings } = await reach(call, call.params.id);
    checkMayDo(standings, "manage");
    const { user_id, role } = body;
    const known = await teams.member(row.id, user_id);
    // Whether a name belongs to an account is not for the admins of a team to find out.
    if (known?.left_at !== null && !mayDo(standings, "administer"))
      throw refuse("team_member_not_found");
    if (user_id === row.owner_id && role !== "admin") throw refuse("team_needs_owner");
    if (known?.left_at === null) checkByHand(ruling, known.by_provider);
    const { username } = await existingUser(user_id);
    const audits = call.audit("team.set_member", row.uuid, {
      name: row.name,
      user: username,
      role,
    });
    const ended = role === "admin" ? [] : [invitations.endOf(row.id, user_id)];
    const isJoining = known?.left_at !== null;
    const capped = isJoining
      ? planMemberCaps(db, { teamId: row.id, userIds: [user_id] }, call.now)
      : [];
    await db.write(
      [teams.putMember(row.id, user_id, role, call.now), ...capped, ...ended, ...audits],
      {
        changes: ["teams", "budgets"],
      },
    );
    return (await teams.members(row.id)).map((member) => viewMember(member, row, ruling));
  };

  const removeMember = async (
    call: AuthenticatedContext & { params: { id: Reference } },
    userId: number,
  ) => {
    const { row, standings } = await reach(call, call.params.id);
    if (userId !== call.principal.id) checkMayDo(standings, "manage");
    const member = await teams.member(row.id, userId);
    if (member?.left_at !== null) throw refuse("team_member_not_found");
    if (userId === row.owner_id) throw refuse("team_needs_owner");
    checkByHand(ruling, member.by_provider);
    const audits = call.audit("team.remove_member", row.uuid, {
      name: row.name,
      user: member.username,
    });
    await db.write(
      [...teams.removeMember(member, call.now), invitations.endOf(row.id, userId), ...audits],
      {
        changes: ["teams", "tokens"],
      },
    );
  };

  const transfer = (
    call: AuthenticatedContext & { params: { id: Reference }; body: TeamTransfer },
  ) =>
    idempotent(db, call, {
      name: "team.transfer",
      body: { team: call.params.id, ...call.body },
      async create(remember) {
        const { source, amount, user_id = call.principal.id } = call.body;
        const { row, standings } = await reach(call, call.params.id);
        checkMayDo(standings, transferActs[source]);
        if (source === "issuance" && call.principal.role < roles.root)
          throw refuse("insufficient_role");
        const { wallet_id: userWalletId, username, id: userId } = await existingUser(user_id);
        const id = db.mintId();
        const [fromWalletId, toWalletId] =
          source === "team" ? [row.wallet_id, userWalletId] : [userWalletId, row.wallet_id];
        const moved =
          source === "issuance"
            ? grantWrites(db, {
                ...{
                  id,
                  wallet: { id: row.wallet_id },
                  amount,
                  at: call.now,
                  missed: "quota_too_high",
                },
              })
            : planTransferWrites(db, {
                ...{ id, fromWalletId, toWalletId, amount, at: call.now },
                ...{ missed: "transfer_not_covered", full: "quota_too_high" },
              });
        const from = { own: username, team: `the team ${row.name}`, issuance: "new quota" }[source];
        const to = source === "team" ? username : `the team ${row.name}`;
        const content = `${formatQuotaText(amount, options)} from ${from} to ${to}, by ${call.principal.username}`;
        const facts = { quota: amount, team: row.name, by: call.principal.username };
        const event: LogEvent = {
          code: eventCodes[source],
          params: { ...facts, user: source === "issuance" ? "" : username },
        };
        const logged = { type: logTypes.management, quota: 0, content, event };
        const audits = call.audit("team.transfer", row.uuid, {
          name: row.name,
          source,
          amount,
          user: username,
        });
        await db.write([
          ...moved,
          requireLiving(db, row.id),
          planEventRow(db, { ...logged, id, user_id: 0, username: "", team_id: row.id }),
          ...(source === "issuance"
            ? []
            : [planEventRow(db, { ...logged, id: db.mintId(), user_id: userId, username })]),
          ...audits,
          ...remember(row.uuid),
        ]);
        return row.uuid;
      },
    });

  return [
    apiRoute(listTeams, async ({ principal, query }) => {
      const isSite = principal.role >= roles.admin;
      const { rows, ...total } = await teams.page(
        { userId: isSite ? undefined : principal.id, teamId: readBoundTeam(principal) },
        query,
      );
      const own = await teams.membershipsOf(
        principal.id,
        rows.map(({ id }) => id),
      );
      const data = rows.map((row) => viewTeam(row, listStandings(principal, row, own.get(row.id))));
      return { data, ...total };
    }),
    apiRoute(createTeam, async (call) => view(call, { uuid: await create(call) })),
    apiRoute(getTeam, async (call) => view(call, call.params.id)),
    apiRoute(updateTeam, update),
    apiRoute(putTeam, (call) => put(call, call.params.external_id)),
    apiRoute(deleteTeam, async (call) => remove(call, call.params.id)),
    apiRoute(listTeamMembers, async (call) => {
      const { row, standings } = await reach(call, call.params.id);
      const seesAll = mayDo(standings, "see");
      const members = await teams.members(row.id);
      return members
        .filter(({ user_id }) => seesAll || user_id === call.principal.id)
        .map((member) => viewMember(member, row, ruling));
    }),
    apiRoute(setTeamMember, async (call) => setMember(call, call.body)),
    apiRoute(removeTeamMember, async (call) => removeMember(call, call.body.user_id)),
    apiRoute(transferToTeam, async (call) => view(call, { uuid: await transfer(call) })),
  ];
}
