// The teams of a story and who is in them: what several commands of teams need.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { ModelGateway } from "./model-gateway.ts";
import { compareTeam } from "./model-team.ts";
import type { ModelMember, ModelTeam, ModelUser, ReferenceModel } from "./reference-model.ts";

/** Two teams, of which most of a story is about the first. */
export const place = fc.constantFrom(0, 0, 0, 1);

/** The team at a place, or a new one without quota whose owner is root. */
export async function reachTeam(
  model: ReferenceModel,
  { gateway }: ModelGateway,
  at: number,
): Promise<ModelTeam> {
  const known = model.teams.get(at);
  if (known) return known;
  const { id } = await gateway.root<{ id: number }>("POST", "/api/team/", {
    name: `story ${gateway.now()} ${model.users[0]?.id} ${at}`,
  });
  const [row] = await gateway.rows<{ wallet: number }>(
    `select wallet_id as wallet from teams where id = ${id}`,
  );
  const team: ModelTeam = {
    ...{ id, walletId: Number(row?.wallet), balance: 0, debt: 0, isEnabled: true },
    ...{ members: [], keys: [], template: undefined },
  };
  model.teams.set(at, team);
  return team;
}

/** The cap that the template gives to a member who has none by it. */
export async function gainCap(
  { gateway }: ModelGateway,
  { id: teamId, template }: ModelTeam,
  { user, caps }: ModelMember,
): Promise<void> {
  const rows = await gateway.rows<{ id: number; amount: number }>(
    `select b.id as id, b.amount as amount from budgets b join team_members m on m.id = b.subject_id
     where b.subject = 'member' and m.team_id = ${teamId} and m.user_id = ${user.id}`,
  );
  const gained = rows
    .map(({ id, amount }) => ({ id: Number(id), amount: Number(amount) }))
    .filter(({ id }) => !caps.some((cap) => cap.id === id));
  const isDue = template && !caps.some((cap) => cap.template === template.id);
  assert.deepEqual(
    gained.map(({ amount }) => amount),
    isDue ? [template.amount] : [],
  );
  for (const cap of gained) caps.push({ ...cap, spent: 0, template: template?.id, follows: true });
}

/** The team, with the user in it. */
export async function seat(
  model: ReferenceModel,
  gateway: ModelGateway,
  user: ModelUser,
  at: number,
): Promise<ModelTeam> {
  const team = await reachTeam(model, gateway, at);
  const known = team.members.find((member) => member.user === user);
  if (known?.isPresent) return team;
  await gateway.gateway.root("PUT", `/api/team/${team.id}/member`, {
    ...{ user_id: user.id, role: "admin" },
  });
  const member = known ?? { user, isPresent: true, caps: [] };
  member.isPresent = true;
  if (!known) team.members.push(member);
  // Who was away when the template came has no cap by it yet.
  await gainCap(gateway, team, member);
  return team;
}

export async function compareAll(
  gateway: ModelGateway,
  model: ReferenceModel,
  user?: ModelUser,
): Promise<void> {
  for (const team of model.teams.values()) await compareTeam(gateway.gateway, team);
  if (user) await gateway.compare(user);
}
