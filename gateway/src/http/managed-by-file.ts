/** Things that a configuration file owns are changed in the file. */
import { refuse } from "./refusal.ts";

/**
 * Editing what a file manages would last until the next run of the file. Its status may change:
 * trouble cannot wait for that.
 */
export function checkUnmanaged({ managed_by }: { managed_by: string }): void {
  if (managed_by === "") return;
  const message = `This belongs to the configuration file ${managed_by}. Change it there, or take it over from the file first`;
  throw refuse("managed_by_file", { message });
}

/**
 * `switchMembers` are what a change of nothing but `enabled` names, with what proves who asks; of a
 * team, who owns it besides.
 */
const switchMembers: ReadonlySet<string> = new Set([
  ...["id", "uuid", "enabled", "updated_at"],
  ...["status", "owner_id"],
  ...["current_password", "totp_code"],
]);

/**
 * `checkFileAllows` lets a thing that belongs to a file be switched on and off, and be taken over
 * from the file; the file decides on the rest.
 */
export function checkFileAllows(
  row: { managed_by: string },
  change: { managed_by?: "" | undefined },
): void {
  if (change.managed_by !== undefined) return;
  if (Object.keys(change).some((name) => !switchMembers.has(name))) checkUnmanaged(row);
}
