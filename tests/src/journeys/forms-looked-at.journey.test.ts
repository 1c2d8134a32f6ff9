import { createRedemptions, listRedemptions } from "@tollgate/contract/accounts/redemptions.ts";
import { createToken, listTokens } from "@tollgate/contract/accounts/tokens.ts";
import { createUser } from "@tollgate/contract/accounts/user-admin.ts";
import { createChannel, listChannels } from "@tollgate/contract/catalogue/channels.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestGateway } from "../harness/test-gateway.ts";
import { startBrowserGateway } from "./browser-gateway.ts";
import { openPage, openSignedIn, pathOf } from "./console-pages.ts";

let gateway: TestGateway;
let page: Page;
const password = "correct horse battery";
const places: string[] = [];

beforeAll(async () => {
  gateway = await startBrowserGateway({
    store: "sqlite",
    env: { INITIAL_ROOT_PASSWORD: password },
  });
  const root = await gateway.signIn("root", password);
  const { url } = gateway.simulator;
  await root.call(createChannel, {
    body: {
      name: "Own",
      type: 50,
      key: "sim-ok",
      base_url: `${url}/`,
      models: "b,a",
      model_configs: '{"a":{"ratio":1}}',
    },
  });
  await root.call(createToken, {
    body: { name: "Odd", remain_quota: 333_333, expired_time: 1_999_999_999 },
  });
  const { data: mira } = await root.call(createUser, {
    body: { username: "mira", password, quota: 1 },
  });
  await root.call(createRedemptions, { body: { name: "gift", quota: 7, count: 1 } });
  const [channel] = (await root.call(listChannels)).data;
  const [token] = (await root.call(listTokens)).data;
  const [code] = (await root.call(listRedemptions)).data;
  places.push(
    ...[
      "/tokens/add",
      `/tokens/edit/${token?.uuid}`,
      "/channels/add",
      `/channels/edit/${channel?.uuid}`,
    ],
    ...[
      "/channels/virtual/add",
      "/channels/mcp/add",
      "/users/add",
      `/users/edit/${mira.uuid}`,
      "/users/edit",
    ],
    ...["/redemptions/add", `/redemptions/edit/${code?.uuid}`, "/settings", "/settings/notices"],
    ...[
      "/settings/operation",
      "/settings/system",
      "/settings/sign-in",
      "/settings/sign-in/add",
      "/settings/other",
    ],
  );
  page = await openPage(await gateway.newContext());
  await openSignedIn(page, gateway.url, { username: "root", password, path: "/about" });
});
afterAll(() => gateway.close());

/** Goes through every field as a reader does, and changes none. */
const lookAtFields = `(() => {
  const fields = [...document.querySelectorAll("main :is(input, select, textarea)")].filter((field) => !field.disabled);
  for (const field of fields) {
    field.focus();
    field.blur();
  }
  return fields.length;
})()`;

test("a form that was only looked at is left without a question", async () => {
  for (const place of places) {
    await page.goto(gateway.url + place);
    await expect
      .poll(() => page.locator("main form").count(), { message: place, timeout: 10_000 })
      .toBeGreaterThan(0);
    await page.waitForLoadState("networkidle");
    expect([place, await page.evaluate<number>(lookAtFields)]).not.toEqual([place, 0]);
    await page.getByRole("banner").getByRole("link").first().click();
    await expect.poll(() => pathOf(page), { message: place }).toBe("/");
  }
});
