/** The change for a key whose calls another wallet pays for. Pure. */
import type { KeyMove } from "@tollgate/contract/accounts/team-key-moves.ts";
import { refuse } from "../../http/refusal.ts";
import { openGroups } from "../../settings/group-rules.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { TokenRow } from "../tokens/token-store.ts";
import type { TeamRow } from "./team-store.ts";

export interface KeyOwner {
  username: string;
  group: string;
}

const readList = (text: string): string[] => text.split(",").filter(Boolean);

const describeGroups = (options: OptionReader, { groups }: TokenRow, to: string) => {
  const named = readList(groups);
  const open = openGroups(options, to, named);
  return {
    groups_lost: named.filter((group) => !open.includes(group)),
    loses_all_groups: named.length > 0 && open.length === 0,
  };
};

/** `describeJoining` is what the owner and the admin agree to. The key itself keeps what it says. */
export function describeJoining(
  options: OptionReader,
  token: TokenRow,
  owner: KeyOwner,
  team: Pick<TeamRow, "group" | "models">,
): KeyMove {
  const allowed = readList(team.models);
  const own = readList(token.models);
  return {
    ...{ token_id: token.id, name: token.name, username: owner.username },
    ...{ group_from: owner.group, group_to: team.group },
    models_lost: allowed.length === 0 ? [] : own.filter((model) => !allowed.includes(model)),
    models_to: own.length === 0 ? allowed : [],
    ...describeGroups(options, token, team.group),
    ends_bodies: token.bodies !== "",
  };
}

/** `describeLeaving` loses no models: what the team forbids, the account does not. */
export const describeLeaving = (
  options: OptionReader,
  token: TokenRow,
  owner: KeyOwner,
  team: Pick<TeamRow, "group">,
): KeyMove => ({
  ...{ token_id: token.id, name: token.name, username: owner.username },
  ...{ group_from: team.group, group_to: owner.group },
  ...{ models_lost: [], models_to: [] },
  ...describeGroups(options, token, owner.group),
  ends_bodies: false,
});

/** The key of a sign-in ends with it, and that of a service belongs to no account. */
export function checkMovable({ session_hash, service }: TokenRow): void {
  if (session_hash !== null || service === 1) throw refuse("key_not_movable");
}

/** `writeTerms` are compared when an admin answers: what has changed was not agreed to. */
export const writeTerms = (move: KeyMove, { updated_at }: Pick<TokenRow, "updated_at">): string =>
  JSON.stringify({ ...move, updated_at });
