import { type ParsedLocation, redirect } from "@tanstack/react-router";
import { getSession, isHeldBack } from "../session.ts";
import { afterPasswordChange, passwordChangePath, returnPath } from "./redirect-target.ts";

/**
 * Redirects visitors to the login page, and back after sign-in. A pending password change comes
 * first.
 */
export function requireSession({ location }: { location: ParsedLocation }) {
  if (getSession().user === null) {
    throw redirect({
      to: "/login",
      search: returnPath(location.pathname + location.searchStr),
      replace: true,
    });
  }
  requireChosenPassword({ location });
}

/**
 * `requireChosenPassword` is for public pages: a user who must first change the password or set up
 * a second factor does so on one page.
 */
export function requireChosenPassword({ location }: { location: ParsedLocation }) {
  if (isHeldBack(getSession().user) && location.pathname !== passwordChangePath) {
    const search = afterPasswordChange(location.pathname + location.searchStr);
    throw redirect({ to: passwordChangePath, search, replace: true });
  }
}
