import { useRouter } from "@tanstack/react-router";
import type { ExternalProvider } from "@tollgate/contract/accounts/external-providers.ts";
import { listOfferedProviders } from "../compat/oauth-compat.ts";
import { useSession } from "../session.ts";

/** Paths are plain text: a link appears only if the route exists. */
type SignInOptions = {
  register: string | undefined;
  reset: string | undefined;
  providers: readonly ExternalProvider[];
  chatApp: boolean;
  oidc: readonly { slug: string; name: string }[];
};

/** The sign-in options beside the password: those that this build has and the operator allows. */
export function useSignInOptions(): SignInOptions {
  const paths: Record<string, unknown> = useRouter().routesByPath;
  const { status } = useSession();
  return {
    register: "/register" in paths && status.password_register !== false ? "/register" : undefined,
    reset: "/reset" in paths ? "/reset" : undefined,
    providers: listOfferedProviders(status),
    chatApp: status.wechat_login === true,
    oidc: status.oidc_providers ?? [],
  };
}
