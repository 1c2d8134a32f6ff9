import type { AnyRouter } from "@tanstack/react-router";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { getNotice } from "@tollgate/contract/site/pages.ts";
import { getStatus } from "@tollgate/contract/site/status.ts";
import { call, onCaptcha, onSessionChange } from "../api-call.ts";
import {
  fillStatus,
  followOtherTabs,
  getSession,
  type SiteStatus,
  saveStatus,
  updateUser,
} from "../session.ts";
import { saveNotice } from "./unread-notice.ts";

/**
 * Runs once per document: loads the site's status, the notice, and the current state of the
 * signed-in user.
 */
export function startSession(router: AnyRouter) {
  fillStatus(buildSettingsInPage());
  const notice = buildJsonInPage("notice");
  if (notice !== undefined) saveNotice(notice);
  // The guard of the current route decides whether to redirect; a public page stays.
  const revalidateRoute = () => void router.invalidate();
  onSessionChange(revalidateRoute);
  onCaptcha(async (task) => (await import("./solve-captcha.tsx")).solveCaptcha(task));
  followOtherTabs(revalidateRoute);
  void refreshStatus();
  if (notice === undefined) void refreshNotice();
  if (getSession().user !== null) void refreshUser();
}

export async function refreshStatus() {
  try {
    saveStatus((await call(getStatus)).data);
  } catch (error) {
    console.error("The system status could not be loaded", error);
  }
}

export async function refreshNotice() {
  try {
    saveNotice((await call(getNotice)).data);
  } catch (error) {
    console.error("The notice could not be loaded", error);
  }
}

async function refreshUser() {
  try {
    updateUser((await call(getSelf)).data);
  } catch (error) {
    console.error("The own account could not be loaded", error);
  }
}

/** The gateway embeds the status in the page, so that names are right in the first frame. */
const buildSettingsInPage = (): SiteStatus =>
  (buildJsonInPage("settings") as SiteStatus | undefined) ?? {};

/** Undefined from servers that embed nothing. */
function buildJsonInPage(id: string): unknown {
  const text = document.getElementById(id)?.textContent;
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
