/** Rules for tokens that are paused. Pure. */
import {
  type PauseOrigin,
  type TokenPause,
  tokenStatus,
} from "@tollgate/contract/accounts/tokens.ts";
import type { Principal } from "../../http/request-context.ts";
import type { TokenRow } from "./token-store.ts";

/** `Pausing` is what pauses a token, and why. */
export interface Pausing {
  by: PauseOrigin;
  name: string;
  reason: string;
}

export type PauseColumns = Pick<
  TokenRow,
  "paused_by" | "paused_by_name" | "pause_reason" | "paused_at"
>;

export const readPausing = (
  { credential, username }: Pick<Principal, "credential" | "username">,
  by: "owner" | "administrator",
  reason = "",
): Pausing =>
  credential.kind === "management_key"
    ? { by: "management_key", name: credential.name, reason }
    : { by, name: username, reason };

/** The columns that a change to this status sets. */
export const buildStatusColumns = (status: number, { by, name, reason }: Pausing, now: number) => ({
  status,
  ...(status === tokenStatus.paused && {
    paused_by: by,
    paused_by_name: name,
    pause_reason: reason,
    paused_at: now,
  }),
});

/**
 * `IsOwnerAway` says whether a provider that lets keys of its people rest has not seen this one for
 * so long.
 */
export type IsOwnerAway = (owner: { id: number; role: number }, now: number) => Promise<boolean>;

/** A key that rests works again after its owner's sign-in, and not by the owner's word alone. */
export const wakesResting = (
  token: Pick<TokenRow, "status" | "paused_by">,
  status: number,
): boolean =>
  token.status === tokenStatus.paused &&
  token.paused_by === "provider" &&
  status !== tokenStatus.paused;

/** `viewPause` is for administrators; null for a token that is not paused. */
export const viewPause = ({
  status,
  ...row
}: PauseColumns & Pick<TokenRow, "status">): TokenPause | null =>
  status !== tokenStatus.paused || row.paused_by === null
    ? null
    : {
        by: row.paused_by,
        name: row.paused_by_name,
        reason: row.pause_reason,
        at: row.paused_at ?? 0,
      };

/** `viewOwnPause` is for the owner, who is not told which administrator it was. */
export function viewOwnPause(row: PauseColumns & Pick<TokenRow, "status">): TokenPause | null {
  const pause = viewPause(row);
  return pause?.by === "administrator" ? { ...pause, name: "" } : pause;
}

const unpersonal: ReadonlySet<PauseOrigin> = new Set(["budget", "alert", "provider"]);

/**
 * `viewCallerPause` is for callers, who may hold the key without an account: no names of people and
 * programs.
 */
export function viewCallerPause(row: PauseColumns & Pick<TokenRow, "status">): TokenPause | null {
  const pause = viewPause(row);
  return pause === null || unpersonal.has(pause.by) ? pause : { ...pause, name: "" };
}
