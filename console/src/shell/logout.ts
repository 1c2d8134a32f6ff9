import { useNavigate } from "@tanstack/react-router";
import { logoutByGet } from "@tollgate/contract/sessions.ts";
import { call } from "../api-call.ts";
import { signOut } from "../session.ts";

/** The person leaves whether or not the gateway can be told. */
export function useLogout(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    try {
      await call(logoutByGet);
    } catch (error) {
      console.error("Logout failed", error);
    }
    signOut();
    await navigate({ to: "/login" });
  };
}
