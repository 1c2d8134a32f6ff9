import type { ExternalProvider } from "@tollgate/contract/accounts/external-providers.ts";
import type { FeatureName } from "@tollgate/contract/site/features.ts";
import { createContext, createElement, type ReactNode, use, useSyncExternalStore } from "react";
import { readPagePath } from "./site-path.ts";

/**
 * The signed-in user and the site's status, in local storage under the names that compatible
 * consoles use, so that a user who switches consoles stays signed in. The credential is the cookie.
 */
export type SessionUser = {
  id?: number | undefined;
  uuid?: string | undefined;
  username: string;
  display_name?: string | undefined;
  role: number;
  /** An auditor: an administrator who changes the own account alone. */
  read_only?: boolean | undefined;
  must_change_password?: boolean | undefined;
  /** The operator demands a second factor that this sign-in did not have. */
  must_add_second_factor?: boolean | undefined;
  /**
   * Signed in with the password that the servers of the family start with. Known to the console
   * alone.
   */
  has_default_password?: boolean | undefined;
};

export type SiteStatus = {
  /**
   * `features` are the abilities of the server beyond those of every server of the family; absent
   * on other servers.
   */
  features?: readonly string[] | undefined;
  version?: string | undefined;
  system_name?: string | undefined;
  logo?: string | undefined;
  footer_html?: string | undefined;
  status_page?: "off" | "users" | "public" | undefined;
  read_only?: boolean | undefined;
  keeps_bodies?: boolean | undefined;
  caches_answers?: boolean | undefined;
  /** Users make teams of their own. */
  makes_teams?: boolean | undefined;
  /** Users move quota to each other. */
  transfers_to_users?: boolean | undefined;
  counts_key_networks?: boolean | undefined;
  proves_key_owner?: boolean | undefined;
  quota_per_unit?: number | undefined;
  display_in_currency?: boolean | undefined;
  chat_link?: string | undefined;
  top_up_link?: string | undefined;
  github_oauth?: boolean | undefined;
  github_client_id?: string | undefined;
  lark_client_id?: string | undefined;
  external_providers?: readonly ExternalProvider[] | undefined;
  oidc_providers?: readonly { slug: string; name: string }[] | undefined;
  passkey_login?: boolean | undefined;
  proxy_login?: boolean | undefined;
  server_address?: string | undefined;
  wechat_login?: boolean | undefined;
  wechat_qrcode?: string | undefined;
  email_verification?: boolean | undefined;
  password_register?: boolean | undefined;
  /** An invitation into a team opens the registration that is off. */
  invites_register?: boolean | undefined;
};

export type SessionState = {
  user: SessionUser | null;
  token: string;
  status: SiteStatus;
  /** The server refused the session while the page was open; the user did not sign out. */
  hasEnded?: boolean;
};

const adminRole = 10;
const rootRole = 100;
const quotaPerUnitDefault = 500_000;
/** Members of the status that are also stored under keys of their own. */
const statusKeys = [
  "system_name",
  "logo",
  "footer_html",
  "quota_per_unit",
  "display_in_currency",
  "chat_link",
  "top_up_link",
] as const;

/** Until the user has done what the server demands first, it answers nothing else. */
export const isHeldBack = (user: SessionUser | null): boolean =>
  user?.must_change_password === true || user?.must_add_second_factor === true;
export const isAdmin = (user: SessionUser | null): boolean => (user?.role ?? 0) >= adminRole;
export const mayAdminister = (user: SessionUser | null): boolean =>
  isAdmin(user) && user?.read_only !== true;
export const isRoot = (user: SessionUser | null): boolean => (user?.role ?? 0) >= rootRole;

let current: SessionState = readStored();
const listeners = new Set<() => void>();

function publish(next: SessionState) {
  current = next;
  for (const listener of listeners) listener();
}

export const getSession = (): SessionState => current;

export function subscribeSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const SessionContext = createContext(current);

/**
 * The one subscription of the console: hundreds of cells read the session, and each of their own is
 * checked at each drawing.
 */
export function SessionProvider({ children }: { children: ReactNode }) {
  return createElement(
    SessionContext,
    { value: useSyncExternalStore(subscribeSession, getSession) },
    children,
  );
}

export const useSession = (): SessionState => use(SessionContext);

/**
 * `signIns` says how often a user has signed in since the page was loaded: tells the session of one
 * call from that of another.
 */
let signIns = 0;
export const computeSessionNumber = (): number => signIns;

export function signIn(user: SessionUser, token?: string) {
  signIns += 1;
  const playgroundToken = token ?? "";
  writeUser(user, playgroundToken);
  publish({ ...current, user, token: playgroundToken, hasEnded: false });
}

/**
 * Merges the fields into the stored user. A server may leave out the name and the role: those of
 * the sign-in stay.
 */
export function updateUser({ username, role, ...fields }: Partial<SessionUser>) {
  if (current.user === null) return;
  const user = {
    ...current.user,
    ...fields,
    username: username || current.user.username,
    role: role === undefined || Number.isNaN(role) ? current.user.role : role,
  };
  writeUser(user, current.token);
  publish({ ...current, user });
}

/** Replaces the stored key for `/v1` only by a non-empty string. */
export function updateToken(token: unknown) {
  if (typeof token !== "string" || token === "" || current.user === null) return;
  writeUser(current.user, token);
  publish({ ...current, token });
}

/** Keeps theme and language, which belong to the browser. */
export function signOut() {
  for (const key of ["user", "token", "auth-storage"]) remove(key);
  publish({ ...current, user: null, token: "", hasEnded: false });
}

/** Signs out because the server refused the session: the sign-in page says so. */
export function endSession() {
  // Several calls of one page may be refused.
  const hasEnded = current.user !== null || current.hasEnded === true;
  signOut();
  publish({ ...current, hasEnded });
}

export function saveStatus(status: SiteStatus) {
  write("status", JSON.stringify(status));
  for (const key of statusKeys) {
    const value = status[key];
    if (value === undefined || value === "" || Number.isNaN(value)) remove(key);
    else write(key, String(value));
  }
  publish({ ...current, status });
}

/**
 * Uses the settings in the page only without a stored status; the reply of /api/status replaces it.
 */
export function fillStatus(settings: SiteStatus) {
  if (read("status") === null) saveStatus({ ...settings, ...current.status });
}

/** Servers of the family without the list have none of these. */
export const hasFeature = ({ features }: SiteStatus, name: FeatureName): boolean =>
  Array.isArray(features) && features.includes(name);

export const formatSystemName = (status: SiteStatus): string => status.system_name || "Tollgate";

/**
 * The pages whose decimals of currency are specified. Their pages below that are our own have our
 * own rule.
 */
const specifiedDigits: readonly (readonly [RegExp, number])[] = [
  [/^\/dashboard$|^\/tokens($|\/(add|edit)($|\/))/, 2],
  [/^\/(logs|topup|models)$|^\/(users|channels|redemptions)($|\/(add|edit)($|\/))/, 4],
];

/** `buildQuotaStyle` says how the page at `path` shows quota. */
export function buildQuotaStyle(
  status: SiteStatus,
  path = readPagePath(),
): { perUnit: number; inCurrency: boolean; digits: number | "own" } {
  const perUnit = status.quota_per_unit;
  return {
    perUnit: typeof perUnit === "number" && perUnit > 0 ? perUnit : quotaPerUnitDefault,
    inCurrency: status.display_in_currency === true,
    digits: specifiedDigits.find(([pages]) => pages.test(path))?.[1] ?? "own",
  };
}

/** `buildOwnQuotaStyle` is that of our own cards, which are the same on every page. */
export const buildOwnQuotaStyle = (status: SiteStatus) => ({
  ...buildQuotaStyle(status),
  digits: "own" as const,
});

/** Follows sign-in, sign-out and status changes of other tabs. */
export function followOtherTabs(onUserChange: () => void) {
  addEventListener("storage", (event) => {
    if (event.key !== null && !["user", "token", "auth-storage", "status"].includes(event.key))
      return;
    const before = current.user?.username;
    const stored = readStored();
    publish({
      ...stored,
      hasEnded: current.hasEnded === true && before === undefined && stored.user === null,
    });
    if (current.user?.username !== before) onUserChange();
  });
}

function writeUser(user: SessionUser, token: string) {
  write("user", JSON.stringify(user));
  if (token === "") remove("token");
  else write("token", token);
  write(
    "auth-storage",
    JSON.stringify({ state: { user, token, isAuthenticated: true }, version: 0 }),
  );
}

function readStored(): SessionState {
  const persisted = readObject(readObject(parse(read("auth-storage")))?.state);
  const user =
    readUser(parse(read("user"))) ??
    (persisted?.isAuthenticated === true ? readUser(persisted.user) : null);
  return { user, token: read("token") ?? "", status: readStatus() };
}

/** Older consoles store some settings only under keys of their own, and all as text. */
function readStatus(): SiteStatus {
  const stored = readObject(parse(read("status"))) ?? {};
  const status: Record<string, unknown> = { ...stored };
  for (const key of statusKeys) status[key] ??= read(key) ?? undefined;
  return {
    ...(status as SiteStatus),
    quota_per_unit: readNumber(status.quota_per_unit),
    display_in_currency: readFlag(status.display_in_currency),
  };
}

function readUser(value: unknown): SessionUser | null {
  const user = readObject(value);
  if (user === null || typeof user.username !== "string" || user.username === "") return null;
  return { ...user, username: user.username, role: readNumber(user.role) ?? 1 };
}

function readObject(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function readFlag(value: unknown): boolean | undefined {
  return value === true || value === "true"
    ? true
    : value === false || value === "false"
      ? false
      : undefined;
}

function parse(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// A browser may refuse storage; the console then works until it is reloaded.
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {}
}

function remove(key: string) {
  try {
    localStorage.removeItem(key);
  } catch {}
}
