// A model whose provider has ended it, over a running gateway: what its answers say, and what an
// administrator learns of its use.
import { listModelEnds } from "@tollgate/contract/catalogue/model-ends.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";

/** Its day has passed, so that the test says the same on any day. */
const ended = "gpt-4";

describeVariants(databaseKinds)("a model that its provider ends, on %s", (store) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ store, env: { API_RATE_LIMIT: "0" } });
    await gateway.given.channel({ key: "sim-ok", models: `${ended},stays` });
    await gateway.given.channel({ key: "sim-ok", models: `${ended}-not`, name: "elsewhere" });
  });
  afterAll(() => gateway.close());

  test("is told in the headers of whole and streamed answers, and listed with its use", async () => {
    const { key } = await gateway.given.token();
    const sunset = "Fri, 23 Oct 2026 00:00:00 GMT";
    const whole = await gateway.chat(key, { model: ended, max_tokens: 4 });
    expect([whole.status, whole.headers.get("sunset")]).toEqual([200, sunset]);
    expect(whole.headers.get("deprecation")).toMatch(/^@\d+$/);
    expect((await gateway.stream(key, { model: ended, max_tokens: 4 })).headers.get("sunset")).toBe(
      sunset,
    );
    expect(
      (await gateway.chat(key, { model: "stays", max_tokens: 4 })).headers.get("sunset"),
    ).toBeNull();
    await gateway.settled();

    const root = await gateway.root();
    await expect
      .poll(async () => (await root.call(listModelEnds)).data.map(({ calls }) => calls))
      .toEqual([2]);
    const { data, source } = await root.call(listModelEnds);
    expect(source).toContain("litellm");
    expect(data).toMatchObject([
      { model: ended, ends_on: "2026-10-23", calls: 2, users: 1, virtual_models: [] },
    ]);
    expect(data[0]?.days_left).toBeLessThan(0);
    expect(data[0]?.channels.map(({ id }) => id)).toHaveLength(1);
  });
});
