/**
 * The cause of the alert about backups: the last one is older than the interval that root has set.
 * Pure.
 */
import type { Cause } from "./operator-causes.ts";

const hourMs = 3_600_000;

export interface BackupState {
  /** `at` is when the last one was complete; undefined where none is known. */
  at: number | undefined;
}

/**
 * `backups` is undefined where the gateway does not learn of them; `hours` is 0 where no interval
 * is set.
 */
export function backupCauses(
  backups: BackupState | undefined,
  hours: number,
  now: number,
): Cause[] {
  if (backups === undefined || hours <= 0) return [];
  const { at } = backups;
  if (at !== undefined && now - at <= hours * hourMs) return [];
  const last =
    at === undefined ? "" : `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const facts = { kind: "backup_old", last, hours } as const;
  const subject = { kind: "site", id: "backup", name: "backup" } as const;
  const measure = at === undefined ? undefined : { value: (now - at) / hourMs, threshold: hours };
  return [
    {
      event: { rule: "storage.trouble", subject, facts, ...(measure && { measure }) },
      begins: true,
    },
  ];
}
