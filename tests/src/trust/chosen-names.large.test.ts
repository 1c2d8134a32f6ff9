// Names and words as they really come in: through the gateway's own rules, by those who choose
// them, onto the screens of administrators. What the gateway refuses to store is counted among the
// refused.
import { readFile } from "node:fs/promises";
import { createRedemptions } from "@tollgate/contract/accounts/redemptions.ts";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import { foldUsername } from "@tollgate/gateway/accounts/identity/users/username-rules.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "../journeys/browser-gateway.ts";
import { heading, pathOf, signIn } from "../journeys/console-pages.ts";
import { type CannedProvider, startCannedProvider } from "../relay/canned-provider.ts";
import { unreadable } from "./hostile-responses.ts";
import { hostileAddresses, lineInjections } from "./injections.ts";
import { openWatchedPage, type WatchedPage } from "./watched-page.ts";

let upstream: CannedProvider;
let stage: TestGateway;
let root: ApiSession;
let watched: WatchedPage;
let page: Page;

const password = "correct horse battery";
const isFull = process.env.INJECTIONS === "full";
if (isFull) vi.setConfig({ testTimeout: 3_600_000 });
/**
 * Names that fit into a field of this length; in the short form as many as one page of a list
 * shows.
 */
function some(lengthMax: number, atMost: number): string[] {
  const all = lineInjections(lengthMax)
    .map(({ text }) => text)
    .filter((text) => text === text.trim());
  const step = isFull ? 1 : Math.max(1, Math.floor(all.length / atMost));
  return all.filter((_, place) => place % step === 0).slice(0, isFull ? all.length : atMost);
}
const tokenNames = some(30, 90);
const channelNames = some(100, 90);
const redemptionNames = some(20, 50);
/** Names that look alike belong to one account. */
const usernames = some(30, 10)
  .filter((name) => name.length >= 3)
  .filter(
    (name, at, all) => all.findIndex((other) => foldUsername(other) === foldUsername(name)) === at,
  );
/** Commas and stars mean something in a list of models. */
const modelNames = some(80, 80).filter((name) => !/[,*]/.test(name));
const upstreamWords = some(150, 80);
const groupNames = some(32, 20).filter((name) => !name.includes(","));
/** No more than the sessions that one user may have at a time. */
const browsers = some(200, 8)
  .filter((name) => /^[ -~]+$/.test(name))
  .slice(0, 8);
const channel = { name: "Upstream", type: 50, key: "k", base_url: "", models: "nobody-asks" };
const prices = { ratio: 1, completion_ratio: 1 };

async function ask(key: string, model: string): Promise<number> {
  const response = await fetch(`${stage.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Which way?" }] }),
  });
  await response.text();
  return response.status;
}

beforeAll(async () => {
  upstream = await startCannedProvider();
  let answered = 0;
  upstream.answer = (response) => {
    const message = upstreamWords[answered % upstreamWords.length];
    answered += 1;
    response
      .writeHead(400)
      .end(JSON.stringify({ error: { message, type: message, code: message } }));
  };
  const hosts = new URL(upstream.url).host;
  stage = await startBrowserGateway({
    env: { INITIAL_ROOT_PASSWORD: password, UPSTREAM_PRIVATE_HOSTS: hosts },
  });
  channel.base_url = upstream.url;
  root = await stage.signIn("root", password);
  const model_configs = JSON.stringify(
    Object.fromEntries(modelNames.map((name) => [name, prices])),
  );
  await root.call(createChannel, {
    body: { ...channel, models: modelNames.join(","), model_configs },
  });
  watched = await openWatchedPage(await stage.newContext());
  page = watched.page;
  await page.goto("/login?redirect_to=/tokens");
  await signIn(page, "root", password);
  await heading(page, "Tokens").waitFor();
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
});

async function expectShown(path: string, texts: readonly string[]): Promise<void> {
  await page.goto(path);
  await page.locator("tbody tr td").first().waitFor();
  await expect.poll(() => unreadable(page, texts), { message: path }).toEqual([]);
  expect(await watched.violations(), path).toEqual([]);
  expect(pathOf(page)).toBe(path);
}

/** In the full form a list has several pages; each name is on one of them. */
async function expectListed(path: string, names: readonly string[]): Promise<void> {
  // The newest rows come first.
  const newest = names.toReversed();
  for (let start = 0; start < newest.length; start += 100) {
    const place = start === 0 ? "?size=100" : `?p=${start / 100}&size=100`;
    await expectShown(`${path}${place}`, newest.slice(start, start + 100));
  }
}

test("F-96 names of tokens", { tags: ["F-96"] }, async () => {
  for (const name of tokenNames) await root.call(createToken, { body: { name } });
  await expectListed("/tokens", tokenNames);
});

test("F-96 names of redemption codes", { tags: ["F-96"] }, async () => {
  for (const name of redemptionNames)
    await root.call(createRedemptions, { body: { name, quota: 1, count: 1 } });
  await expectListed("/redemptions", redemptionNames);
});

test("F-96 names of channels and of models, also on the page for visitors", {
  tags: ["F-96"],
}, async () => {
  for (const name of channelNames) await root.call(createChannel, { body: { ...channel, name } });
  await expectListed("/channels", channelNames);
  await expectShown("/models", modelNames);
  const other = await openWatchedPage(await stage.newContext());
  await other.page.goto("/models");
  await expect.poll(() => unreadable(other.page, modelNames)).toEqual([]);
  expect(await other.violations()).toEqual([]);
  await other.page.context().close();
});

test("F-96 names and browsers of users", { tags: ["F-96"] }, async () => {
  for (const username of usernames) {
    const display_name = username.slice(0, 20);
    await root.call(createUser, { body: { username, display_name, password } });
  }
  await expectListed("/users", usernames);
  for (const agent of browsers) {
    const response = await fetch(`${stage.url}/api/user/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": agent },
      body: JSON.stringify({ username: "root", password }),
    });
    expect(((await response.json()) as { success: boolean }).success).toBe(true);
  }
  await page.goto("/settings");
  await expect.poll(() => unreadable(page, browsers)).toEqual([]);
  expect(await watched.violations()).toEqual([]);
});

test("F-96 names of groups", { tags: ["F-96"] }, async () => {
  const ratios = Object.fromEntries(["default", ...groupNames].map((name) => [name, 1]));
  await root.call(updateOption, { body: { key: "GroupRatio", value: JSON.stringify(ratios) } });
  await page.goto("/users/add");
  await expect.poll(() => unreadable(page, groupNames)).toEqual([]);
  expect(await watched.violations()).toEqual([]);
});

describe("F-95 calls that failed", () => {
  const download = async (button: string): Promise<string> => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: button, exact: true }).click(),
    ]);
    return readFile(await file.path(), "utf8");
  };

  test("their models, tokens and the words of their upstream, in the log, in the trace and as a file", {
    tags: ["F-95", "F-96"],
  }, async () => {
    const { key } = (
      await root.call(createToken, { body: { name: "=1+1<b>", unlimited_quota: true } })
    ).data;
    // In sequence: the last message is at the top.
    for (const model of modelNames) expect(await ask(key, model)).toBeGreaterThanOrEqual(400);
    await page.context().addInitScript("delete window.showSaveFilePicker");
    await expectListed("/logs", modelNames);
    const lastWords = modelNames
      .map((_, call) => upstreamWords[call % upstreamWords.length] ?? "")
      .slice(-90);
    await expectShown("/logs?size=100", lastWords);
    // The newest hundred, which are the last of the models, and everything.
    await expectShown("/logs?size=100", modelNames.slice(-90));
    for (const [button, names] of [
      ["Export this page", modelNames.slice(-90)],
      ["Export all", modelNames],
    ] as const) {
      const cells = cellsOf(await download(button));
      const running = cells.filter(
        (cell) => /^\s*[=+\-@\t\r|%\uff1d\uff0b\uff0d\uff20]/.test(cell) && cell !== "-",
      );
      expect(running).toEqual([]);
      expect(cells).toContain("'=1+1<b>");
      // A model that looks like a formula has an apostrophe in front.
      const plain = [...cells, ...cells.map((cell) => cell.replace(/^'/, ""))];
      expect(plain).toEqual(expect.arrayContaining([...names]));
    }
    await page.locator("tbody tr").first().getByText("Consume").click();
    const trace = page.getByRole("dialog", { name: "Request Trace" });
    await trace.getByRole("region", { name: "Timeline" }).waitFor();
    const output = await trace.innerText();
    expect(
      upstreamWords.filter((words) => output.includes(words.replaceAll(/\s+/g, " "))),
    ).not.toEqual([]);
    expect(await watched.violations()).toEqual([]);
  });
});

/** Every cell of a CSV, by the rules of RFC 4180. */
function cellsOf(csv: string): string[] {
  const cells = csv
    .replace(/^\ufeff/, "")
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n|$)/g);
  return [...cells].map(([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain);
}

describe("what the system is called", () => {
  test("F-90 ends neither the page's settings nor its title", { tags: ["F-90"] }, async () => {
    const names = lineInjections(100)
      .map(({ text }) => text)
      .filter((_, place) => isFull || place % 12 === 0);
    for (const value of [...names, "</script><script>pwn()</script>", "<!--<script>"]) {
      await root.call(updateOption, { body: { key: "SystemName", value } });
      const page = await (await fetch(`${stage.url}/login`)).text();
      const block =
        /<script type="application\/json" id="settings">(.*?)<\/script>/s.exec(page)?.[1] ?? "";
      expect((JSON.parse(block) as { system_name: string }).system_name).toBe(value);
      expect(block).not.toContain("<");
    }
    await page.goto("/login");
    await expect.poll(() => page.title()).toBe("Sign In · <!--<script>");
    // The responses themselves, opened as pages: data, never markup.
    await page.goto("/api/status");
    expect(await watched.violations()).toEqual([]);
    await root.call(updateOption, { body: { key: "SystemName", value: "Tollgate" } });
  });

  test.each(["Logo", "TopUpLink", "ChatLink", "ServerAddress"])(
    "F-92 F-94 %s takes no address that would run, and none with a markup in it",
    { tags: ["F-92", "F-94"] },
    async (key) => {
      for (const value of [
        ...hostileAddresses,
        ...hostileAddresses.map((address) => address.trim()),
      ])
        await expect(root.call(updateOption, { body: { key, value } }), value).rejects.toThrow(
          /400/,
        );
    },
  );
});

describe("F-97 a page of ours", () => {
  test("shows nothing in a frame of another site", { tags: ["F-97"] }, async () => {
    const other = await stage.newContext();
    const stranger = await other.newPage();
    await stranger.route("http://stranger.example/", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: ["/login", "/", "/api/status"]
          .map((path) => `<iframe src="${stage.url}${path}"></iframe>`)
          .join(""),
      }),
    );
    await stranger.goto("http://stranger.example/");
    const frames = stranger.frames().filter((frame) => frame !== stranger.mainFrame());
    expect(frames).toHaveLength(3);
    for (const frame of frames) {
      await expect.poll(() => frame.url()).toMatch(/^chrome-error:/);
      expect(await frame.locator("#root, pre").count()).toBe(0);
    }
    await other.close();
  });

  test("shows nothing of the previous session after sign-out, however the user navigates back", {
    tags: ["F-97"],
  }, async () => {
    const other = await stage.newContext();
    const shared = await other.newPage();
    await root.call(createToken, { body: { name: "For my eyes alone" } });
    await shared.goto("/login?redirect_to=/tokens");
    await signIn(shared, "root", password);
    await shared.getByText("For my eyes alone").waitFor();
    await shared.goto("/dashboard");
    await heading(shared, "Dashboard").waitFor();
    await shared.getByRole("button", { name: "Account menu" }).click();
    await shared.getByRole("menuitem", { name: "Logout" }).click();
    await shared.getByRole("button", { name: "Sign In" }).waitFor();
    for (const back of [
      () => shared.goBack(),
      () => shared.goBack(),
      () => shared.goto("/tokens"),
      () => shared.reload(),
    ]) {
      await back();
      await shared.getByRole("button", { name: "Sign In" }).waitFor();
      expect(await shared.getByText("For my eyes alone").count()).toBe(0);
    }
    expect((await shared.request.get("/api/token/")).status()).toBe(401);
    await other.close();
  });
});
