/**
 * The server of the one-api family that wrote a database, told by columns that only one of them
 * has. Pure.
 */
import { ImportRefused } from "../sources/source-tables.ts";

export type FamilyKind = "one-api" | "laisky-one-api" | "new-api";

export const systemNames: Record<FamilyKind, string> = {
  "one-api": "one-api (songquanpeng)",
  "laisky-one-api": "one-api (Laisky)",
  "new-api": "new-api (QuantumNous)",
};

export type ColumnsByTable = Readonly<Record<FamilyTable, ReadonlySet<string>>>;
export const familyTables = [
  "users",
  "tokens",
  "channels",
  "abilities",
  "redemptions",
  "options",
  "logs",
] as const;
export type FamilyTable = (typeof familyTables)[number];

/** `requiredColumns` come without these there is nothing to go by; later columns have defaults. */
const requiredColumns: Partial<Record<FamilyTable, readonly string[]>> = {
  users: ["id", "username", "password", "role", "status", "quota", "used_quota", "group"],
  tokens: ["id", "user_id", "key", "status", "name", "remain_quota", "unlimited_quota"],
  channels: ["id", "type", "key", "status", "models", "group"],
  abilities: ["channel_id"],
  options: ["key", "value"],
};

/** Throws `ImportRefused` for a database of another shape. */
export function buildFamilyKind(columns: ColumnsByTable): FamilyKind {
  const missing = Object.entries(requiredColumns).flatMap(([table, names]) =>
    names
      .filter((name) => !columns[table as FamilyTable].has(name))
      .map((name) => `${table}.${name}`),
  );
  if (missing.length > 0) {
    throw new ImportRefused(
      `this is no database that can be imported; it lacks ${missing.join(", ")}. A database of one-api before version 0.4 must be started once with the last version of one-api`,
    );
  }
  if (columns.users.has("totp_secret") || columns.users.has("uuid")) return "laisky-one-api";
  if (
    columns.users.has("aff_quota") ||
    columns.tokens.has("model_limits") ||
    columns.channels.has("channel_info")
  )
    return "new-api";
  return "one-api";
}
