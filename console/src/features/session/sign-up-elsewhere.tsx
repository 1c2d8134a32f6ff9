import { Trans } from "@lingui/react/macro";
import { ProviderMark, providerNames } from "../../pieces/external-sign-in-marks.tsx";
import { useExternalStart } from "../../pieces/use-external-start.tsx";
import { Button } from "../../ui/button.tsx";

/** The first sign-in with the code-hosting provider makes the account. */
export function SignUpElsewhere() {
  const { start, leavingFor, alert } = useExternalStart(undefined);
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-3 text-muted text-sm before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        <Trans>Or sign up with</Trans>
      </p>
      {alert}
      <Button
        busy={leavingFor === "github"}
        icon={<ProviderMark provider="github" />}
        onClick={() => void start("github")}
      >
        {providerNames.github}
      </Button>
    </div>
  );
}
