/**
 * The table of pages: what each route is called, where it belongs and who sees it. Header, drawer,
 * second level, palette, breadcrumbs and shortcuts read it. `page-synonyms.ts` has the other words
 * by which a page is found.
 */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { FeatureName } from "@tollgate/contract/site/features.ts";

export type PageRow = {
  /** The pattern of the route. A page whose parameter may be missing is the list without it. */
  path: string;
  title: MessageDescriptor;
  /**
   * The page above. The header has the pages without one, in the order of the specification, "/"
   * apart.
   */
  parent?: string;
  least?: "admin" | "root";
  feature?: FeatureName;
  needs?: "chatLink" | "statusPage";
  /** Pressed after `g`. */
  key?: string;
  /** About one thing, which its address names: found by the name of the thing. */
  isOfThing?: true;
  /** A part of the page that `parent` names already: in the palette, not in menus. */
  isPart?: true;
  /**
   * `below` names the pages that the optional parameter of the path leads to, by its value; `one` is
   * any other value.
   */
  below?: Readonly<{ one: MessageDescriptor; add?: MessageDescriptor }>;
};

export const pageTable: readonly PageRow[] = [
  { path: "/dashboard", title: msg`Dashboard`, key: "d" },
  { path: "/channels", title: msg`Channels`, least: "admin", key: "c" },
  { path: "/tokens", title: msg`Tokens`, key: "t" },
  { path: "/logs", title: msg`Logs`, key: "l" },
  { path: "/users", title: msg`Users`, least: "admin", key: "u" },
  { path: "/redemptions", title: msg`Redemptions`, least: "admin", key: "r" },
  { path: "/topup", title: msg`Top Up`, key: "b" },
  { path: "/models", title: msg`Models`, key: "m" },
  { path: "/chat", title: msg`Chat`, needs: "chatLink", key: "h" },
  { path: "/about", title: msg`About`, key: "a" },
  { path: "/settings", title: msg`Settings`, least: "admin", key: "s" },
  { path: "/", title: msg`Home`, parent: "/about", isPart: true },
  { path: "/report", title: msg`Monthly report`, parent: "/dashboard", feature: "month_report" },
  { path: "/runs", title: msg`Agent runs`, parent: "/logs", feature: "agent_runs" },
  { path: "/runs/$id", title: msg`Agent run`, parent: "/runs", isOfThing: true },
  { path: "/alerts", title: msg`Alerts`, parent: "/dashboard", least: "admin", feature: "alerts" },
  {
    path: "/alerts/destinations",
    title: msg`Destinations`,
    parent: "/alerts",
    least: "admin",
    feature: "alerts",
  },
  {
    path: "/alerts/deliveries",
    title: msg`Deliveries`,
    parent: "/alerts",
    least: "admin",
    feature: "alerts",
  },
  {
    path: "/alerts/incident",
    title: msg`Incident`,
    parent: "/alerts",
    least: "admin",
    feature: "incidents",
  },
  {
    path: "/channels/connect",
    title: msg`Connect a provider`,
    parent: "/channels",
    least: "admin",
    feature: "provider_check",
  },
  { path: "/channels/add", title: msg`Create Channel`, parent: "/channels", least: "admin" },
  {
    path: "/channels/$id/{-$tab}",
    title: msg`Channel`,
    parent: "/channels",
    least: "admin",
    isOfThing: true,
  },
  {
    path: "/channels/edit/$id",
    title: msg`Edit Channel`,
    parent: "/channels",
    least: "admin",
    isOfThing: true,
  },
  {
    path: "/channels/costs",
    title: msg`Reconciliation`,
    parent: "/channels",
    least: "admin",
    feature: "cost_reports",
  },
  { path: "/tokens/add", title: msg`Create Token`, parent: "/tokens" },
  { path: "/tokens/$id/{-$tab}", title: msg`API key`, parent: "/tokens", isOfThing: true },
  { path: "/tokens/edit/$id", title: msg`Edit Token`, parent: "/tokens", isOfThing: true },
  { path: "/tokens/batch", title: msg`Several keys`, parent: "/tokens" },
  {
    path: "/tokens/check",
    title: msg`Would this call work?`,
    parent: "/tokens",
    feature: "call_check",
  },
  { path: "/teams", title: msg`Teams`, parent: "/tokens", feature: "teams" },
  { path: "/teams/$id/{-$tab}", title: msg`Team`, parent: "/teams", isOfThing: true },
  { path: "/key", title: msg`Your API key`, parent: "/tokens", feature: "key_holder_page" },
  { path: "/users/add", title: msg`Create User`, parent: "/users", least: "admin" },
  {
    path: "/users/$id/{-$tab}",
    title: msg`User`,
    parent: "/users",
    least: "admin",
    isOfThing: true,
  },
  {
    path: "/users/edit/$id",
    title: msg`Edit User`,
    parent: "/users",
    least: "admin",
    isOfThing: true,
  },
  { path: "/users/batch", title: msg`Several accounts`, parent: "/users", least: "admin" },
  { path: "/budgets", title: msg`Budgets`, parent: "/users", least: "admin", feature: "budgets" },
  {
    path: "/redemptions/add",
    title: msg`Create Redemption`,
    parent: "/redemptions",
    least: "admin",
  },
  {
    path: "/redemptions/edit/$id",
    title: msg`Edit Redemption`,
    parent: "/redemptions",
    least: "admin",
    isOfThing: true,
  },
  {
    path: "/playground",
    title: msg`Playground`,
    parent: "/models",
    feature: "playground",
    key: "p",
  },
  { path: "/status", title: msg`Status`, parent: "/models", needs: "statusPage" },
  { path: "/models/one", title: msg`Model`, parent: "/models", isOfThing: true },
  {
    path: "/channels/prices",
    title: msg`Prices`,
    parent: "/models",
    least: "admin",
    feature: "model_prices",
  },
  {
    path: "/channels/virtual/{-$id}",
    title: msg`Virtual models`,
    parent: "/models",
    least: "admin",
    feature: "virtual_models",
    below: { one: msg`Edit virtual model`, add: msg`Create virtual model` },
  },
  {
    path: "/channels/mcp/{-$id}",
    title: msg`MCP servers`,
    parent: "/models",
    least: "admin",
    feature: "mcp_servers",
    below: { one: msg`Edit MCP server`, add: msg`Add MCP server` },
  },
  { path: "/reference", title: msg`API reference`, parent: "/about", feature: "api_reference" },
  { path: "/settings/", title: msg`Personal`, parent: "/settings" },
  {
    path: "/device",
    title: msg`Sign in a program`,
    parent: "/settings",
    feature: "agent_sign_in",
    isPart: true,
  },
  { path: "/users/edit", title: msg`Change password`, parent: "/settings", isPart: true },
  { path: "/settings/keys", title: msg`Management keys`, parent: "/settings" },
  { path: "/settings/notices", title: msg`Notices`, parent: "/settings", feature: "own_notices" },
  { path: "/settings/operation", title: msg`Operation`, parent: "/settings", least: "root" },
  { path: "/settings/system", title: msg`System`, parent: "/settings", least: "root" },
  {
    path: "/settings/sign-in/{-$id}",
    title: msg`Sign-in`,
    parent: "/settings",
    least: "root",
    below: { one: msg`Identity provider`, add: msg`Add provider` },
  },
  {
    path: "/settings/other/{-$id}",
    title: msg`Other`,
    parent: "/settings",
    least: "root",
    below: { one: msg`Import` },
  },
  {
    path: "/settings/changes",
    title: msg`Changes`,
    parent: "/settings",
    least: "root",
    feature: "audit_trail",
  },
];

/**
 * `visitorPaths` are pages of people who are not signed in, or come by a link: nothing leads to
 * them afterwards.
 */
export const visitorPaths: readonly string[] = [
  "/login",
  "/register",
  "/reset",
  "/user/reset",
  "/oauth/$provider",
  "/oauth/oidc/$slug",
  "/invitation",
];

/** The address of a list whose route has a parameter that may be missing. */
export const writeAddress = (path: string): string =>
  path.replace(/\/\{-\$[a-z]+\}$/, "").replace(/(.)\/$/, "$1");

const rowsByPath = new Map(pageTable.map((row) => [row.path, row]));

/** `findPage` is by the pattern of the route that is shown. */
export const findPage = (path: string): PageRow | undefined => rowsByPath.get(path);

/** The pages above, the highest first. */
export function listAncestors({ parent }: PageRow): PageRow[] {
  const above = parent === undefined ? undefined : rowsByPath.get(parent);
  return above === undefined ? [] : [...listAncestors(above), above];
}

/** `listChildren` is the second level of a page: what a menu offers below it. */
export const listChildren = (
  rows: readonly PageRow[],
  { path }: Pick<PageRow, "path">,
): PageRow[] =>
  rows.filter(
    ({ parent, isOfThing, isPart }) => parent === path && isOfThing !== true && isPart !== true,
  );
