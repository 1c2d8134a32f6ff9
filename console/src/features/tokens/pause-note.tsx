import { Trans } from "@lingui/react/macro";
import type { TokenPause } from "@tollgate/contract/accounts/tokens.ts";
import type { ReactNode } from "react";

/** `PauseNote` shows what paused a key, and what was written about it. */
export function PauseNote({ pause }: { pause: TokenPause }) {
  return (
    <>
      <PausedBy pause={pause} />
      {pause.reason !== "" && `: ${pause.reason}`}
    </>
  );
}

function PausedBy({ pause: { by, name } }: { pause: TokenPause }): ReactNode {
  switch (by) {
    case "budget":
      return <Trans>by the budget {name}</Trans>;
    case "alert":
      return <Trans>by an alert about its spending</Trans>;
    case "provider":
      return <Trans>until a sign-in with {name}</Trans>;
    case "owner":
    case "administrator":
    case "management_key":
      return name === "" ? <Trans>by an administrator</Trans> : <Trans>by {name}</Trans>;
    default:
      // A newer server may know another origin; it names it.
      by satisfies never;
      return name;
  }
}

/** Beneath the status of a key in a list; the dialog that resumes the key shows the whole. */
export const PauseLine = ({ pause }: { pause: TokenPause }) => (
  <span className="max-w-56 truncate text-sm text-warn">
    <PauseNote pause={pause} />
  </span>
);
