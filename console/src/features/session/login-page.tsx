import { useLingui } from "@lingui/react/macro";
import { useRouterState, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { offersPasskeys } from "../../components/sign-in/offers-passkeys.ts";
import { useSession } from "../../session.ts";
import { useSignInOptions } from "../../shell/use-sign-in-options.ts";
import { Alert } from "../../ui/alert.tsx";
import { LoginForm } from "./login-form.tsx";
import { VisitorFrame } from "./visitor-frame.tsx";

/** Loaded on demand: most gateways offer only the password. */
const ExternalSignIn = lazy(async () => ({
  default: (await import("./external-sign-in-buttons.tsx")).ExternalSignInButtons,
}));

const leadsToDashboard = (path = ""): boolean => /^\/dashboard(?![^?#])/.test(path);

export function LoginPage() {
  const { t } = useLingui();
  const { status, hasEnded } = useSession();
  const { providers, chatApp, oidc } = useSignInOptions();
  const passkeys = offersPasskeys(status);
  const search: Record<string, string> = useSearch({ strict: false });
  const banner = useRouterState({ select: (state) => state.location.state });
  const name = status.system_name ?? "";
  useEffect(() => {
    if ("expired" in search) console.warn("The session has expired, sign in again");
  }, [search]);
  return (
    <VisitorFrame title={t`Sign In`} heading={name === "" ? t`Sign In` : t`Sign In to ${name}`}>
      {banner.message !== undefined ? (
        <Alert tone={banner.tone ?? "good"} title={banner.message} />
      ) : hasEnded === true ? (
        // Not from the navigation: several refused calls of one page start several.
        <Alert tone="info" title={t`Your session has ended. Sign in to continue.`} />
      ) : (
        leadsToDashboard(search.redirect_to) && (
          <Alert tone="info" title={t`Please log in to access the dashboard`} />
        )
      )}
      <LoginForm redirectTo={search.redirect_to} suggestsPasskeys={passkeys} />
      {(providers.length > 0 || chatApp || oidc.length > 0 || passkeys) && (
        <Suspense>
          <ExternalSignIn redirectTo={search.redirect_to} />
        </Suspense>
      )}
    </VisitorFrame>
  );
}
