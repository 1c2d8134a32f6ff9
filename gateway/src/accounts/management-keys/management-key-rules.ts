/** Rules for making and reading management keys. Pure: no I/O, no clock. */
import { createHash } from "node:crypto";
import {
  auditorScopes,
  buildGrantableScopes,
  teamScopes,
} from "@tollgate/contract/accounts/grantable-scopes.ts";
import {
  type ManagementKey,
  type ManagementKeyInput,
  managementKeyDaysMax,
  managementKeyPrefix,
} from "@tollgate/contract/accounts/management-keys.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { type Scope, scopes } from "@tollgate/contract/accounts/scopes.ts";
import { parseBlock } from "@tollgate/contract/api/cidr.ts";
import { refuse } from "../../http/refusal.ts";
import type { ManagementKeyCredential, Principal } from "../../http/request-context.ts";
import { composeKey, readEnding } from "../tokens/token-rules.ts";
import type { HeldManagementKey, ManagementKeyRow } from "./management-key-store.ts";

const dayMs = 86_400_000;
const keyPattern = new RegExp(`^${managementKeyPrefix}[A-Za-z0-9]{48}$`);

export const composeManagementKey = (): string => managementKeyPrefix + composeKey();
export const isManagementKey = (text: string): boolean => keyPattern.test(text);
/**
 * `maskManagementKey` is for a repetition of the call that made the key: its hash alone is stored.
 */
export const maskManagementKey = ({ hint }: Pick<ManagementKeyRow, "hint">): string =>
  `${managementKeyPrefix}***${hint}`;
/** `hashManagementKey` is about the whole key with its prefix. */
export const hashManagementKey = (key: string): string =>
  createHash("sha256").update(key).digest("hex");

/** Text in a list column; a scope that this version does not know is no right. */
const parseScopes = (text: string): Scope[] => {
  const stored = new Set(text.split(","));
  return scopes.filter((scope) => stored.has(scope));
};

/** The columns of a new key, or the refusal of what its maker may not give. */
export function buildKeyColumns(
  { name, scopes: requested, subnet, lifetime_days, team_id }: ManagementKeyInput,
  maker: Pick<Principal, "id" | "role" | "isReadOnly">,
  { key, now }: { key: string; now: number },
) {
  const own = maker.isReadOnly ? auditorScopes : buildGrantableScopes(maker.role);
  const grantable: readonly Scope[] = team_id === undefined ? own : teamScopes;
  const beyond = requested.filter((scope) => !grantable.includes(scope));
  if (beyond.length > 0) {
    const message = `You cannot give the scopes ${beyond.join(", ")}`;
    throw refuse("invalid_request", { message, fields: { scopes: message } });
  }
  if (maker.role < roles.root && lifetime_days > managementKeyDaysMax) {
    const message = `A management key lives at most ${managementKeyDaysMax} days`;
    throw refuse("invalid_request", { message, fields: { lifetime_days: message } });
  }
  return {
    user_id: maker.id,
    team_id: team_id ?? null,
    name,
    key_hash: hashManagementKey(key),
    hint: readEnding(key),
    scopes: scopes.filter((scope) => requested.includes(scope)).join(","),
    subnet,
    created_at: now,
    expires_at: now + lifetime_days * dayMs,
  };
}

/** A stored block that cannot be read allows no address; an empty list allows all. */
export function readCredential({
  id,
  name,
  scopes: given,
  subnet,
  team_id,
}: ManagementKeyRow): ManagementKeyCredential {
  const nowhere = { bytes: [], bits: 0 };
  const blocks = subnet === "" ? [] : subnet.split(",").map((text) => parseBlock(text) ?? nowhere);
  const rights = { scopes: parseScopes(given), subnet: blocks, teamId: team_id ?? undefined };
  return { kind: "management_key", id, name, ...rights };
}

export const viewManagementKey = (row: HeldManagementKey): ManagementKey => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  hint: row.hint,
  scopes: parseScopes(row.scopes),
  subnet: row.subnet,
  user_id: row.user_id,
  username: row.username,
  team_id: row.team_id,
  team: row.team ?? "",
  disabled: row.disabled === 1,
  created_at: row.created_at,
  expires_at: row.expires_at,
  used_at: row.used_at,
});
