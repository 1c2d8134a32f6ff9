import { type ParsedLocation, redirect } from "@tanstack/react-router";
import { getSession } from "../session.ts";
import { returnPath } from "./redirect-target.ts";

export const passwordChangePath = "/users/edit";

/** Nobody signed in: to the login page and back afterwards. A pending password change comes before everything else. */
export function requireSession({ location }: { location: ParsedLocation }) {
  if (getSession().user === null) {
    throw redirect({ to: "/login", search: returnPath(location.pathname + location.searchStr), replace: true });
  }
  requireChosenPassword({ location });
}

/** For public pages: whoever is signed in with a temporary password chooses another first. */
export function requireChosenPassword({ location }: { location: ParsedLocation }) {
  if (getSession().user?.must_change_password === true && location.pathname !== passwordChangePath) {
    throw redirect({ to: passwordChangePath, replace: true });
  }
}
