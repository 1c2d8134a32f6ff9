import { Trans } from "@lingui/react/macro";
import type { FailedTry } from "@tollgate/contract/figures/failed-calls.ts";
import type { ReactNode } from "react";
import { Alert } from "../../ui/alert.tsx";
import { findNearestName } from "./nearest-name.ts";

type CallDoctorProps = { failedTry: FailedTry; origin: string; models: readonly string[] };

/** `CallDoctor` shows what the client of a failed attempt did wrong, and what helps. */
export function CallDoctor({ failedTry, origin, models }: CallDoctorProps) {
  return (
    <Alert tone="warn" title={<Trans>A call arrived, but it could not be served</Trans>}>
      <Explanation failedTry={failedTry} origin={origin} models={models} />
    </Alert>
  );
}

function Explanation({
  failedTry: { finding, model, message },
  origin,
  models,
}: CallDoctorProps): ReactNode {
  const base = `${origin}/v1`;
  const meant = findNearestName(model, models);
  switch (finding) {
    case "doubled_version":
      return (
        <Trans>
          The path begins with /v1 twice: the program adds /v1 itself. Give it {origin} instead of{" "}
          {base}.
        </Trans>
      );
    case "missing_version":
      return (
        <Trans>
          The path lacks /v1. Give the program {base} instead of {origin}.
        </Trans>
      );
    case "unknown_path":
      return <Trans>The path is no endpoint of the API. The base address is {base}.</Trans>;
    case "no_key":
      return (
        <Trans>
          The call had no key. Send it in the header Authorization: Bearer, or x-api-key.
        </Trans>
      );
    case "wrong_header":
      return (
        <Trans>
          The key came in another header or in the address. Send it in the header Authorization:
          Bearer.
        </Trans>
      );
    case "malformed_key":
      return (
        <Trans>
          The key has quotes, a space or a line break in it, or is a variable that was not replaced.
          Copy the key again.
        </Trans>
      );
    case "unknown_key":
      return (
        <Trans>
          The gateway does not know this key. Copy the whole key of this gateway, not the
          provider's.
        </Trans>
      );
    case "unknown_model":
      return meant === undefined ? (
        <Trans>No channel offers the model {model}. Choose one of the list above.</Trans>
      ) : (
        <Trans>
          No channel offers the model {model}. Did you mean {meant}?
        </Trans>
      );
    case "refused":
      return message;
  }
}
