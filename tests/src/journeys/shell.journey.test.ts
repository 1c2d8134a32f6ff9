import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { testVariants } from "../support/variants.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import {
  collectPageErrors,
  heading,
  navigationLink,
  openPage,
  openSignedIn,
  pathOf,
  signIn,
} from "./console-pages.ts";
import { waitUntilStill } from "./inspect-page.ts";

let gateway: TestGateway;
let visitor: BrowserContext;
let page: Page;
let pageErrors: string[];

const password = "correct horse battery";
const phone = { width: 375, height: 800 };
const inWindow = <T>(script: string): Promise<T> => page.evaluate<T>(script);
const theme = () => inWindow<string>("document.documentElement.dataset.theme");
const focused = () => inWindow<string>("document.activeElement.textContent.trim()");

beforeAll(async () => {
  // An operator who supplies the password need not change it.
  gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  visitor = await gateway.newContext();
  page = await openPage(visitor);
  pageErrors = collectPageErrors(page);
});
afterEach(() => visitor.close());

async function signInAtOnce(): Promise<void> {
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/dashboard" });
  await heading(page, "Dashboard").waitFor();
}

describe("signing in", () => {
  test("visitors of the dashboard read what they sign in for, and get there", async () => {
    const asked = page.getByText("Please log in to access the dashboard", { exact: true });
    await page.goto("/tokens");
    await heading(page, "Sign In to Tollgate").waitFor();
    expect(await asked.count()).toBe(0);
    await page.goto("/dashboard");
    await asked.waitFor();
    await signIn(page, "root", password);
    await heading(page, "Dashboard").waitFor();
    // Signed out in another tab, it says so too.
    await inWindow(
      "localStorage.removeItem('user'), localStorage.removeItem('auth-storage'), dispatchEvent(new StorageEvent('storage', { key: 'user' }))",
    );
    await asked.waitFor();
    expect(pathOf(page)).toBe("/login?redirect_to=%2Fdashboard");
    expect(pageErrors).toEqual([]);
  });

  test("empty fields and a wrong password are reported in place, and what was typed stays", async () => {
    await page.goto("/login");
    await page.getByRole("heading", { level: 1, name: /^Sign In/ }).waitFor();
    await page.getByRole("button", { name: "Sign In" }).click();
    await page.getByText("Username is required", { exact: true }).waitFor();
    await page.getByText("Password is required", { exact: true }).waitFor();
    const username = page.getByLabel("Username");
    expect(await username.getAttribute("aria-invalid")).toBe("true");
    expect(await inWindow("document.activeElement.name")).toBe("username");

    await username.fill("root");
    expect(await page.getByText("Username is required").count()).toBe(0);
    await page.getByLabel("Password").fill("not this one");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert");
    await alert.getByText("Username or password is incorrect").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/login");
    expect(await username.inputValue()).toBe("root");
    expect(pageErrors).toEqual([]);
  });

  test("a gateway that cannot answer is reported as such", { tags: ["large"] }, async () => {
    await page.goto("/login");
    await page.route("**/api/user/login", (route) => route.abort("connectionrefused"));
    await signIn(page, "root", password);
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("button", { name: "Sign In" }).isEnabled()).toBe(true);
    await page.unroute("**/api/user/login");
    await page.getByRole("button", { name: "Sign In" }).click();
    // A password that the operator supplied need not be changed first.
    await heading(page, "Dashboard").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/dashboard");
  });

  test.each([
    ["/tokens?keyword=ci", "/tokens?keyword=ci"],
    ["//evil.example/x", "/dashboard"],
  ])("after it, redirect_to %s leads to %s", { tags: ["F-11"] }, async (wanted, path) => {
    await page.goto(`/login?redirect_to=${encodeURIComponent(wanted)}`);
    await signIn(page, "root", password);
    await expect.poll(() => pathOf(page)).toBe(path);
    await heading(page, path === "/dashboard" ? "Dashboard" : "Tokens").waitFor();
    expect(new URL(page.url()).origin).toBe(gateway.url);
    expect(pageErrors).toEqual([]);
  });
});

describe("the session", () => {
  testVariants(
    [
      ...[
        "/tokens/edit/1",
        "/logs?type=2",
        "/dashboard",
        "/tokens/add",
        "/channels",
        "/users/edit",
      ],
      ...["/about", "/chat", "/settings"],
    ],
    { narrow: 2 },
  )("without one, %s asks for the sign-in and replaces itself in the history", async (path) => {
    await page.goto("/no/such/page");
    await page.goto(path);
    await expect.poll(() => pathOf(page)).toBe(`/login?redirect_to=${encodeURIComponent(path)}`);
    await page.goBack();
    await heading(page, "Page not found").waitFor();
  });

  test("when it ends on the server, the next call leads to the sign-in and back", async () => {
    await signInAtOnce();
    // A part of the dashboard that still loads would end the session there.
    await page.waitForLoadState("networkidle");
    await visitor.clearCookies();
    await page.goto("/tokens");
    await expect.poll(() => pathOf(page)).toBe("/login?redirect_to=%2Ftokens");
    await page.getByText("Your session has ended. Sign in to continue.").waitFor();
    expect(await inWindow("localStorage.getItem('user')")).toBeNull();
    await signIn(page, "root", password);
    await heading(page, "Tokens").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/tokens");
  });

  test("what was typed in a form when it ends is there again after the sign-in, without secrets", async () => {
    await signInAtOnce();
    await page.goto("/users/add");
    // A part of the page that still loads would end the session before the form is sent.
    await page.waitForLoadState("networkidle");
    await page.getByLabel("Username").fill("newcomer");
    await page.getByLabel("Password", { exact: true }).fill("correct horse");
    await visitor.clearCookies();
    await page.getByRole("button", { name: "Create User" }).click();
    await expect.poll(() => pathOf(page)).toBe("/login?redirect_to=%2Fusers%2Fadd");
    expect(await inWindow("sessionStorage.getItem('form-draft')")).not.toContain("correct horse");
    await signIn(page, "root", password);
    await heading(page, "Create User").waitFor();
    await page.getByText("Your unsaved input from before the session ended is back").waitFor();
    expect(await page.getByLabel("Username").inputValue()).toBe("newcomer");
    expect(await page.getByLabel("Password", { exact: true }).inputValue()).toBe("");
    expect(await inWindow("sessionStorage.getItem('form-draft')")).toBeNull();
  });

  // session-end.test.ts has every answer that ends it.
  test("ends with an answer that says so, and the way back is kept", {
    tags: ["large"],
  }, async () => {
    await signInAtOnce();
    const answer = { success: false, message: "You are not logged in." };
    await page.route("**/api/token/?*", (route) => route.fulfill({ json: answer }));
    await page.goto("/tokens?size=20");
    await expect
      .poll(() => pathOf(page))
      .toBe(`/login?redirect_to=${encodeURIComponent("/tokens?size=20")}`);
    for (const key of ["user", "token", "auth-storage"])
      expect(await inWindow(`localStorage.getItem("${key}")`), key).toBeNull();
  });

  test("that has ended is forgotten on a public page without leaving it", {
    tags: ["large"],
  }, async () => {
    await signInAtOnce();
    await visitor.clearCookies();
    await page.goto("/models");
    await page.getByRole("banner").getByRole("link", { name: "Login" }).waitFor();
    await expect.poll(() => pathOf(page)).toBe("/models");
    expect(await inWindow("localStorage.getItem('user')")).toBeNull();
  });

  test("signing out ends it on the server, in this tab and in the others", async () => {
    await signInAtOnce();
    const other = await openPage(visitor);
    await other.goto("/tokens");
    await heading(other, "Tokens").waitFor();

    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Logout" }).click();
    await expect.poll(() => pathOf(page)).toBe("/login");
    expect((await visitor.request.get(getSelf.path)).status()).toBe(401);
    await expect.poll(() => pathOf(other)).toMatch(/^\/login/);
    await page.getByRole("link", { name: "Login" }).waitFor();
    expect(await page.getByRole("navigation", { name: "Main" }).count()).toBe(0);
  });

  test("signing out works although the gateway does not answer", { tags: ["large"] }, async () => {
    await signInAtOnce();
    await page.route("**/api/user/logout", (route) => route.abort("connectionrefused"));
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Logout" }).click();
    await expect.poll(() => pathOf(page)).toBe("/login");
    expect(await inWindow("localStorage.getItem('user')")).toBeNull();
  });
});

describe("the navigation", () => {
  test("root finds every page that exists, in the order of the specification, and only the own one is marked", async () => {
    await signInAtOnce();
    await navigationLink(page, "Dashboard").waitFor();
    const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
    const names = await links.allInnerTexts();
    const specified =
      "Dashboard Channels Tokens Logs Users Redemptions Top Up Models Playground Chat About Settings";
    const order = names.map((name) => specified.indexOf(name.trim()));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(names.map((name) => name.trim())).toEqual(
      expect.arrayContaining(["Dashboard", "Channels", "Tokens", "Logs"]),
    );

    for (const [path, current] of [
      ["/tokens", ["Tokens"]],
      ["/tokens?keyword=x", ["Tokens"]],
      ["/tokens/add", []],
      ["/channels", ["Channels"]],
    ] as const) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect
        .poll(
          () =>
            page
              .getByRole("navigation", { name: "Main" })
              .locator("[aria-current=page]")
              .allInnerTexts(),
          {
            message: path,
          },
        )
        .toEqual(current);
    }
    expect(pageErrors).toEqual([]);
  });

  test("below 1,280 px the words stand under the icons, below 1,024 px a menu button takes over", {
    tags: ["large"],
  }, async () => {
    await signInAtOnce();
    await page.setViewportSize({ width: 1100, height: 800 });
    const link = navigationLink(page, "Tokens");
    const [icon, word] = await Promise.all([
      link.locator("svg").boundingBox(),
      link.locator("span").boundingBox(),
    ]);
    expect(word?.y).toBeGreaterThanOrEqual((icon?.y ?? 0) + (icon?.height ?? 0));
    await page.setViewportSize({ width: 1023, height: 800 });
    await page.getByRole("button", { name: "Open navigation menu" }).waitFor();
    expect(await navigationLink(page, "Tokens").isVisible()).toBe(false);
  });

  test("the first Tab offers to skip it", { tags: ["large"] }, async () => {
    await signInAtOnce();
    await page.goto("/tokens");
    await heading(page, "Tokens").waitFor();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await inWindow("document.activeElement.id")).toBe("main");
    await page.keyboard.press("Tab");
    expect(await inWindow("document.querySelector('main').contains(document.activeElement)")).toBe(
      true,
    );
  });

  test("the second Tab of a list offers to skip to its first row", {
    tags: ["large"],
  }, async () => {
    await signInAtOnce();
    await page.goto("/users");
    await page.getByRole("row", { name: "root" }).waitFor();
    const skip = page.getByText("Skip to the results");
    await skip.waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the results");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await inWindow("document.activeElement.closest('tbody tr')?.rowIndex")).toBe(1);
    // A page without a list has nothing to skip to.
    await page.goto("/users/add");
    await heading(page, "Create User").waitFor();
    await skip.waitFor({ state: "attached" });
    expect(await skip.isVisible()).toBe(false);
  });
});

describe("the drawer on a phone", () => {
  const drawer = () => page.getByRole("dialog", { name: "Navigation" });
  const opener = () => page.getByRole("button", { name: "Open navigation menu" });
  const scrolledTo = () => inWindow<number>("scrollY");

  beforeEach(async () => {
    await page.setViewportSize(phone);
    await signInAtOnce();
    await opener().click();
    await drawer().waitFor();
  });

  test("comes from the left, lists the entries, marks the one that is shown", async () => {
    // It slides in.
    await expect
      .poll(() => drawer().boundingBox())
      .toMatchObject({ x: 0, y: 0, height: phone.height });
    expect((await drawer().boundingBox())?.width).toBeLessThan(phone.width);
    const links = drawer().getByRole("link");
    expect(await links.allInnerTexts()).toEqual(
      expect.arrayContaining(["Dashboard", "Channels", "Tokens", "Logs"]),
    );
    expect(await drawer().locator("[aria-current=page]").allInnerTexts()).toEqual(["Dashboard"]);
    await drawer().getByRole("link", { name: "Tokens" }).click();
    await heading(page, "Tokens").waitFor();
    await drawer().waitFor({ state: "hidden" });
    expect(pageErrors).toEqual([]);
  });

  test("closes on Escape, its backdrop and its close button, and gives the focus back", {
    tags: ["large"],
  }, async () => {
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => page.mouse.click(phone.width - 10, 400),
      () => drawer().getByRole("button", { name: "Close navigation menu" }).click(),
    ]) {
      if (!(await drawer().isVisible())) await opener().click();
      await drawer().waitFor();
      await close();
      await drawer().waitFor({ state: "hidden" });
      await expect
        .poll(() => inWindow("document.activeElement.getAttribute('aria-label')"))
        .toBe("Open navigation menu");
    }
  });

  test("keeps the page behind it still", { tags: ["large"] }, async () => {
    await page.mouse.move(phone.width - 20, 400);
    await page.mouse.wheel(0, 600);
    // Two frames: a page that scrolls has done so by then.
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    expect(await scrolledTo()).toBe(0);
    await page.keyboard.press("Escape");
    await drawer().waitFor({ state: "hidden" });
    await page.mouse.wheel(0, 600);
    await expect.poll(scrolledTo).toBeGreaterThan(0);
  });

  test("has Logout at its foot, over its whole width", { tags: ["large"] }, async () => {
    const logout = drawer().getByRole("button", { name: "Logout" });
    const [inside, around] = [await logout.boundingBox(), await drawer().boundingBox()];
    expect((inside?.y ?? 0) + (inside?.height ?? 0)).toBeGreaterThan(phone.height - 40);
    expect(inside?.width).toBeGreaterThan((around?.width ?? 0) * 0.85);
    await logout.click();
    await expect.poll(() => pathOf(page)).toBe("/login");
  });

  test("gives way to the bar when the window grows", { tags: ["large"] }, async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await drawer().waitFor({ state: "hidden" });
    await navigationLink(page, "Tokens").click();
    await heading(page, "Tokens").waitFor();
  });
});

describe("the theme", () => {
  const choose = async (name: string) => {
    await page.getByRole("button", { name: "Theme" }).click();
    await page.getByRole("menuitemradio", { name, exact: true }).click();
  };

  test("follows the system until one is chosen, and the choice outlives a reload and a sign-out", async () => {
    await signInAtOnce();
    expect(await theme()).toBe("light");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(theme).toBe("dark");

    await choose("Light");
    expect(await theme()).toBe("light");
    await page.reload();
    expect(await theme()).toBe("light");
    await choose("Dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Logout" }).click();
    await expect.poll(() => pathOf(page)).toBe("/login");
    await page.reload();
    expect(await theme()).toBe("dark");

    await choose("System");
    expect(await theme()).toBe("light");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(theme).toBe("dark");
    expect(pageErrors).toEqual([]);
  });

  test("is right before the first paint", { tags: ["large"] }, async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    // Without the console's code: only what the document itself brings along.
    await page.route("**/assets/*.js", (route) => route.abort());
    await page.goto("/login");
    expect(await theme()).toBe("dark");
  });

  test("can be chosen by keyboard alone, with motion and without", {
    tags: ["large"],
  }, async () => {
    await page.goto("/login");
    await expect.poll(() => inWindow("document.activeElement.name")).toBe("username");
    for (const [reducedMotion, before, key, after] of [
      ["no-preference", "System", "ArrowUp", "dark"],
      ["reduce", "Dark", "ArrowUp", "light"],
    ] as const) {
      await page.emulateMedia({ reducedMotion });
      await page.getByRole("button", { name: "Theme" }).focus();
      await page.keyboard.press("Enter");
      const chosen = page.getByRole("menuitemradio", { name: before });
      await chosen.and(page.locator("[aria-checked=true]")).waitFor();
      await expect.poll(() => inWindow("document.activeElement.role")).toBe("menuitemradio");
      await page.keyboard.press(key);
      await page.keyboard.press("Enter");
      await expect.poll(theme).toBe(after);
      await page.getByRole("menu").waitFor({ state: "detached" });
      await expect
        .poll(() => inWindow("document.activeElement.getAttribute('aria-label')"))
        .toBe("Theme");
    }
  });
});

describe("the frame of every page", () => {
  const banner = () => page.getByRole("banner");
  const boxOf = (part: Locator) => part.boundingBox();

  const visitorPages = {
    "/": "Home",
    "/login": "Sign In",
    "/models": "Models",
    "/no/such/page": "Page not found",
  };
  const ownPages = {
    "/dashboard": "Dashboard",
    "/tokens": "Tokens",
    "/about": "About",
    "/chat": "Chat",
  };
  test.each([
    ["visitors", visitorPages],
    ["a signed-in user", ownPages],
  ])("has a title, a header of 4 rem that leads home, and a footer, for %s", async (who, pages) => {
    if (who !== "visitors") await signInAtOnce();
    for (const [path, title] of Object.entries(pages)) {
      await page.goto(path);
      await expect.poll(() => page.title(), { message: path }).toBe(`${title} · Tollgate`);
      expect(await boxOf(banner())).toMatchObject({ x: 0, y: 0, height: 64 });
      await page
        .getByRole("contentinfo")
        .getByText(/© \d{4} Tollgate. All rights reserved/)
        .waitFor();
      await banner().getByRole("link", { name: "Tollgate Home" }).click();
      await expect.poll(() => pathOf(page), { message: path }).toBe("/");
    }
  });

  test("shows who is signed in from 768 px, at most 8 rem of a name, and reads it out below that", {
    tags: ["large"],
  }, async () => {
    await signInAtOnce();
    // An account that arrives later would replace the stored one.
    await page.waitForLoadState("networkidle");
    const user = JSON.stringify({ username: "a-name-that-goes-on-and-on-and-on", role: 1 });
    await inWindow(`localStorage.setItem("user", ${JSON.stringify(user)})`);
    await page.route("**/api/user/self", (route) => route.abort());
    await page.reload();
    const name = banner().getByText("a-name-that-goes-on-and-on-and-on");
    for (const [width, least, most] of [
      [1440, 60, 128],
      [1280, 60, 128],
      [1024, 60, 128],
      [768, 60, 128],
      [767, 0, 1],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(async () => (await boxOf(name))?.width ?? -1, { message: `${width}` })
        .toBeLessThanOrEqual(most);
      expect((await boxOf(name))?.width, `${width}`).toBeGreaterThanOrEqual(least);
    }
    await banner()
      .getByRole("button", { name: /Account menu/ })
      .waitFor();
  });

  test("visitors see the links to sign in and register, and nothing of the navigation", async () => {
    await page.goto("/");
    await banner().getByRole("link", { name: "Login" }).waitFor();
    await banner().getByRole("link", { name: "Register" }).waitFor();
    expect(await page.getByRole("navigation", { name: "Main" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Open navigation menu" }).count()).toBe(0);
  });

  test("at no width anything in the header covers anything else", { tags: ["large"] }, async () => {
    await signInAtOnce();
    await navigationLink(page, "Tokens").waitFor();
    // A status that arrives later would replace the stored one.
    await page.waitForLoadState("networkidle");
    // With an entry for each feature, and the bell.
    await inWindow(`localStorage.setItem("status", JSON.stringify(
      { ...JSON.parse(localStorage.getItem("status")), chat_link: "https://chat.example.com" }))`);
    await page.route("**/api/status", (route) => route.abort());
    await page.reload();
    await navigationLink(page, "Chat").waitFor();
    const overflowing = `[...document.querySelectorAll("header a, header button")]
      .filter((part) => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent)`;
    const cut = `[...document.querySelectorAll("header .truncate")]
      .filter((part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth).map((part) => part.textContent)`;
    for (const width of [1024, 1280, 1440, 1536, 1600]) {
      await page.setViewportSize({ width, height: 800 });
      await waitUntilStill(page);
      // All at one moment: what still arrives moves the others.
      const edges = await banner()
        .locator("a, button")
        .filter({ visible: true })
        .evaluateAll((parts) =>
          parts.map((part) => part.getBoundingClientRect()).map(({ left, right }) => [left, right]),
        );
      const sorted = edges.toSorted(([a], [b]) => a - b);
      for (const [index, [left = 0]] of sorted.entries())
        expect(left, `part ${index} at ${width} px`).toBeGreaterThanOrEqual(
          sorted[index - 1]?.[1] ?? 0,
        );
      expect(sorted.at(-1)?.[1], `${width} px`).toBeLessThanOrEqual(width);
      expect(await inWindow(overflowing), `${width} px`).toEqual([]);
      expect(await inWindow(cut), `${width} px`).toEqual([]);
    }
  });

  test("the status is kept for the next start, and what it no longer contains is dropped", {
    tags: ["large"],
  }, async () => {
    await page.goto("/login");
    const kept = (key: string) => inWindow<string | null>(`localStorage.getItem("${key}")`);
    await expect.poll(() => kept("system_name")).toBe("Tollgate");
    expect(await kept("quota_per_unit")).toBe("500000");
    await inWindow(`localStorage.setItem("top_up_link", "https://old.example.com")`);
    await page.reload();
    await expect.poll(() => kept("top_up_link")).toBeNull();
    await inWindow(`localStorage.setItem("status", JSON.stringify({ system_name: "Kept" }))`);
    await page.route("**/api/status", (route) => route.abort());
    await page.reload();
    await heading(page, "Sign In to Kept").waitFor();
  });

  test("a page whose code cannot be loaded shows that and offers ways on", async () => {
    await signInAtOnce();
    await page.route("**/assets/token-list-page*.js", (route) => route.abort());
    await page.goto("/tokens");
    await heading(page, "This page could not be shown").waitFor();
    await page.getByRole("link", { name: "Go to the start" }).click();
    await expect.poll(() => pathOf(page)).toBe("/");
    await heading(page, "Tollgate").waitFor();
  });

  test("an unknown address shows a page that leads back", { tags: ["large"] }, async () => {
    await page.goto("/no/such/page");
    await heading(page, "Page not found").waitFor();
    await page.getByRole("link", { name: "Go to the start" }).click();
    await heading(page, "Tollgate").waitFor();
  });
});

test("who is called otherwise since the last visit still gets the list that was on its way", {
  tags: ["large"],
}, async () => {
  await signInAtOnce();
  const listAsked = Promise.withResolvers<void>();
  const accountArrived = Promise.withResolvers<void>();
  await page.route("**/api/user/self", async (route) => {
    const reply = await (await route.fetch()).json();
    await listAsked.promise;
    await route.fulfill({ json: { ...reply, data: { ...reply.data, username: "renamed" } } });
    accountArrived.resolve();
  });
  await page.route("**/api/token/?*", async (route) => {
    listAsked.resolve();
    await accountArrived.promise;
    // The page has read by then who it is for.
    await expect.poll(() => inWindow<string>('localStorage.getItem("user")')).toContain("renamed");
    await route.continue().catch(() => undefined);
  });
  await page.goto("/tokens");
  await page
    .getByText("No tokens found. Create your first token to get started.", { exact: true })
    .waitFor();
});
