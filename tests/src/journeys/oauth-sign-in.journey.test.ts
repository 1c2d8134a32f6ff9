import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { confirmTotp, setupTotp } from "@tollgate/contract/accounts/totp.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeAt } from "../api/totp-users.ts";
import {
  botToken,
  credentials,
  type IdentityProvider,
  startIdentityProvider,
} from "../harness/identity-provider.ts";
import type { TestGateway } from "../harness/test-gateway.ts";
import { testVariants } from "../support/variants.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { collectPageErrors, heading, openPage, pathOf, signIn } from "./console-pages.ts";
import { inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
const proxySecret = "only-the-proxy-knows-this";
let gateway: TestGateway;
let provider: IdentityProvider;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];

beforeAll(async () => {
  provider = await startIdentityProvider();
  gateway = await startBrowserGateway({
    env: {
      INITIAL_ROOT_PASSWORD: password,
      UPSTREAM_PRIVATE_HOSTS: new URL(provider.url).host,
      GITHUB_URL: provider.url,
      GITHUB_API_URL: `${provider.url}/api/v3`,
      LARK_URL: provider.url,
      DISCORD_URL: `${provider.url}/discord`,
      LINUX_DO_URL: `${provider.url}/linuxdo`,
      TELEGRAM_URL: `${provider.url}/telegram`,
      TRUSTED_PROXIES: "127.0.0.1",
      TRUSTED_SIGN_IN_HEADER: "Remote-User",
      TRUSTED_SIGN_IN_SECRET_HEADER: "X-Secret",
      TRUSTED_SIGN_IN_SECRET: proxySecret,
    },
  });
  const root = await gateway.signIn("root", password);
  const { clientId, clientSecret } = credentials;
  for (const [key, value] of Object.entries({
    GitHubClientId: clientId,
    GitHubClientSecret: clientSecret,
    GitHubOAuthEnabled: "true",
    LarkClientId: clientId,
    LarkClientSecret: clientSecret,
    ServerAddress: gateway.url,
    DiscordClientId: clientId,
    DiscordClientSecret: clientSecret,
    DiscordOAuthEnabled: "true",
    LinuxDOClientId: clientId,
    LinuxDOClientSecret: clientSecret,
    LinuxDOOAuthEnabled: "true",
    TelegramBotToken: botToken,
    TelegramOAuthEnabled: "true",
    WeChatServerAddress: `${provider.url}/wechat`,
    WeChatServerToken: clientSecret,
    WeChatAccountQRCodeImageURL: "/favicon.svg",
    WeChatAuthEnabled: "true",
  }))
    await root.call(updateOption, { body: { key, value } });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
async function openAsStranger(): Promise<void> {
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
}
beforeEach(openAsStranger);
afterEach(() => visitor.close());

const button = (name: string) => page.getByRole("button", { name, exact: true });
const self = async () => (await (await visitor.request.get(getSelf.path)).json()).data;

const consoleHeaders = () => ({ origin: gateway.url, "X-Tollgate-Console": "1" });

/** Gives the signed-in user a second factor; answers its secret. */
async function secondFactor(): Promise<string> {
  const send = async (path: string, data: object) =>
    (await (await visitor.request.post(path, { headers: consoleHeaders(), data })).json()) as {
      data: { secret: string };
    };
  const { secret } = (await send(setupTotp.path, {})).data;
  await send(confirmTotp.path, { totp_code: codeAt(secret, Date.now()) });
  return secret;
}

async function signInWithGithub(from = "/login"): Promise<void> {
  await page.goto(from);
  await button("GitHub").click();
}

describe("signing in", () => {
  test("with GitHub makes an account and leads to where one wanted to go; the next time it is found", async () => {
    provider.person = { id: 583_231, name: "octocat" };
    await signInWithGithub("/login?redirect_to=%2Ftokens%3Fkeyword%3Dci");
    await heading(page, "Tokens").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/tokens?keyword=ci");
    await page.getByText("GitHub login successful!", { exact: true }).waitFor();
    const [authorize] = provider.visits.slice(-1);
    expect(authorize?.pathname).toBe("/login/oauth/authorize");
    expect(Object.fromEntries(authorize?.searchParams ?? [])).toEqual({
      client_id: credentials.clientId,
      scope: "user:email",
      redirect_uri: `${gateway.url}/oauth/github`,
      state: expect.stringMatching(/^[\w-]{32}$/),
    });
    const first = await self();
    expect(first).toMatchObject({ username: "octocat", github_id: "583231" });

    await page.getByRole("button", { name: "Account menu" }).click();
    const loggedOut = page.waitForResponse("**/api/user/logout");
    const requestsAfterLogout: string[] = [];
    void loggedOut.then(() =>
      page.on("request", (request) => requestsAfterLogout.push(new URL(request.url()).pathname)),
    );
    await page.getByRole("menuitem", { name: "Logout" }).click();
    await button("GitHub").waitFor();
    // The list that was on the screen does not ask for its rows without a session. A part of the
    // page that loads later may still ask for its own until the server has ended the session.
    expect(requestsAfterLogout.filter((path) => path.startsWith("/api/"))).toEqual([]);
    await button("GitHub").click();
    await page.waitForURL("/");
    await page.getByText("GitHub login successful!", { exact: true }).waitFor();
    expect((await self()).uuid).toBe(first.uuid);
    expect(pageErrors).toEqual([]);
  });

  test("by the reverse proxy makes an account, which is signed out once the proxy names someone else", async () => {
    const nameInEachRequest = (person: string) =>
      visitor.setExtraHTTPHeaders({ "remote-user": person, "x-secret": proxySecret });
    await nameInEachRequest("ada");
    await page.goto("/login?redirect_to=%2Ftokens");
    await button("Single sign-on").click();
    await heading(page, "Tokens").waitFor();
    expect(await self()).toMatchObject({ username: "ada" });
    expect(pageErrors).toEqual([]);
    await nameInEachRequest("bob");
    await page.goto("/logs");
    await button("Single sign-on").waitFor();
  });

  test("without a state there is no redirect, and the page gives the reason", {
    tags: ["large"],
  }, async () => {
    await page.goto("/login");
    const before = provider.visits.length;
    await page.route("**/api/oauth/state*", (route) =>
      route.fulfill({ json: { success: false, message: "the server is tired" } }),
    );
    await button("GitHub").click();
    await page.getByRole("alert").getByText("Failed to acquire OAuth state").waitFor();
    await page.getByText("the server is tired").waitFor();
    await page.unroute("**/api/oauth/state*");
    await page.route("**/api/oauth/state*", (route) =>
      route.fulfill({ json: { success: true, message: "", data: "" } }),
    );
    await button("Lark").click();
    await page.getByText("the server is tired").waitFor({ state: "detached" });
    await page.getByRole("alert").getByText("Failed to acquire OAuth state").waitFor();
    expect([pathOf(page), provider.visits.length]).toEqual(["/login", before]);
    await inspectScreen(page, "login-external");
  });

  test("an account with a second factor asks for its code before it signs in", async () => {
    provider.person = { id: 77, name: "careful" };
    await signInWithGithub();
    await page.waitForURL("/");
    const secret = await secondFactor();

    await visitor.clearCookies();
    await page.evaluate("localStorage.clear()");
    await signInWithGithub("/login?redirect_to=/tokens");
    await page.getByText("Please enter your TOTP code", { exact: true }).waitFor();
    expect((await visitor.request.get(getSelf.path)).status()).toBe(401);
    await inspectScreen(page, "external-totp");
    const code = page.getByLabel("TOTP Code");
    await code.fill("12345");
    expect(await button("Verify TOTP").isDisabled()).toBe(true);
    await code.fill(codeAt(secret, Date.now() - 3_600_000));
    await button("Verify TOTP").click();
    await page.getByRole("alert").getByText("The TOTP code is incorrect").waitFor();
    // The code of enrolment is used up, so the next one is taken; a second has to pass between two
    // tries.
    await expect
      .poll(
        async () => {
          if (pathOf(page).startsWith("/tokens")) return "in";
          await code.fill(codeAt(secret, Date.now() + 30_000));
          await button("Verify TOTP").click();
          return "asked";
        },
        { timeout: 20_000, interval: 1_200 },
      )
      .toBe("in");
    await page.getByText("GitHub login successful!", { exact: true }).waitFor();
  });
});

test("a signed-in user binds Lark in the settings and finds it there", async () => {
  provider.person = { id: 4711, name: "Wang Fang" };
  await page.goto("/login");
  await signIn(page, "root", password);
  await heading(page, "Dashboard").waitFor();
  await page.goto("/settings");
  await button("Bind Lark").click();
  await page.getByText("Lark account bound successfully!", { exact: true }).waitFor();
  await expect.poll(() => pathOf(page)).toBe("/settings");
  await button("Unbind Lark").waitFor();
  await page.getByText("Wang Fang", { exact: true }).waitFor();
  expect((await self()).lark_id).toBe("ou_4711");
  const [authorize] = provider.visits.slice(-1);
  expect(authorize?.pathname).toBe("/open-apis/authen/v1/authorize");
  expect([...(authorize?.searchParams.keys() ?? [])].sort()).toEqual([
    "app_id",
    "redirect_uri",
    "state",
  ]);
  expect(pageErrors).toEqual([]);
});

test("a user signs in with Discord, binds LinuxDO and signs in with that", {
  tags: ["variant"],
}, async () => {
  provider.person = { id: 900_100, name: "nelly" };
  await page.goto("/login?redirect_to=%2Fsettings");
  await inspectScreen(page, "login-every-provider");
  await button("Discord").click();
  await page.getByText("Discord login successful!", { exact: true }).waitFor();
  await expect.poll(() => pathOf(page)).toBe("/settings");
  const first = await self();
  expect(first).toMatchObject({ username: "nelly", display_name: "nelly G" });
  await button("Bind LinuxDO").click();
  await page.getByText("LinuxDO account bound successfully!", { exact: true }).waitFor();
  await button("Unbind LinuxDO").waitFor();

  expect(pageErrors).toEqual([]);
  await visitor.close();
  await openAsStranger();
  await page.goto("/login");
  await button("LinuxDO").click();
  await page.getByText("LinuxDO login successful!", { exact: true }).waitFor();
  expect((await self()).uuid).toBe(first.uuid);
  expect(pageErrors).toEqual([]);
});

test("a user signs in with Telegram, whose result no server sees in an address, and binds WeChat by its code", {
  tags: ["variant"],
}, async () => {
  provider.person = { id: 900_200, name: "tess" };
  await page.goto("/login?redirect_to=%2Fsettings");
  await button("Telegram").click();
  await page.getByText("Telegram login successful!", { exact: true }).waitFor();
  await expect.poll(() => pathOf(page)).toBe("/settings");
  const first = await self();
  expect(first.username).toBe("tess");
  await button("Bind WeChat").click();
  await page.getByLabel("Code from WeChat").fill(provider.wechatCode);
  await button("Continue").click();
  await page.getByText("WeChat account bound successfully!", { exact: true }).waitFor();
  await button("Unbind WeChat").waitFor();

  expect(pageErrors).toEqual([]);
  await visitor.close();
  await openAsStranger();
  await page.goto("/login");
  await button("WeChat").click();
  const code = page.getByLabel("Code from WeChat");
  await code.waitFor();
  await page.getByRole("img", { name: "QR code of the official account" }).waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("code");
  expect(await button("Continue").isDisabled()).toBe(true);
  await inspectScreen(page, "wechat-code");
  await code.fill("000000");
  await code.press("Enter");
  await page
    .getByText("WeChat authentication failed. Please try again.", { exact: true })
    .waitFor();
  await button("WeChat").click();
  provider.wechatCode = "730113";
  await code.fill(provider.wechatCode);
  await code.press("Enter");
  await page.getByText("WeChat login successful!", { exact: true }).waitFor();
  expect((await self()).uuid).toBe(first.uuid);
  expect(pageErrors).toEqual([]);
});

test("an account without a password proves with another sign-in, or with a code of its second factor", async () => {
  provider.person = { id: 90, name: "wordless" };
  await signInWithGithub("/login?redirect_to=/settings");
  await heading(page, "Settings").waitFor();
  const card = page.getByRole("region", { name: "Profile", exact: true });
  const asked = page.getByRole("dialog", { name: "Confirm it is you" });
  await page.route("**/api/user/self", async (route) => {
    if (route.request().method() !== "PUT") return route.continue();
    const { totp_code, current_password } = route.request().postDataJSON();
    // As the gateway answers ten minutes later.
    if ((totp_code ?? current_password) === undefined)
      return route.fulfill({ json: { success: false, message: "", code: "reauth_required" } });
    await route.continue();
  });
  await card.getByLabel("Email").fill("wordless@example.org");
  await card.getByRole("button", { name: "Update profile" }).click();
  await asked.getByText(/This account has no password/).waitFor();
  await inspectScreen(page, "proof-by-sign-in");
  await asked.getByRole("button", { name: "Sign in again" }).click();
  await page.getByText(/^Sign in again with your provider/).waitFor();
  await expect.poll(() => pathOf(page)).toBe("/login?redirect_to=%2Fsettings");
  await button("GitHub").click();
  await heading(page, "Settings").waitFor();

  const secret = await secondFactor();
  await page.reload();
  await card.getByLabel("Email").fill("wordless@example.org");
  await card.getByRole("button", { name: "Update profile" }).click();
  await asked.getByLabel("TOTP Code").waitFor();
  expect(await asked.getByLabel("Current password").count()).toBe(0);
  // A second has to pass between two tries, and enrolment was one.
  await expect
    .poll(
      async () => {
        await asked.getByLabel("TOTP Code").fill(codeAt(secret, Date.now() - 3_600_000));
        await asked.getByRole("button", { name: "Confirm" }).click();
        return asked.getByRole("alert").innerText();
      },
      { timeout: 20_000, interval: 1_200 },
    )
    .toContain("The TOTP code is incorrect");
  // The code of enrolment is used up, so the next one is taken.
  await expect
    .poll(
      async () => {
        if (await asked.isHidden()) return "done";
        await asked.getByLabel("TOTP Code").fill(codeAt(secret, Date.now() + 30_000));
        await asked.getByRole("button", { name: "Confirm" }).click();
        return "asked";
      },
      { timeout: 20_000, interval: 1_200 },
    )
    .toBe("done");
  await page.getByText("Profile updated").waitFor();
  expect((await self()).email).toBe("wordless@example.org");

  // With a password either will do.
  await visitor.request.put(getSelf.path, { headers: consoleHeaders(), data: { password } });
  await page.reload();
  await card.getByLabel("Email").fill("");
  await card.getByRole("button", { name: "Update profile" }).click();
  await asked.getByLabel("Current password").waitFor();
  await asked.getByRole("button", { name: "Use a code instead" }).click();
  await asked.getByLabel("TOTP Code").waitFor();
  await inspectScreen(page, "proof-by-either");
  await asked.getByRole("button", { name: "Use the password instead" }).click();
  await asked.getByLabel("Current password").fill(password);
  await asked.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Profile updated").waitFor();
});

describe("coming back", () => {
  testVariants([
    ["/oauth/github?code=abc", "GitHub"],
    ["/oauth/github", "GitHub"],
    ["/oauth/lark?state=abc", "Lark"],
    ["/oauth/lark?error=access_denied&state=abc", "Lark"],
    ["/oauth/discord?error=access_denied&state=abc", "Discord"],
  ])("with missing parameters (%s) leads to the sign-in", async ([path = "", name]) => {
    await page.goto(path);
    const message = `Invalid ${name} authentication parameters`;
    await page.getByRole("alert").getByText(message, { exact: true }).waitFor();
    await expect.poll(() => pathOf(page)).toBe("/login");
  });

  test.each([
    ["github", "GitHub"],
    ["lark", "Lark"],
  ])(
    "from %s, failures are retried after 2, 4 and 6 seconds and then shown on the sign-in page",
    { tags: ["variant"] },
    async (path, name) => {
      let asked = 0;
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(`**/api/oauth/${path}?*`, async (route) => {
        asked += 1;
        if (asked === 1) await held;
        await route.fulfill({ json: { success: false, message: `no luck ${asked}` } });
      });
      await page.clock.install();
      // The page's clock must not move while this waits for its reply.
      const arrived = page.waitForResponse("**/api/status");
      await page.goto(`/oauth/${path}?code=abc&state=redirect_to=/tokens`);
      await page.getByText(`Processing ${name} authentication...`, { exact: true }).waitFor();
      await arrived;
      // From here on the page's clock advances only when the test moves it.
      await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 1000);
      release();
      for (const [retry, seconds] of [
        [1, 2],
        [2, 4],
        [3, 6],
      ] as const) {
        await page
          .getByText(`Authentication error, retrying ${retry}/3...`, { exact: true })
          .waitFor();
        await page.getByText(`no luck ${retry}`, { exact: true }).waitFor();
        await page.clock.runFor(seconds * 1000 - 1);
        expect(asked).toBe(retry);
        await page.clock.runFor(1);
        await expect.poll(() => asked).toBe(retry + 1);
      }
      await page.getByText("Authentication failed, redirecting...", { exact: true }).waitFor();
      await page.clock.runFor(1999);
      expect(new URL(page.url()).pathname).toBe(`/oauth/${path}`);
      await page.clock.resume();
      await page
        .getByText(`${name} authentication failed. Please try again.`, { exact: true })
        .waitFor();
      await expect.poll(() => pathOf(page)).toBe("/login");
      expect(pageErrors).toEqual([]);
    },
  );

  test("with a state of another browser is refused; the screen is accessible", async () => {
    let asked = 0;
    await page.route("**/api/oauth/github?*", async (route) => {
      asked += 1;
      // The second try never ends, so that the screen stays as it is.
      if (asked === 1) await route.continue();
    });
    await page.goto(
      `/oauth/github?code=${provider.codeFor(provider.person)}&state=of-another-browser`,
    );
    await page.getByText("Authentication error, retrying 1/3...", { exact: true }).waitFor();
    await page.getByText(/started in another browser/).waitFor();
    expect((await visitor.request.get(getSelf.path)).status()).toBe(401);
    await expect.poll(() => asked, { timeout: 15_000 }).toBe(2);
    await inspectScreen(page, "external-callback");
  });

  test("other servers hand the way back through in the state", { tags: ["large"] }, async () => {
    await page.route("**/api/oauth/github?*", (route) =>
      route.fulfill({ json: { success: true, message: "", data: { username: "mira", role: 1 } } }),
    );
    await page.route("**/api/user/self", (route) =>
      route.fulfill({ json: { success: true, data: { role: 1 } } }),
    );
    for (const [state, path] of [
      ["abc redirect_to=/login", "/"],
      ["abcredirect_to=//evil.example", "/"],
      ["abcredirect_to=/models", "/models"],
    ]) {
      await page.goto(`/oauth/github?${new URLSearchParams({ code: "abc", state: state ?? "" })}`);
      await page.waitForURL(path ?? "");
    }
  });
});
