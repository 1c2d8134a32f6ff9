import { Outlet } from "@tanstack/react-router";
import { useSession } from "../session.ts";

/**
 * Takes the pages of a user off the screen at the moment the session ends, before the redirect: a
 * page that stayed would load its data anew without a session.
 */
export function SignedInArea() {
  const { user } = useSession();
  return user === null ? null : <Outlet />;
}
