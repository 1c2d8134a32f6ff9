/** The facts that an entry of the record of changes tells, without words. Pure. */

import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import type { AuditEntry } from "@tollgate/contract/site/audit-trail.ts";

export type ChangeEntry = Pick<AuditEntry, "action" | "target" | "target_name" | "change">;

/** The action; an edit that only switches a user is told as what it did. */
export function changeAction(entry: ChangeEntry): string {
  const change = readChange(entry);
  if (entry.action !== "user.update" || Object.keys(change).length !== 1) return entry.action;
  // Entries of the first releases have the new value alone.
  const status = isJsonRecord(change.status) ? change.status.to : change.status;
  if (status === userStatus.disabled) return "user.disable";
  return status === userStatus.enabled ? "user.enable" : entry.action;
}

/**
 * `changeSubject` names a thing that is gone as the entry recorded it, or else by its reference.
 */
export function changeSubject(entry: ChangeEntry): string {
  if (entry.target_name !== "") return entry.target_name;
  const { username, name } = readChange(entry);
  const recorded = [username, name].find((text) => typeof text === "string" && text !== "");
  return String(recorded ?? entry.target);
}

/** `ChangeFact` is one member of a change. */
export interface ChangeFact {
  /** Empty where the entry is about one value alone. */
  member: string;
  from?: unknown;
  to: unknown;
}

/**
 * `changeFacts` gives what changed, member by member, without the name by which the sentence calls
 * the thing, and without its id.
 */
export function changeFacts(entry: ChangeEntry): ChangeFact[] {
  const { from, to, ...members } = readChange(entry);
  const rest = Object.entries(members)
    .filter(
      ([member, value]) =>
        !(nameMembers.has(member) && value === changeSubject(entry)) &&
        !(member === "uuid" && value === entry.target),
    )
    .map(([member, value]): ChangeFact => {
      const moved =
        isJsonRecord(value) && Object.keys(value).sort().join() === "from,to" ? value : undefined;
      return moved ? { member, from: moved.from, to: moved.to } : { member, to: value };
    });
  if (from !== undefined && to !== undefined) return [{ member: "", from, to }, ...rest];
  const alone = Object.entries({ from, to }).filter(([, value]) => value !== undefined);
  return [...alone.map(([member, value]) => ({ member, to: value })), ...rest];
}

const nameMembers: ReadonlySet<string> = new Set(["name", "username"]);

/** The name of the management key with which the change was made; empty where a person made it. */
export function changeKey({ change }: Pick<AuditEntry, "change">): string {
  const name = readStoredChange(change).management_key;
  return typeof name === "string" ? name : "";
}

function readChange({ change }: ChangeEntry): Record<string, unknown> {
  const { management_key: _, ...members } = readStoredChange(change);
  return members;
}

function readStoredChange(change: string): Record<string, unknown> {
  try {
    const members: unknown = JSON.parse(change);
    return isJsonRecord(members) ? members : {};
  } catch {
    return {};
  }
}
