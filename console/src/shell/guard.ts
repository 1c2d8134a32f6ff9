import { type ParsedLocation, redirect } from "@tanstack/react-router";
import { waitForEarlyReply } from "../early-replies.ts";
import { getSession, isHeldBack } from "../session.ts";
import { afterPasswordChange, passwordChangePath, returnPath } from "./redirect-target.ts";

/**
 * Redirects visitors to the login page, and back after sign-in. A pending password change comes
 * first.
 */
function requireSession({ location }: { location: ParsedLocation }) {
  if (getSession().user === null) {
    throw redirect({
      to: "/login",
      search: returnPath(location.pathname + location.searchStr),
      replace: true,
    });
  }
  requireChosenPassword({ location });
}

/** The way to a page of the user: a list whose rows are on their way is drawn with them. */
export function enterSignedIn(way: { location: ParsedLocation; preload: boolean }) {
  requireSession(way);
  return way.preload ? undefined : waitForEarlyReply(way.location.pathname);
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
