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
  // Not from the navigation: several refused calls of one page start several.
  const ended = hasEnded === true && t`Your session has ended. Sign in to continue.`;
  const asked = leadsToDashboard(search.redirect_to) && t`Please log in to access the dashboard`;
  const note = banner.message ?? (ended || asked);
  useEffect(() => {
    if ("expired" in search) console.warn("The session has expired, sign in again");
  }, [search]);
  return (
    <VisitorFrame title={t`Sign In`} heading={name === "" ? t`Sign In` : t`Sign In to ${name}`}>
      {note !== false && (
        <Alert tone={note === banner.message ? (banner.tone ?? "good") : "info"} title={note} />
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
