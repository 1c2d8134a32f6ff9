import { Trans } from "@lingui/react/macro";
import { useExternalStart } from "../../pieces/use-external-start.tsx";
import { OtherWays, ProviderButton } from "./other-ways.tsx";

/** The first sign-in with the code-hosting provider makes the account. */
export function SignUpElsewhere() {
  const { alert, ...leaving } = useExternalStart(undefined);
  return (
    <OtherWays lead={<Trans>Or sign up with</Trans>} alert={alert}>
      <ProviderButton provider="github" {...leaving} />
    </OtherWays>
  );
}
