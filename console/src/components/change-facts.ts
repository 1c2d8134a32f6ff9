/** What an entry of the record of changes says, without words. Pure. */
import type { AuditEntry } from "@tollgate/contract/audit-trail.ts";
import { isJsonRecord } from "@tollgate/contract/json-record.ts";
import { userStatus } from "@tollgate/contract/roles.ts";

export type ChangeEntry = Pick<AuditEntry, "action" | "target" | "target_name" | "change">;

/** The action; an edit that only switches a user is told as what it did. */
export function changeAction(entry: ChangeEntry): string {
  const change = changeOf(entry);
  if (entry.action !== "user.update" || Object.keys(change).length !== 1) return entry.action;
  if (change.status === userStatus.disabled) return "user.disable";
  return change.status === userStatus.enabled ? "user.enable" : entry.action;
}

/** What is gone has the name that the entry recorded, or else its reference. */
export function changeSubject(entry: ChangeEntry): string {
  if (entry.target_name !== "") return entry.target_name;
  const { username, name } = changeOf(entry);
  const recorded = [username, name].find((text) => typeof text === "string" && text !== "");
  return String(recorded ?? entry.target);
}

/** What changed: `from → to` for one value, otherwise each member with its new value. */
export function changeFacts(entry: ChangeEntry): string {
  const { from, to, ...members } = changeOf(entry);
  const rest = Object.entries(members).map(([name, value]) => `${name}: ${textOf(value)}`);
  if (from === undefined || to === undefined) {
    const alone = Object.entries({ from, to }).filter(([, value]) => value !== undefined);
    return [...alone.map(([name, value]) => `${name}: ${textOf(value)}`), ...rest].join(", ");
  }
  return [`${textOf(from)} → ${textOf(to)}`, ...rest].join(", ");
}

/** The name of the management key with which the change was made; empty where a person made it. */
export function changeKey({ change }: Pick<AuditEntry, "change">): string {
  const name = storedChange(change).management_key;
  return typeof name === "string" ? name : "";
}

function changeOf({ change }: ChangeEntry): Record<string, unknown> {
  const { management_key: _, ...members } = storedChange(change);
  return members;
}

function storedChange(change: string): Record<string, unknown> {
  try {
    const members: unknown = JSON.parse(change);
    return isJsonRecord(members) ? members : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value || '""' : JSON.stringify(value));
