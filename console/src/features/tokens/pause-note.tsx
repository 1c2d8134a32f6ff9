import { Trans } from "@lingui/react/macro";
import type { TokenPause } from "@tollgate/contract/tokens.ts";

/** What paused a key, and what was written about it. */
export function PauseNote({ pause: { by, name, reason } }: { pause: TokenPause }) {
  return (
    <>
      {by === "budget" ? (
        <Trans>by the budget {name}</Trans>
      ) : by === "alert" ? (
        <Trans>by an alert about its spending</Trans>
      ) : by === "provider" ? (
        <Trans>until a sign-in with {name}</Trans>
      ) : name === "" ? (
        <Trans>by an administrator</Trans>
      ) : (
        <Trans>by {name}</Trans>
      )}
      {reason !== "" && `: ${reason}`}
    </>
  );
}

/** Beneath the status of a key in a list; the dialog that resumes the key shows the whole. */
export const PauseLine = ({ pause }: { pause: TokenPause }) => (
  <span className="max-w-56 truncate text-sm text-warn">
    <PauseNote pause={pause} />
  </span>
);
