import { t } from "@lingui/core/macro";
import { type ParsedLocation, redirect } from "@tanstack/react-router";
import { getSession } from "../session.ts";
import { afterPasswordChange, passwordChangePath, returnPath } from "./redirect-target.ts";

/** Redirects visitors to the login page, and back after sign-in. A pending password change comes first. */
export function requireSession({ location }: { location: ParsedLocation }) {
  const { user, hasEnded } = getSession();
  if (user === null) {
    const search = returnPath(location.pathname + location.searchStr);
    const reason = hasEnded === true && {
      message: t`Your session has ended. Sign in to go on.`,
      tone: "info" as const,
    };
    throw redirect({ to: "/login", search, replace: true, ...(reason && { state: reason }) });
  }
  requireChosenPassword({ location });
}

/** For public pages: a user signed in with a temporary password must change it first. */
export function requireChosenPassword({ location }: { location: ParsedLocation }) {
  if (getSession().user?.must_change_password === true && location.pathname !== passwordChangePath) {
    const search = afterPasswordChange(location.pathname + location.searchStr);
    throw redirect({ to: passwordChangePath, search, replace: true });
  }
}
