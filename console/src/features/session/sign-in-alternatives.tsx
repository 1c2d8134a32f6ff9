import type { ReactNode } from "react";
import {
  ProviderLogo,
  useProviderName,
} from "../../components/sign-in/external-provider-logos.tsx";
import type { SignInProvider } from "../../components/sign-in/external-sign-in-start.ts";
import type { useExternalSignInStart } from "../../components/sign-in/use-external-start.tsx";
import { Button } from "../../ui/button.tsx";

type SignInAlternativesProps = { lead: ReactNode; alert: ReactNode; children: ReactNode };

/** Sign-in options below a form that need no password. */
export function SignInAlternatives({ lead, alert, children }: SignInAlternativesProps) {
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-3 text-muted text-sm before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
        {lead}
      </p>
      {alert}
      {children}
    </div>
  );
}

type ProviderButtonProps = Pick<
  ReturnType<typeof useExternalSignInStart>,
  "start" | "leavingFor"
> & {
  provider: SignInProvider;
};

export function ProviderButton({ provider, start, leavingFor }: ProviderButtonProps) {
  const nameOf = useProviderName();
  return (
    <Button
      busy={leavingFor === provider}
      icon={<ProviderLogo provider={provider} />}
      onClick={() => void start(provider)}
    >
      <span className="truncate">{nameOf(provider)}</span>
    </Button>
  );
}
