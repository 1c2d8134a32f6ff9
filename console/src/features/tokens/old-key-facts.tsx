import { Trans, useLingui } from "@lingui/react/macro";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import type { ReactNode } from "react";
import { Alert } from "../../ui/alert.tsx";
import { Time } from "../../ui/time.tsx";

/** `OldKeyFacts` says that the key before the last rotation still works, and until when. */
export function OldKeyFacts({
  token,
  children,
}: {
  token: Pick<Token, "old_key_ending" | "old_key_until">;
  children?: ReactNode;
}) {
  const { t } = useLingui();
  const { old_key_ending, old_key_until } = token;
  return (
    <Alert tone="warn" title={t`The old key still works`}>
      <div className="flex flex-col items-start gap-2">
        <p>
          <Trans>
            The key that ends in {old_key_ending} is refused from <Time seconds={old_key_until} />{" "}
            on.
          </Trans>
        </p>
        {children}
      </div>
    </Alert>
  );
}
