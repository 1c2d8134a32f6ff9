/**
 * An address on the demo site for each page of the console's table of pages, and for the views of a
 * page that look different.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTeam } from "@tollgate/contract/accounts/teams.ts";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import type { ApiSession } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { repositoryDir } from "../harness/repository-dir.ts";

/** `thingLists` are the lists of the management API whose first row stands for all its things. */
const thingLists = {
  channel: "/api/channel/",
  token: "/api/token/",
  user: "/api/user/",
  redemption: "/api/redemption/",
  team: "/api/team/",
  run: "/api/run/",
  virtualModel: "/api/virtual_model/",
  mcpServer: "/api/mcp_server/",
} as const;

/** `SampleThings` are the ids of one thing of each kind. */
export type SampleThings = Readonly<Record<keyof typeof thingLists, string>>;

/** The sample site has neither a team nor a run of an agent: both are made first. */
export async function makeSampleThings(root: ApiSession, site: string): Promise<SampleThings> {
  await root.call(createTeam, { body: { name: "Field work" } });
  const { key } = (
    await root.call(createToken, { body: { name: "Night shift", unlimited_quota: true } })
  ).data;
  const reply = await fetch(`${site}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "user-agent": "claude-cli/2.1.197 (external, cli)",
      "x-claude-code-session-id": crypto.randomUUID(),
    },
    body: JSON.stringify({ model: "gpt-5.2", messages: [{ role: "user", content: "Hello" }] }),
  });
  if (!reply.ok) throw new Error(await reply.text());
  const found = Object.entries(thingLists).map(async ([thing, path]) => {
    const id = await eventually(async () => {
      const [first] = await root.data<{ uuid?: string; run?: string }[]>("GET", path);
      if (first === undefined) throw new Error(`the sample site has no ${thing}`);
      return first.uuid ?? first.run;
    });
    return [thing, id];
  });
  return Object.fromEntries(await Promise.all(found)) as SampleThings;
}

type AddressRow = readonly string[] | ((things: SampleThings) => readonly string[]);

/** `screenAddresses` has a row for each page that a signed-in person meets, by its route. */
export const screenAddresses: Readonly<Record<string, AddressRow>> = {
  "/": ["/"],
  "/about": ["/about"],
  "/alerts": ["/alerts"],
  "/alerts/deliveries": ["/alerts/deliveries"],
  "/alerts/destinations": ["/alerts/destinations"],
  "/alerts/incident": ["/alerts/incident"],
  "/budgets": ["/budgets"],
  "/channels": ["/channels", "/channels?size=100"],
  "/channels/add": ["/channels/add"],
  "/channels/connect": ["/channels/connect"],
  "/channels/costs": ["/channels/costs"],
  "/channels/$id/{-$tab}": ({ channel }) => [
    `/channels/${channel}`,
    `/channels/${channel}/changes`,
  ],
  "/channels/edit/$id": ({ channel }) => [`/channels/edit/${channel}`],
  "/channels/mcp/{-$id}": ({ mcpServer }) => [
    "/channels/mcp",
    "/channels/mcp/add",
    `/channels/mcp/${mcpServer}`,
  ],
  "/channels/prices": ["/channels/prices"],
  "/channels/virtual/{-$id}": ({ virtualModel }) => [
    "/channels/virtual",
    "/channels/virtual/add",
    `/channels/virtual/${virtualModel}`,
  ],
  "/chat": ["/chat"],
  "/dashboard": ["/dashboard"],
  "/device": ["/device"],
  "/key": ["/key"],
  "/logs": ["/logs", "/logs?view=problems"],
  "/models": ["/models"],
  "/models/one": ["/models/one?model=gpt-5.2"],
  "/playground": ["/playground"],
  "/redemptions": ["/redemptions"],
  "/redemptions/add": ["/redemptions/add"],
  "/redemptions/edit/$id": ({ redemption }) => [`/redemptions/edit/${redemption}`],
  "/reference": ["/reference"],
  "/report": ["/report"],
  "/runs": ["/runs"],
  "/runs/$id": ({ run }) => [`/runs/${run}`],
  "/settings": ["/settings"],
  "/settings/": ["/settings"],
  "/settings/changes": ["/settings/changes"],
  "/settings/keys": ["/settings/keys"],
  "/settings/notices": ["/settings/notices"],
  "/settings/operation": ["/settings/operation"],
  "/settings/other/{-$id}": ["/settings/other", "/settings/other/import"],
  "/settings/sign-in/{-$id}": ["/settings/sign-in", "/settings/sign-in/add"],
  "/settings/system": ["/settings/system"],
  "/status": ["/status"],
  "/teams": ["/teams"],
  "/teams/$id/{-$tab}": ({ team }) =>
    ["", "/keys", "/members", "/budgets", "/statement", "/activity", "/settings"].map(
      (tab) => `/teams/${team}${tab}`,
    ),
  "/tokens": ["/tokens", "/tokens?scope=all", "/tokens?scope=all&look=1"],
  "/tokens/add": ["/tokens/add"],
  "/tokens/batch": ["/tokens/batch"],
  "/tokens/check": ["/tokens/check"],
  "/tokens/$id/{-$tab}": ({ token }) => [`/tokens/${token}`, `/tokens/${token}/changes`],
  "/tokens/edit/$id": ({ token }) => [`/tokens/edit/${token}`],
  "/topup": ["/topup"],
  "/users": ["/users"],
  "/users/add": ["/users/add"],
  "/users/batch": ["/users/batch"],
  "/users/edit": ["/users/edit"],
  "/users/$id/{-$tab}": ({ user }) => [`/users/${user}`, `/users/${user}/changes`],
  "/users/edit/$id": ({ user }) => [`/users/edit/${user}`],
};

/** `visitorAddresses` has a row for each page that is met before the sign-in, by its route. */
export const visitorAddresses: Readonly<Record<string, readonly string[]>> = {
  "/login": ["/login"],
  "/register": ["/register"],
  "/reset": ["/reset"],
  "/user/reset": ["/user/reset?email=ruth@example.com&token=t"],
  "/oauth/$provider": ["/oauth/github?code=c&state=s"],
  "/oauth/oidc/$slug": ["/oauth/oidc/staff?code=c&state=s"],
  "/invitation": ["/invitation?code=none"],
};

/**
 * `readPagePaths` are the routes of the table of pages. It is read as text: its titles are macros,
 * which only the console's build knows.
 */
export function readPagePaths(): string[] {
  const table = readFileSync(join(repositoryDir, "console/src/shell/page-table.ts"), "utf8");
  const [rows = "", visitors = ""] = table.split("visitorPaths: readonly string[] = [");
  const ofVisitors = visitors.split("]")[0] ?? "";
  return [
    ...[...rows.matchAll(/\bpath: "([^"]+)"/g)].map(([, path = ""]) => path),
    ...[...ofVisitors.matchAll(/"([^"]+)"/g)].map(([, path = ""]) => path),
  ];
}
