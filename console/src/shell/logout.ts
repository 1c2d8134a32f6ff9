import { useNavigate } from "@tanstack/react-router";
import { logoutByGet } from "@tollgate/contract/accounts/sessions.ts";
import { call } from "../api-call.ts";
import { signOut } from "../session.ts";
import { returnPath } from "./redirect-target.ts";

/** The path to return to after sign-in, and the message of the login page. */
type LogoutReturn = { message: string; backTo: string };

/** Signs out locally even when the call fails. */
export function useLogout(): (returnTo?: LogoutReturn) => Promise<void> {
  const navigate = useNavigate();
  return async (returnTo) => {
    let providerPage: string | undefined;
    try {
      providerPage = (await call(logoutByGet)).logout_url;
    } catch (error) {
      console.error("Logout failed", error);
    }
    signOut();
    // The provider sends the browser back to the sign-in page.
    if (providerPage !== undefined && /^https?:/.test(providerPage))
      return location.assign(providerPage);
    await navigate({
      to: "/login",
      ...(returnTo && {
        search: returnPath(returnTo.backTo),
        state: { message: returnTo.message, tone: "warn" },
      }),
    });
  };
}
