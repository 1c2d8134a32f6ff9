// Calls of keys that name several groups: whose channel answers, what is held, charged and told,
// and who may name which group.

import { createToken, listTokenGroups, updateToken } from "@tollgate/contract/accounts/tokens.ts";
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import {
  defaultCharge,
  defaultHold,
  promptEstimate,
  startTestGateway,
  type TestGateway,
  type TestUser,
} from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";

describeVariants(databaseKinds)("a key with several groups on %s", (store) => {
  let gateway: TestGateway;
  let user: TestUser;
  const set = (key: string, value: string) => gateway.api("PUT", "/api/option/", { key, value });
  beforeAll(async () => {
    gateway = await startTestGateway({ store, env: { API_RATE_LIMIT: "0" } });
    await set("GroupRatio", '{"default":1,"cheap":0.5,"dear":3,"closed":1}');
    await set("SelectableGroups", "cheap,dear,without-ratio");
    await gateway.given.channel({ key: "sim-ok+as-cheap", models: "m,of-cheap", group: "cheap" });
    await gateway.given.channel({
      key: "sim-ok+as-dear",
      models: "m,of-dear,failing",
      group: "dear,closed",
    });
    await gateway.given.channel({
      key: "sim-fail-503",
      models: "failing",
      group: "cheap",
      priority: 9,
    });
    await gateway.given.channel({ key: "sim-ok+as-closed", models: "of-closed", group: "closed" });
    user = await gateway.given.user(`chooser-${store}`, { quota: 1_000 * defaultHold });
  });
  afterAll(async () => {
    expect(await gateway.settled()).toMatchObject({ held: 0, reservations: 0 });
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
  });

  const chat = (key: string, model: string) => gateway.chat(key, { model, max_tokens: 12 });
  const called = async (key: string, model: string) => {
    expect((await chat(key, model)).status).toBe(200);
    const { id, quota, price } = await gateway.lastLog();
    return { id, quota, group: price?.group };
  };

  test("the first group that has the model answers, at its own ratio", async () => {
    const { key } = await user.token({ groups: "cheap,dear" });
    expect(await called(key, "m")).toMatchObject({ quota: defaultCharge / 2, group: "cheap" });
    expect(await called(key, "of-dear")).toMatchObject({ quota: defaultCharge * 3, group: "dear" });
    const { key: turned } = await user.token({ groups: "dear,cheap" });
    expect(await called(turned, "m")).toMatchObject({ quota: defaultCharge * 3, group: "dear" });
  });

  test("a failing group is followed by the next: the charge is the answerer's, the hold covers the dearest", async () => {
    const { key, id } = await user.token({ groups: "cheap,dear" });
    const checked = (
      await user.call(checkCall, {
        query: { model: "failing", token: id, max_tokens: 12, prompt_tokens: promptEstimate },
      })
    ).data;
    expect(checked).toMatchObject({
      would_work: true,
      group: "default",
      groups: ["cheap", "dear"],
    });
    expect(checked.hold?.granted).toBe(defaultHold * 3);
    const call = await called(key, "failing");
    expect(call).toMatchObject({ quota: defaultCharge * 3, group: "dear" });
    const { candidates } = await gateway.trace(call.id);
    expect(candidates.map(({ taken, reason }) => [taken, reason])).toEqual([
      [true, "group cheap: priority 9"],
      [true, "group dear: priority 0"],
    ]);
  });

  test("a key without groups keeps its owner's, and no key reaches a group that is not open to users", async () => {
    const { key } = await user.token();
    expect((await chat(key, "m")).status).toBe(404);
    await expect(
      user.call(createToken, { body: { name: "t", groups: "cheap,closed" } }),
    ).rejects.toThrow("A token may use the groups default, cheap, dear, and not closed");
    await expect(
      user.call(createToken, { body: { name: "t", group: "without-ratio" } }),
    ).rejects.toThrow("and not");
    expect((await user.call(listTokenGroups)).data).toEqual([
      { name: "default", ratio: 1 },
      { name: "cheap", ratio: 0.5 },
      { name: "dear", ratio: 3 },
    ]);
  });

  test("a group that the operator closes is passed over by the next call, and a key without any other is refused", async () => {
    const { key, id } = await user.token({ groups: "cheap,dear" });
    await set("SelectableGroups", "dear");
    expect(await called(key, "m")).toMatchObject({ quota: defaultCharge * 3, group: "dear" });
    await set("SelectableGroups", "");
    const refused = await chat(key, "m");
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining("may use none of the groups that it names"),
    ]);
    // What the key has already may stay when something else of it is edited.
    const kept = (
      await user.call(updateToken, { body: { id, name: "renamed", groups: "cheap,dear" } })
    ).data;
    expect(kept).toMatchObject({ name: "renamed", groups: "cheap,dear" });
    await set("SelectableGroups", "cheap,dear");
    expect(await called(key, "m")).toMatchObject({ group: "cheap" });
  });
});
