/** Rows of teams and of the people in them. */
import type { InvitedRole } from "@tollgate/contract/accounts/team-invitations.ts";
import type { TeamRole } from "@tollgate/contract/accounts/teams.ts";
import type { TokenLimitName } from "@tollgate/contract/accounts/token-restrictions.ts";
import type { Generated } from "kysely";
import type { Flag, Millis } from "./column-types.ts";

/** The limits of `tokenLimitMax` hold for all keys of the team together. */
export interface TeamsTable extends Record<TokenLimitName, Generated<number>> {
  id: Generated<number>;
  uuid: string;
  /** Unique among the living. */
  name: string;
  /** `note` is what administrators and the admins of the team say of it. */
  note: Generated<string>;
  /** Decides the price ratio and the channels of all its keys. */
  group: string;
  /** Comma-joined model names; empty means no restriction. */
  models: Generated<string>;
  /** `status` is one of `teamStatus`. */
  status: number;
  wallet_id: number;
  /** The admin who may hand it over. */
  owner_id: number;
  /** Refusals tell members what the wallet of the team has left. */
  members_see_balance: Generated<Flag>;
  external_id: Generated<string | null>;
  /** The configuration file that owns it; empty for what was made in the console. */
  managed_by: Generated<string>;
  created_at: Millis;
  updated_at: Millis;
}

/** Someone who leaves keeps the row: what the member spent stays counted under its id. */
export interface TeamMembersTable {
  id: Generated<number>;
  team_id: number;
  user_id: number;
  role: TeamRole;
  /** The sign-in provider whose groups made the membership; empty for none. */
  by_provider: Generated<string>;
  left_at: Generated<Millis | null>;
  created_at: Millis;
  updated_at: Millis;
}

/** `TeamKeyOffersTable` has the keys that wait for an admin of the team. */
export interface TeamKeyOffersTable {
  token_id: number;
  team_id: number;
  /** The owner of the key, who offers it. */
  user_id: number;
  /** `terms` are what the owner agreed to, as JSON. */
  terms: string;
  created_at: Millis;
  expires_at: Millis;
}

/** `TeamInvitationsTable` has the open invitations: an answer or a withdrawal deletes one. */
export interface TeamInvitationsTable {
  id: Generated<number>;
  team_id: number;
  /** The name or the address as it was typed. */
  recipient: string;
  /** The address in lower case; null of an invitation by name. */
  email: string | null;
  /** Null where the name belonged to no account, and of one by address. */
  user_id: number | null;
  role: InvitedRole;
  /** Null of one by name, which needs no link. */
  code_hash: string | null;
  is_mailed: Flag;
  invited_by: number;
  created_at: Millis;
  expires_at: Millis;
}
