/** API routes by which people are invited into teams, and answer. */
import {
  answerInvitation,
  inviteToTeam,
  listReceivedInvitations,
  listTeamInvitations,
  readInvitation,
  resendTeamInvitation,
  withdrawTeamInvitation,
} from "@tollgate/contract/accounts/team-invitations.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { planMemberCaps } from "../../money/holds/inherited-budgets.ts";
import { makeLinkToken } from "../../notices/mail/mail-code-rules.ts";
import { composeInvitationMail } from "../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../notices/mail/mail-outbox.ts";
import type { UserAccount } from "../identity/users/user-store.ts";
import {
  checkHolder,
  composeInvitationLink,
  hashInvitationCode,
  readInvited,
  readInvitedAddress,
  viewInvitation,
  viewReceivedInvitation,
} from "./invitation-rules.ts";
import { type InvitationRow, type InvitationStore, invitationMs } from "./invitation-store.ts";
import { type ReachedTeam, reachTeam, type TeamCall, type TeamDeps } from "./reach-team.ts";
import { requireAdmin } from "./team-guards.ts";
import { checkMayDo, mayDo } from "./team-rules.ts";
import type { TeamRow } from "./team-store.ts";

interface InvitationDeps extends Pick<TeamDeps, "db" | "teams" | "users"> {
  invitations: InvitationStore;
  outbox: Pick<MailOutbox, "beginInvitation" | "notify" | "site">;
}

export function buildInvitationRoutes({
  db,
  teams,
  users,
  invitations,
  outbox,
}: InvitationDeps): ApiRoute[] {
  const self = async ({ principal }: AuthenticatedContext): Promise<UserAccount> => {
    const account = await users.byId(principal.id);
    if (!account) throw refuse("user_not_found");
    return account;
  };
  const manage = async (call: TeamCall): Promise<TeamRow> => {
    const { row, standings } = await reachTeam({ teams }, call, call.params.id);
    checkMayDo(standings, "manage");
    return row;
  };

  /**
   * `send` makes no link for an invitation by name. Where the site sends no mail, the inviter hands
   * over the link of one by address.
   */
  const send = async (
    call: TeamCall,
    { row: team, standings }: ReachedTeam,
    { to, role }: Pick<BodyOf<typeof inviteToTeam>, "to" | "role">,
  ) => {
    const email = readInvitedAddress(to);
    const code = email === null ? null : makeLinkToken();
    const isMailed = email !== null && (await outbox.beginInvitation(email, call.principal.id));
    const row = {
      ...{ team_id: team.id, recipient: to, email, role, invited_by: call.principal.id },
      code_hash: code === null ? null : hashInvitationCode(code),
      is_mailed: isMailed ? (1 as const) : (0 as const),
      ...{ created_at: call.now, expires_at: call.now + invitationMs },
    };
    const audits = call.audit("team.invite", team.uuid, { name: team.name, to, role });
    const guards = mayDo(standings, "administer")
      ? []
      : [requireAdmin(db, team.id, call.principal.id)];
    await db.write([...guards, ...invitations.put(row), ...audits]);
    const { username: inviter, language } = await self(call);
    if (isMailed && code !== null)
      outbox.notify("team invitation", { email, language }, (reader, site) =>
        composeInvitationMail(reader, site, { team: team.name, inviter, code }),
      );
    const made = await invitations.last(team.id, to, call.now);
    if (!made) throw refuse("changed_meanwhile");
    return {
      made,
      link: code === null || isMailed ? "" : composeInvitationLink(outbox.site().address, code),
    };
  };
  const view = ({ made, link }: Awaited<ReturnType<typeof send>>) => ({
    ...viewInvitation(made),
    link,
  });
  const existing = async (call: TeamCall, team: TeamRow, id: number): Promise<InvitationRow> => {
    const found = await invitations.find(team.id, id, call.now);
    if (!found) throw refuse("invitation_not_found");
    return found;
  };

  const invite = async (call: TeamCall & { body: BodyOf<typeof inviteToTeam> }) => {
    const reached = await reachTeam({ teams }, call, call.params.id);
    const { row, standings } = reached;
    const { role } = call.body;
    checkMayDo(standings, role === "owner" ? "own" : "manage");
    const to = call.body.to.trim();
    // Who is in the team, its admins know.
    const member = (await teams.members(row.id)).find(({ username }) => username === to);
    if (role === "owner" && (member?.role !== "admin" || member.user_id === row.owner_id))
      throw refuse("team_member_not_found");
    if (role !== "owner" && member) throw refuse("team_member_exists");
    return view(await send(call, reached, { to, role }));
  };

  const resend = async (call: TeamCall, id: number) => {
    const reached = await reachTeam({ teams }, call, call.params.id);
    const { row, standings } = reached;
    checkMayDo(standings, "manage");
    const { recipient, role } = await existing(call, row, id);
    if (role === "owner") checkMayDo(standings, "own");
    return view(await send(call, reached, { to: recipient, role }));
  };

  const withdraw = async (call: TeamCall, id: number): Promise<void> => {
    const team = await manage(call);
    const { recipient, role } = await existing(call, team, id);
    const audits = call.audit("team.withdraw_invitation", team.uuid, {
      name: team.name,
      to: recipient,
      role,
    });
    await db.write([invitations.remove(team.id, id), ...audits]);
  };

  const byCode = async (
    code: string,
    account: UserAccount,
    now: number,
  ): Promise<InvitationRow> => {
    const found = await invitations.byCode(hashInvitationCode(code), now);
    if (!found) throw refuse("invitation_not_found");
    checkHolder(found, account);
    return found;
  };

  const answer = async (call: AuthenticatedContext & { body: BodyOf<typeof answerInvitation> }) => {
    const { id, code, accept } = call.body;
    const account = await self(call);
    const invitation =
      code === undefined
        ? (await invitations.received(readInvited(account), call.now)).find((one) => one.id === id)
        : await byCode(code, account, call.now);
    if (!invitation) throw refuse("invitation_not_found");
    const { team_id, role, team_name: name } = invitation;
    const uuid = (await teams.find({ id: team_id }))?.uuid ?? "";
    const accepted =
      role === "owner"
        ? [invitations.takeOver(invitation, account.id, call.now), invitations.endOffers(team_id)]
        : [
            invitations.join(invitation, account.id, call.now),
            ...planMemberCaps(db, { teamId: team_id, userIds: [account.id] }, call.now),
          ];
    await db.write(
      [
        invitations.consume(invitation, call.now),
        ...(accept ? accepted : []),
        ...call.audit("team.answer_invitation", uuid, { name, role, accept }),
      ],
      { changes: ["teams", "budgets"] },
    );
    return { team_id: accept ? team_id : null };
  };

  return [
    apiRoute(inviteToTeam, invite),
    apiRoute(listTeamInvitations, async (call) => {
      const team = await manage(call);
      return (await invitations.ofTeam(team.id, call.now)).map(viewInvitation);
    }),
    apiRoute(resendTeamInvitation, async (call) => resend(call, call.body.invitation_id)),
    apiRoute(withdrawTeamInvitation, async (call) => withdraw(call, call.body.invitation_id)),
    apiRoute(listReceivedInvitations, async (call) =>
      (await invitations.received(readInvited(await self(call)), call.now)).map(
        viewReceivedInvitation,
      ),
    ),
    apiRoute(readInvitation, async (call) =>
      viewReceivedInvitation(await byCode(call.body.code, await self(call), call.now)),
    ),
    apiRoute(answerInvitation, answer),
  ];
}
