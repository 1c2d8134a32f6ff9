// From the printed password to the trace of the first call, counted as a newcomer goes, and what
// helps on the way.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DatabaseKind } from "../harness/gateway-database.ts";
import { printedPassword, type TestGateway } from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { choosePassword, collectPageErrors, heading, openPage, signIn } from "./console-pages.ts";
import { countSteps } from "./count-steps.ts";
import { accessibilityViolations, inspectScreen } from "./inspect-page.ts";

const password = "correct horse battery";
const clicksMax = 7;
const screensMax = 4;

describeVariants<DatabaseKind>(["sqlite", "postgres"])("on %s", (store) => {
  let gateway: TestGateway;
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    gateway = await startBrowserGateway({ store, printsRootPassword: true });
    page = await openPage(await gateway.newContext());
    pageErrors = collectPageErrors(page);
  });
  afterAll(() => gateway.close());

  test("the first call is seven clicks and four screens away from the printed password", async () => {
    const steps = await countSteps(page);
    await page.goto("/login");
    await signIn(page, "root", await printedPassword(gateway.process));
    await heading(page, "Change password").waitFor();
    await choosePassword(page, password);

    await heading(page, "Connect a provider").waitFor();
    await page.getByLabel("API Key", { exact: true }).fill("sim-ok");
    await page.getByLabel("Base URL").fill(gateway.simulator.url);
    await expect.poll(() => page.getByLabel("Provider", { exact: true }).inputValue()).toBe("50");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText(/answered in \d/).waitFor();
    expect(await page.getByRole("checkbox", { checked: true }).count()).toBeGreaterThan(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Add channel" }).click();
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByText("Waiting for a call with this key").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Send a first call" }).click();
    await page.getByText("The first call arrived").waitFor();
    await page.getByRole("link", { name: "Show trace" }).click();
    const trace = page.getByRole("dialog", { name: "Request Trace" });
    await trace.getByRole("region", { name: "Price" }).waitFor();

    expect(steps.clicks()).toBeLessThanOrEqual(clicksMax);
    expect(steps.screens()).toEqual(["/login", "/users/edit", "/channels/connect", "trace"]);
    expect(steps.screens().length).toBeLessThanOrEqual(screensMax);
    await page.goto("/channels");
    await page
      .getByRole("row", { name: /127\.0\.0\.1/ })
      .getByText("Works", { exact: true })
      .waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe("on the way", () => {
  let gateway: TestGateway;
  let page: Page;
  let pageErrors: string[];

  beforeAll(async () => {
    gateway = await startBrowserGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
    const visitor = await gateway.newContext({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    page = await openPage(visitor);
    pageErrors = collectPageErrors(page);
    await page.goto("/login");
    await signIn(page, "root", password);
    await heading(page, "Dashboard").waitFor();
  });
  afterAll(() => gateway.close());

  const connect = async (key: string, address: string) => {
    await page.goto("/channels/connect");
    await page.getByLabel("API Key", { exact: true }).fill(key);
    await page.getByLabel("Base URL").fill(address);
    await page.getByRole("button", { name: "Connect", exact: true }).click();
  };

  test("the dashboard lists the first steps until there is something to measure", {
    tags: ["large"],
  }, async () => {
    const steps = page.getByRole("region", { name: "First steps" });
    await expect.poll(() => steps.getByRole("listitem").count()).toBe(3);
    await steps.getByRole("link", { name: "Connect" }).click();
    await heading(page, "Connect a provider").waitFor();
  });

  test("a provider is chosen by a press, and recognised by its key", async () => {
    await page.goto("/channels/connect");
    const tiles = page.getByRole("group", { name: "Usual providers" });
    const isPressed = (name: string) =>
      tiles.getByRole("button", { name, exact: true, pressed: true }).waitFor();
    await tiles.getByRole("button", { name: "Anthropic", exact: true }).click();
    await isPressed("Anthropic");
    expect(await page.getByLabel("Provider", { exact: true }).inputValue()).toBe("14");
    await page.getByLabel("API Key", { exact: true }).fill("sk-or-v1-0123456789");
    await isPressed("OpenRouter");
    await inspectScreen(page, "connect with tiles");
  });

  test.each([
    [
      "a refused address",
      "sim-ok",
      () => "http://10.1.2.3:8080",
      "Calls to this address will be refused",
      "UPSTREAM_PRIVATE_HOSTS",
    ],
    [
      "an address without a server",
      "sim-ok",
      () => "https://api.exampl.invalid",
      "No call with this account succeeded",
      "The address does not exist",
    ],
    [
      "a refused key",
      "sim-fail-401",
      () => gateway.simulator.url,
      "No call with this account succeeded",
      "The provider refused the key (401)",
    ],
  ])(
    "%s is said in words before anything is saved",
    { tags: ["large"] },
    async (_, key, address, title, words) => {
      await connect(key, address());
      await page.getByText(title).waitFor();
      await page.getByText(words).first().waitFor();
      // Nothing is proposed that the provider did not say, and nothing is held back: the
      // administrator may know better.
      expect(await page.getByRole("checkbox").count()).toBe(0);
      await page.getByRole("button", { name: "Try again" }).waitFor();
      expect(await page.getByRole("button", { name: "Add channel" }).count()).toBe(0);
      await page.getByLabel("Models to add anyway").fill("small, large");
      await page.getByText("2 models", { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Add anyway" }).isEnabled()).toBe(true);
      expect(pageErrors).toEqual([]);
    },
  );

  test("the provider is recognised by its key, a choice by hand stays, and Ollama needs no key", {
    tags: ["large"],
  }, async () => {
    await page.goto("/channels/connect");
    const provider = page.getByLabel("Provider", { exact: true });
    const chosen = () => provider.locator("option:checked").innerText();
    const key = page.getByLabel("API Key", { exact: true });
    await key.fill("sk-ant-api03-0123456789");
    await expect.poll(chosen).toBe("Anthropic");
    await provider.selectOption({ label: "Mistral" });
    await key.fill("sk-ant-api03-0123456789x");
    expect(await chosen()).toBe("Mistral");
    await page.getByRole("button", { name: "Connect", exact: true }).focus();
    await key.fill("");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("API key is required", { exact: true }).waitFor();
    await provider.selectOption({ label: "Ollama" });
    await page.getByText("Ollama needs no key.").waitFor();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("Calls to this address will be refused").waitFor();
  });

  test("a new key comes with what each program needs, and failed first tries are explained", {
    tags: ["large"],
  }, async () => {
    await connect("sim-ok", gateway.simulator.url);
    await page.getByRole("button", { name: "Add channel" }).click();
    await page.getByRole("button", { name: "Create a key" }).waitFor();
    await page.goto("/tokens/add");
    await page.getByLabel("Token Name").fill("laptop");
    await page.getByRole("button", { name: "Create Token" }).click();
    await page.getByText("Token created successfully").waitFor();
    const dialog = page.getByRole("dialog", { name: "Use this key" });
    await dialog.getByText("Waiting for a call with this key").waitFor();
    expect(
      await dialog.getByRole("group", { name: "Program" }).getByRole("button").allInnerTexts(),
    ).toEqual([
      ...[
        "curl",
        "Python",
        "TypeScript",
        "Anthropic",
        "Claude Code",
        "Codex",
        "Gemini CLI",
        "OpenCode",
      ],
      ...[
        "Qwen Code",
        "pi",
        "Kilo Code",
        "Continue",
        "aider",
        "mini-swe-agent",
        "Cursor",
        "Cline",
        "Cherry Studio",
      ],
      "Open WebUI",
    ]);
    // The key is masked on the screen and copied whole.
    expect(await dialog.locator("pre").first().innerText()).toMatch(/Bearer sk-\w\*{3}\w{4}/);
    await dialog.getByRole("button", { name: "Copy for Terminal" }).click();
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    const key = /Bearer (sk-\w{48})/.exec(command)?.[1] ?? "";
    expect(key).not.toBe("");

    const bearer = { authorization: `Bearer ${key}` };
    const post = (path: string, headers: Record<string, string>, model: string) =>
      fetch(gateway.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
      }).then((response) => response.text());
    const shown = (words: string | RegExp) => dialog.getByText(words).waitFor();
    await post("/v1/v1/chat/completions", bearer, "gpt-4o-mini");
    await shown(/begins with \/v1 twice/);
    await post("/openai/chat/completions", bearer, "gpt-4o-mini");
    await shown(/The path lacks \/v1/);
    await post("/v1/chat/completions", { "x-auth-token": key }, "gpt-4o-mini");
    await shown(/in another header/);
    await post("/v1/chat/completions", bearer, "gpt-4o-mni");
    await shown(/Did you mean gpt-4o-mini\?/);
    await inspectScreen(page, "use-key", { widths: [1440, 1024, 768, 375], isWalked: false });
    await post("/v1/chat/completions", bearer, "gpt-4o-mini");
    await shown("The first call arrived");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(pageErrors).toEqual([]);
  });
});
