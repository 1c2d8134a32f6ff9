// Conversations by reference, for channels that store none: the gateway stores them where it is
// configured to.
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { question, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";

const anthropicType = 14;
const compatibleType = 50;
const words = expect.stringMatching(/^(\S+ ){11}\S+$/);

/** The library of another user of the gateway. */
async function otherUser(gateway: TestGateway, baseURL: string): Promise<OpenAI> {
  const [username, password] = ["stranger", "a password of theirs"];
  await gateway.api("POST", "/api/user/", { username, password });
  let cookie = "";
  const send = async (path: string, body: object): Promise<{ data: { key: string } }> => {
    const headers = {
      "content-type": "application/json",
      [consoleHeader.name]: consoleHeader.value,
      cookie,
    };
    const reply = await fetch(gateway.url + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    cookie ||= reply.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
      .join("; ");
    return (await reply.json()) as { data: { key: string } };
  };
  await send("/api/user/login", { username, password });
  const { data } = await send("/api/token/", {
    name: "theirs",
    remain_quota: 0,
    unlimited_quota: true,
    expired_time: -1,
  });
  return new OpenAI({ baseURL, apiKey: data.key, maxRetries: 0 });
}

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describeVariants(databaseKinds)("responses that follow another, on %s", (store) => {
  let gateway: TestGateway;
  let client: OpenAI;
  let stranger: OpenAI;
  const keep = (value: boolean) =>
    gateway.api("PUT", "/api/option/", { key: "ResponseStoreEnabled", value: String(value) });
  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    await gateway.given.channel({ type: compatibleType, key: "sim-as-gpt", models: "gpt" });
    await gateway.given.channel({ type: anthropicType, key: "sim-as-claude", models: "claude" });
    const { key } = await gateway.given.token();
    const baseURL = `${gateway.url}/v1`;
    client = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
    stranger = await otherUser(gateway, baseURL);
    await keep(true);
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
  });

  test.each(["gpt", "claude"])(
    "are served by %s with the conversation in front, and cost what that is",
    async (model) => {
      const first = await client.responses.create({ model, input: question });
      expect(first).toMatchObject({ store: true, output_text: words });
      const streamed = await client.responses
        .stream({ model, input: "and then", previous_response_id: first.id })
        .finalResponse();
      expect(streamed).toMatchObject({ previous_response_id: first.id, output_text: words });
      const third = await client.responses.create({
        model,
        input: "at last",
        previous_response_id: streamed.id,
      });
      const call = (await gateway.simulator.calls()).at(-1);
      const sentBody = JSON.stringify(call?.body);
      const texts = [question, first.output_text, "and then", streamed.output_text, "at last"];
      let from = 0;
      for (const text of texts) {
        from = sentBody.indexOf(JSON.stringify(text).slice(1, -1), from) + 1;
        expect(from).toBeGreaterThan(0);
      }
      expect(third.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? 0);
      expect(await gateway.lastLog()).toMatchObject({
        prompt_tokens: third.usage?.input_tokens,
        outcome: "success",
      });
    },
  );

  test("can be read and deleted by their user alone", async () => {
    const { id, output_text } = await client.responses.create({ model: "gpt", input: question });
    expect(await client.responses.retrieve(id)).toMatchObject({
      id,
      object: "response",
      output_text,
    });
    const followed = await client.responses.create({
      model: "gpt",
      input: "and then",
      previous_response_id: id,
    });
    const items = [];
    for await (const item of client.responses.inputItems.list(followed.id, {
      order: "asc",
      limit: 2,
    }))
      items.push(item);
    expect(items.map((item) => JSON.stringify(item))).toEqual([
      expect.stringContaining(question),
      expect.stringContaining(output_text),
      expect.stringContaining("and then"),
    ]);
    expect(await refused(stranger.responses.inputItems.list(followed.id))).toMatchObject({
      status: 404,
    });
    const missing = await refused(client.responses.retrieve("resp_nobody_has_this"));
    expect(missing).toMatchObject({ status: 404, type: "invalid_request_error" });
    for (const act of ["retrieve", "delete"] as const) {
      expect(await refused(stranger.responses[act](id))).toMatchObject({
        status: 404,
        type: "invalid_request_error",
      });
    }
    await client.responses.delete(id);
    for (const act of ["retrieve", "delete"] as const) {
      expect(await refused(client.responses[act](id))).toMatchObject({ status: 404 });
    }
  });

  test("another user's id is refused like an unknown one, and nothing is charged", async () => {
    const { id } = await client.responses.create({ model: "gpt", input: question });
    const before = await gateway.settled();
    const withoutIds = (error: unknown) => ({ ...(error as { error: object }).error, message: "" });
    const refusal = await refused(
      stranger.responses.create({ model: "gpt", input: "x", previous_response_id: id }),
    );
    expect(refusal).toMatchObject({
      status: 404,
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
    for (const previous_response_id of [`resp_${"0".repeat(48)}`, "resp_1", "nonsense"]) {
      const error = await refused(
        client.responses.create({ model: "gpt", input: "x", previous_response_id }),
      );
      expect(error).toMatchObject({ status: 404 });
      expect(withoutIds(error)).toEqual(withoutIds(refusal));
    }
    expect(await gateway.settled()).toEqual(before);
  });

  test("are not stored where the client or the operator disables it", async () => {
    const unwanted = await client.responses.create({ model: "gpt", input: question, store: false });
    expect(unwanted).toMatchObject({ store: false });
    const asked = { model: "gpt", input: "x", previous_response_id: unwanted.id };
    expect(await refused(client.responses.create(asked))).toMatchObject({ status: 404 });
    await keep(false);
    const kept = () => gateway.rows("select response_id from held_responses");
    const before = await kept();
    await eventually(async () => {
      const answer = await client.responses.create({ model: "gpt", input: question });
      expect(answer).toMatchObject({ store: false });
    });
    expect(await kept()).toHaveLength(before.length);
    expect(await refused(client.responses.create(asked))).toMatchObject({
      status: 400,
      message: expect.stringContaining("send the whole conversation in input"),
    });
    await keep(true);
  });

  test("what is kept cannot be read in the database, and survives a restart", async () => {
    const { id, output_text } = await client.responses.create({
      model: "gpt",
      input: "my secret words",
    });
    expect(await client.responses.retrieve(id)).toMatchObject({ output_text });
    const rows = await gateway.rows<{ response_id: string; sealed: string }>(
      "select * from held_responses",
    );
    expect(rows.map(({ response_id }) => response_id)).toContain(id);
    expect(JSON.stringify(rows)).not.toMatch(/secret|amber/);
    await gateway.restart();
    const again = new OpenAI({
      baseURL: `${gateway.url}/v1`,
      apiKey: client.apiKey,
      maxRetries: 0,
    });
    expect(await again.responses.retrieve(id)).toMatchObject({ output_text });
  });
});
