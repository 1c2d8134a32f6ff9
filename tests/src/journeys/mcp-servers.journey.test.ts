// MCP servers in the console: registered, tested, limited and priced by an administrator, and what
// clients may call then.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { type McpTestServer, startStatelessMcpServer } from "../support/mcp-test-servers.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  chooseVerb,
  collectPageErrors,
  heading,
  openPage,
  pathOf,
  signIn,
} from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";

let gateway: TestGateway;
let context: BrowserContext;
let page: Page;
let pageErrors: string[];
let pages: McpTestServer;

beforeAll(async () => {
  pages = await startStatelessMcpServer();
  gateway = await startBrowserGateway({
    env: {
      INITIAL_ROOT_PASSWORD: password,
      API_RATE_LIMIT: "0",
      MCP_PRIVATE_HOSTS: new URL(pages.url).host,
    },
  });
  context = await gateway.newContext();
  page = await openPage(context);
  pageErrors = collectPageErrors(page);
  await page.goto(`/login?redirect_to=${encodeURIComponent("/models")}`);
  await signIn(page, "root", password);
});
afterAll(async () => {
  await gateway?.close();
  await pages?.close();
});

const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
const tools = () => page.getByRole("region", { name: "Tools and prices" }).last();

/** Names of the tools that a key is offered, or the status of the refusal. */
async function offeredTo(key: string): Promise<string[] | number> {
  const response = await fetch(`${gateway.url}/mcp/pages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  if (!response.ok) return response.status;
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name).sort();
}

test("an administrator adds a server, and is told what is wrong with it before and after", async () => {
  await page.getByRole("link", { name: "MCP servers", exact: true }).click();
  await page.getByText("No MCP servers yet. API keys reach models only.").waitFor();
  await inspectScreen(page, "mcp-servers-none");
  await page.getByRole("link", { name: "Add MCP server" }).click();
  await heading(page, "Add MCP server").waitFor();
  await button("Add MCP server").click();
  await page.getByText("Enter the server's address, beginning with https://").waitFor();

  await page.getByLabel("Name", { exact: true }).fill("pages");
  await page.getByLabel("Description").fill("Pages of the intranet");
  await page.getByLabel("Address of the server").fill("https://127.0.0.1:1/rpc");
  await button("Add a header").click();
  await page.getByLabel("Header name").fill("Authorization");
  await page.getByLabel("Header value").fill("Bearer upstream-credential-1234567890");
  await inspectScreen(page, "mcp-server-add");
  await button("Add MCP server").click();
  await page
    .getByText(/MCP_PRIVATE_HOSTS/)
    .first()
    .waitFor();
  expect(pathOf(page)).toBe("/channels/mcp/add");
  await page.getByLabel("Address of the server").fill(pages.url);
  await button("Add MCP server").click();
  await heading(page, "Edit MCP server").waitFor();
  await page.getByText("Set, not shown: authorization").waitFor();
  // The refused address.
  expect(pageErrors.splice(0)).toEqual([expect.stringContaining("/api/mcp_server/")]);
});

test("a test of the server lists its tools, of which some are offered at prices of their own", async () => {
  await button("Ask for tools").click();
  await page.getByText("The server has 3 tools").waitFor();
  await page.getByLabel("Offer only the tools that are chosen").check();
  await button("Save").click();
  await page.getByText("Choose at least one tool, or offer all of them").waitFor();
  await tools().getByLabel("find", { exact: true }).check();
  await tools().getByLabel("Units for a call of find").fill("30");
  await page.getByLabel("Price of a call").fill("0.000014");
  await inspectScreen(page, "mcp-server-tools");
  await button("Save").click();
  await expect.poll(() => pathOf(page)).toBe("/channels/mcp");
  await page.getByText("Saved. Applies from the next call.").waitFor();
  const item = page.getByRole("listitem").filter({ hasText: "Pages of the intranet" });
  await item.getByText("1 tool", { exact: true }).waitFor();
  await item.getByText("1 tool has its own price").waitFor();
  await inspectScreen(page, "mcp-servers");
  const { key: named } = await gateway.given.token({ mcp_tools: "pages" });
  const { key } = await gateway.given.token();
  await expect.poll(() => offeredTo(named)).toEqual(["find"]);
  expect(await offeredTo(key)).toBe(404);
  expect(pages.seen.at(-1)?.headers.authorization).toBe("Bearer upstream-credential-1234567890");
  expect(pageErrors).toEqual([]);
});

test("the owner of a key names the server in its form, or one tool of it", async () => {
  const token = await gateway.given.token({ name: "agent" });
  await page.goto(`/tokens/edit/${token.id}`);
  const named = page.getByRole("group", { name: "MCP servers and tools" });
  await named.getByRole("checkbox", { name: /^pages Pages of the intranet/ }).check();
  await page.getByLabel("A single tool, as server/tool").fill("pages/re ad");
  await page.getByText("Enter a server, or a tool such as search/find_pages").waitFor();
  await page.getByLabel("A single tool, as server/tool").fill("pages/read");
  await named.getByRole("button", { name: "Add" }).click();
  await inspectScreen(page, "token-mcp");
  await button("Update Token").click();
  await page.getByText("Token updated successfully").waitFor();
  expect(await gateway.rows(`select mcp_tools from tokens where id = ${token.id}`)).toEqual([
    { mcp_tools: "pages,pages/read" },
  ]);
  await expect.poll(() => offeredTo(token.key)).toEqual(["find"]);
  await page.goto("/channels/mcp");
  expect(pageErrors).toEqual([]);
});

test("a server is opened to every key, what is not saved is not lost in silence, and a deleted server is gone", {
  tags: ["large"],
}, async () => {
  const { key } = await gateway.given.token();
  await button("Edit pages")
    .or(page.getByRole("link", { name: "Edit pages" }))
    .click();
  await page.getByLabel("Only API keys that name it").uncheck();
  await page.getByRole("link", { name: "Cancel" }).click();
  await page
    .getByRole("dialog", { name: "Unsaved changes" })
    .getByRole("button", { name: "Keep editing" })
    .click();
  await button("Save").click();
  await page.getByText("Available to every key").waitFor();
  await expect.poll(() => offeredTo(key)).toEqual(["find"]);

  await chooseVerb(page, "pages", "Delete");
  await page
    .getByRole("dialog", { name: "Delete pages" })
    .getByRole("button", { name: "Delete", exact: true })
    .click();
  await page.getByText("No MCP servers yet. API keys reach models only.").waitFor();
  await expect.poll(() => offeredTo(key)).toBe(404);
  expect(pageErrors).toEqual([]);
});
