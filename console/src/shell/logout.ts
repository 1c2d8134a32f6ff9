import { useNavigate } from "@tanstack/react-router";
import { logoutByGet } from "@tollgate/contract/sessions.ts";
import { call } from "../api-call.ts";
import { signOut } from "../session.ts";
import { returnPath } from "./redirect-target.ts";

/** Where the person is to come back to, and what they are told meanwhile. */
type LogoutReturn = { message: string; backTo: string };

/** The person leaves whether or not the gateway can be told. */
export function useLogout(): (returnTo?: LogoutReturn) => Promise<void> {
  const navigate = useNavigate();
  return async (returnTo) => {
    try {
      await call(logoutByGet);
    } catch (error) {
      console.error("Logout failed", error);
    }
    signOut();
    await navigate({
      to: "/login",
      ...(returnTo && { search: returnPath(returnTo.backTo), state: { message: returnTo.message, tone: "warn" } }),
    });
  };
}
