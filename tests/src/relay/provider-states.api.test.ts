// Ids that a provider issued belong to the user who received them: another user who names one is
// refused, and calls that name one go to the channel and key that issued it.
import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type CannedProvider,
  event,
  startCannedProvider,
  streamed,
  whole,
} from "./canned-provider.ts";

const usage = { input_tokens: 6, output_tokens: 12, total_tokens: 18 };
const replyWith = (id: string, more: object = {}) => ({
  id,
  object: "response",
  status: "completed",
  model: "m",
  output: [
    {
      id: `item_of_${id}`,
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "hi" }],
    },
  ],
  usage,
  ...more,
});

describeVariants(databaseKinds)("state at providers on %s", (store) => {
  let gateway: TestGateway;
  let upstream: CannedProvider;
  let other: CannedProvider;
  /** `key` is that of one user; `limited` may use another model alone. */
  let key: string;
  let second: string;
  let limited: string;
  let stranger: string;
  let issued = 0;
  const freshId = (): string => {
    issued += 1;
    return `resp_of_the_provider_${issued}`;
  };

  beforeAll(async () => {
    [upstream, other] = await Promise.all([startCannedProvider(), startCannedProvider()]);
    gateway = await startTestGateway({ store, upstreams: [upstream.url, other.url] });
    const ann = await gateway.given.user("ann", { quota: 100_000_000 });
    const bob = await gateway.given.user("bob", { quota: 100_000_000 });
    [key, second, limited] = await Promise.all([
      ann.token().then((token) => token.key),
      ann.token().then((token) => token.key),
      ann.token({ models: "another" }).then((token) => token.key),
    ]);
    stranger = (await bob.token()).key;
    const several = {
      key: "key-one-1111\nkey-two-2222\nkey-three-3333",
      config: '{"multi_key":true}',
    };
    await gateway.given.channel({ ...several, base_url: upstream.url, models: "m,another" });
    await gateway.given.channel({
      key: "key-of-the-other",
      base_url: other.url,
      models: "m,another",
    });
    const open = { config: '{"allow_unknown_state":true}', models: "open" };
    await gateway.given.channel({ key: "key-open", base_url: upstream.url, ...open });
    const listing = {
      config: '{"known_state_ids":["file-shared","https://search.example/plans","cntr_shared"]}',
      models: "listing",
    };
    await gateway.given.channel({ key: "key-listing", base_url: upstream.url, ...listing });
    await gateway.given.channel({
      type: 14,
      key: "key-claude",
      base_url: upstream.url,
      models: "claude",
    });
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await Promise.all([upstream.close(), other.close()]);
  });
  beforeEach(() => {
    for (const { requests } of [upstream, other]) requests.length = 0;
  });

  const send = async (apiKey: string, body: Record<string, unknown>, path = "/v1/responses") => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", input: "hi", ...body }),
    });
    const json = (await response.json()) as {
      id?: string;
      error?: { code?: string; type?: string; param?: string };
    };
    return { ...json, status: response.status };
  };
  /** A response that one of the channels issued to a key, and who issued it. */
  const issue = async (apiKey = key, more: object = {}, body: Record<string, unknown> = {}) => {
    const id = freshId();
    for (const { requests } of [upstream, other]) requests.length = 0;
    upstream.answer = whole(replyWith(id, more));
    other.answer = whole(replyWith(id, more));
    const answer = await send(apiKey, body);
    expect(answer).toMatchObject({ status: 200, id });
    return { id, issuer: served().at(-1) };
  };
  const served = () =>
    [...upstream.requests, ...other.requests].map(({ headers }) => headers.authorization);
  const rows = () =>
    gateway.rows<{ id_hash: string; kind: string }>("select * from provider_states");

  test("an earlier response is continued at the channel and key that issued it, with any key of its owner", {
    tags: ["S2-12"],
  }, async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, issuer } = await issue();
      for (const apiKey of [key, second]) {
        upstream.requests.length = 0;
        other.requests.length = 0;
        expect(await send(apiKey, { previous_response_id: id })).toMatchObject({ status: 200 });
        expect(served()).toEqual([issuer]);
      }
      upstream.requests.length = 0;
      other.requests.length = 0;
      expect(
        await send(key, { input: [{ type: "item_reference", id: `item_of_${id}` }] }),
      ).toMatchObject({
        status: 200,
      });
      expect(served()).toEqual([issuer]);
    }
  });

  test("another user, a key that may not use the model, and an id that no user received are refused alike", {
    tags: ["S2-12"],
  }, async () => {
    const container = "cntr_of_ann";
    const call = { id: "ci_1", type: "code_interpreter_call", container_id: container };
    const picture = {
      id: "ig_1",
      type: "image_generation_call",
      status: "completed",
      result: "iVBORw0KGgo=",
    };
    const { id } = await issue(key, { output: [call, picture] });
    upstream.requests.length = 0;
    other.requests.length = 0;
    const refusals = await Promise.all([
      send(stranger, { previous_response_id: id }),
      send(limited, { model: "another", previous_response_id: id }),
      send(key, { previous_response_id: "resp_that_never_was" }),
    ]);
    const [first] = refusals;
    expect(first).toMatchObject({
      status: 404,
      error: { code: "previous_response_not_found", param: "previous_response_id" },
    });
    for (const { status, error } of refusals)
      expect([status, error?.code]).toEqual([404, first?.error?.code]);
    const tools = [{ type: "code_interpreter", container }];
    for (const body of [
      { tools },
      { input: [{ type: "item_reference", id: "ci_1" }] },
      { input: [{ id: "ci_1" }] },
      { conversation: "conv_unknown" },
      { input: [{ role: "user", content: [{ type: "input_file", file_id: "file-unknown" }] }] },
      { prompt: { id: "pmpt_unknown" } },
      { input: [{ id: "ig_1", type: "image_generation_call" }] },
    ])
      expect(await send(stranger, body)).toMatchObject({
        status: 404,
        error: { code: "stored_object_not_found" },
      });
    for (const files of [
      { images: [{ file_id: "file-unknown" }] },
      { image: "data:,x", mask: { file_id: "file-unknown" } },
    ])
      expect(
        await send(stranger, { prompt: "more of it", ...files }, "/v1/images/edits"),
      ).toMatchObject({
        status: 404,
        error: { code: "stored_object_not_found" },
      });
    expect(served()).toEqual([]);
    for (const body of [
      { tools },
      { input: [{ id: "ig_1", type: "image_generation_call" }] },
      { input: [picture] },
    ])
      expect(await send(key, body)).toMatchObject({ status: 200 });
  });

  test("an id that a server gave to two users opens what it names to neither: servers with short ids do so", {
    tags: ["S2-12"],
  }, async () => {
    const short = replyWith("resp_482913");
    upstream.answer = whole(short);
    const ask = (apiKey: string, body: object) => send(apiKey, { model: "listing", ...body });
    expect(await ask(key, {})).toMatchObject({ status: 200 });
    expect(await ask(key, { previous_response_id: "resp_482913" })).toMatchObject({ status: 200 });
    expect(await ask(stranger, {})).toMatchObject({ status: 200 });
    upstream.requests.length = 0;
    for (const apiKey of [key, stranger]) {
      expect(await ask(apiKey, { previous_response_id: "resp_482913" })).toMatchObject({
        status: 404,
      });
      const read = await fetch(`${gateway.url}/v1/responses/resp_482913`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      expect(read.status).toBe(404);
    }
    expect(served()).toEqual([]);
  });

  test("a container is charged by the call that starts it, at the size that was asked for, and by no later one", {
    tags: ["S2-02", "S2-04"],
  }, async () => {
    const gigabyte = 15_000;
    const tool = (container: unknown) => ({ tools: [{ type: "code_interpreter", container }] });
    const ran = (id: string) => ({
      output: [{ id: `ci_${id}`, type: "code_interpreter_call", container_id: id }],
    });
    const inShell = { type: "container_reference", container_id: "cntr_shell" };
    const charge = async (more: object, body: Record<string, unknown>) => {
      await issue(key, more, { model: "listing", ...body });
      await gateway.settled();
      return (await gateway.lastLog()).quota;
    };
    const tokens = await charge({}, {});
    expect(tokens).toBeLessThan(1_000);
    expect(await charge(ran("cntr_a"), tool({ type: "auto" }))).toBe(tokens + gigabyte);
    expect(await charge(ran("cntr_a"), tool({ type: "auto" }))).toBe(tokens);
    expect(await charge(ran("cntr_a"), tool("cntr_a"))).toBe(tokens);
    expect(await charge(ran("cntr_b"), tool({ type: "auto", memory_limit: "64g" }))).toBe(
      tokens + 64 * gigabyte,
    );
    const shell = {
      tools: [{ type: "shell", environment: { type: "container_auto", memory_limit: "4g" } }],
    };
    const command = { output: [{ id: "sh_1", type: "shell_call", environment: inShell }] };
    expect(await charge(command, shell)).toBe(tokens + 4 * gigabyte);
    // It is its owner's from then on.
    const again = { tools: [{ type: "shell", environment: inShell }] };
    expect(await charge(command, again)).toBe(tokens);
    expect(await send(stranger, { model: "listing", ...again })).toMatchObject({ status: 404 });
    const poor = await gateway.given.user("poor", { quota: gigabyte });
    const { key: poorKey } = await poor.token();
    const small = { model: "listing", max_output_tokens: 9 };
    upstream.answer = whole(replyWith(freshId()));
    expect(await send(poorKey, { ...small })).toMatchObject({ status: 200 });
    expect(
      await send(poorKey, { ...small, ...tool({ type: "auto", memory_limit: "64g" }) }),
    ).toMatchObject({
      status: 403,
      error: { code: "insufficient_user_quota" },
    });
  });

  test("what the operator lists for every user stays every user's after one of them has used it", {
    tags: ["S2-12"],
  }, async () => {
    const call = { id: "ci_shared", type: "code_interpreter_call", container_id: "cntr_shared" };
    const tools = [{ type: "code_interpreter", container: "cntr_shared" }];
    for (const apiKey of [key, stranger, key]) {
      upstream.answer = whole(replyWith(freshId(), { output: [call] }));
      expect(await send(apiKey, { model: "listing", tools })).toMatchObject({ status: 200 });
    }
  });

  test("a server of tools that the client named gives no ids: what it says of files makes none of them the client's", {
    tags: ["S2-12"],
  }, async () => {
    const content = [
      {
        type: "mcp_tool_use",
        id: "mcptoolu_1",
        name: "read",
        server_name: "mine",
        input: { file_id: "file_claimed" },
      },
      {
        type: "mcp_tool_result",
        tool_use_id: "mcptoolu_1",
        content: [{ type: "text", file_id: "file_claimed" }],
      },
      {
        type: "server_tool_use",
        id: "srvtoolu_1",
        name: "code",
        input: { file_id: "file_claimed" },
      },
      { type: "text", text: "hi" },
    ];
    upstream.answer = whole({
      type: "message",
      role: "assistant",
      model: "claude",
      content,
      stop_reason: "end_turn",
      usage: { input_tokens: 6, output_tokens: 12 },
    });
    const ask = (messages: object[]) =>
      send(key, { model: "claude", input: undefined, max_tokens: 9, messages }, "/v1/messages");
    expect(await ask([{ role: "user", content: "hi" }])).toMatchObject({ status: 200 });
    const document = { type: "document", source: { type: "file", file_id: "file_claimed" } };
    expect(await ask([{ role: "user", content: [document] }])).toMatchObject({ status: 404 });
    // Said again in the next turn, it names nothing.
    const history = [
      { role: "user", content: "hi" },
      { role: "assistant", content: [content[0], content[2]] },
      { role: "user", content: "go on" },
    ];
    expect(await ask(history)).toMatchObject({ status: 200 });
  });

  test("an item that a client sends without its content is for the user who received it", {
    tags: ["S2-12"],
  }, async () => {
    const reasoning = (id: string, more: object = {}) => ({
      type: "reasoning",
      id,
      summary: [],
      ...more,
    });
    for (const body of [{}, { store: false }]) {
      const id = `ws_of_ann_${"store" in body}`;
      const search = {
        type: "web_search_call",
        id,
        status: "completed",
        action: { type: "search" },
      };
      const own = reasoning(`rs_of_ann_${"store" in body}`);
      const { issuer } = await issue(key, { output: [own, search] }, body);
      for (const { requests } of [upstream, other]) requests.length = 0;
      const line = { role: "user", content: "go on" };
      expect(await send(stranger, { input: [own, line] })).toMatchObject({
        status: 404,
        error: { code: "stored_object_not_found", param: "input" },
      });
      expect(await send(stranger, { input: [search, line] })).toMatchObject({ status: 404 });
      expect(await send(key, { input: [reasoning("rs_that_never_was"), line] })).toMatchObject({
        status: 404,
      });
      expect(served()).toEqual([]);
      expect(await send(second, { input: [own, search, line] })).toMatchObject({ status: 200 });
      expect(served()).toEqual([issuer]);
      // A provider needs no id to read what is encrypted in the item itself.
      upstream.answer = whole(replyWith(freshId()));
      other.answer = upstream.answer;
      const carried = reasoning("rs_elsewhere", { encrypted_content: "gAAAA" });
      expect(await send(stranger, { input: [carried, line] })).toMatchObject({ status: 200 });
    }
    // A translation leaves such items out, so that their ids reach no provider.
    upstream.answer = whole({
      type: "message",
      role: "assistant",
      model: "claude",
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 6, output_tokens: 12 },
    });
    const line = { role: "user", content: "go on" };
    upstream.requests.length = 0;
    expect(
      await send(stranger, { model: "claude", input: [reasoning("rs_translated"), line] }),
    ).toMatchObject({
      status: 200,
    });
    expect(upstream.requests[0]?.body).not.toContain("rs_translated");
    expect(
      await send(stranger, { model: "claude", input: [reasoning("rs_of_ann_true"), line] }),
    ).toMatchObject({
      status: 404,
    });
  });

  test("what is read with the rights of the operator's account is refused, with the setting that permits it", {
    tags: ["S2-12"],
  }, async () => {
    const parameters = { endpoint: "https://search.example", index_name: "plans" };
    const sources = (authentication?: object) => ({
      input: undefined,
      messages: [{ role: "user", content: "hi" }],
      data_sources: [{ type: "azure_search", parameters: { ...parameters, authentication } }],
    });
    upstream.answer = whole({
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 6, completion_tokens: 12, total_tokens: 18 },
    });
    other.answer = upstream.answer;
    const path = "/v1/chat/completions";
    const refused = await send(key, sources({ type: "system_assigned_managed_identity" }), path);
    expect(refused).toMatchObject({
      status: 404,
      error: { code: "stored_object_not_found", param: "data_sources" },
    });
    expect(JSON.stringify(refused)).toContain("known_state_ids");
    expect(await send(key, sources(), path)).toMatchObject({ status: 404 });
    expect(served()).toEqual([]);
    expect(await send(key, sources({ type: "api_key", key: "of-the-client" }), path)).toMatchObject(
      { status: 200 },
    );
    expect(await send(key, { ...sources(), model: "open" }, path)).toMatchObject({ status: 200 });
    expect(await send(key, { ...sources(), model: "listing" }, path)).toMatchObject({
      status: 200,
    });
  });

  test("what lies in a bucket that the operator's account may read is no user's to name", {
    tags: ["S2-12"],
  }, async () => {
    const picture = { type: "image_url", image_url: { url: "gs://of-the-operator/plan.png" } };
    const messages = [{ role: "user", content: [picture] }];
    const chat = (model: string) =>
      send(key, { input: undefined, model, messages }, "/v1/chat/completions");
    upstream.answer = whole({
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 6, completion_tokens: 12, total_tokens: 18 },
    });
    expect(await chat("m")).toMatchObject({
      status: 404,
      error: { code: "stored_object_not_found" },
    });
    expect(served()).toEqual([]);
    expect(await chat("open")).toMatchObject({ status: 200 });
  });

  test("what a chat completion said aloud is for the user who heard it", {
    tags: ["S2-12"],
  }, async () => {
    const chat = (apiKey: string, body: object) =>
      send(
        apiKey,
        { input: undefined, messages: [{ role: "user", content: "hi" }], ...body },
        "/v1/chat/completions",
      );
    const said = { id: "audio_of_ann", data: "AAAA", transcript: "hi", expires_at: 1 };
    const answer = whole({
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: null, audio: said },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 6, completion_tokens: 12, total_tokens: 18 },
    });
    upstream.answer = answer;
    other.answer = answer;
    const spoken = { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } };
    expect(await chat(key, spoken)).toMatchObject({ status: 200 });
    const [issuer] = served();
    const again = {
      messages: [
        { role: "assistant", audio: { id: said.id } },
        { role: "user", content: "and then?" },
      ],
    };
    upstream.requests.length = 0;
    other.requests.length = 0;
    expect(await chat(stranger, again)).toMatchObject({
      status: 404,
      error: { code: "stored_object_not_found" },
    });
    expect(served()).toEqual([]);
    expect(await chat(key, again)).toMatchObject({ status: 200 });
    expect(served()).toEqual([issuer]);
  });

  test("unknown ids pass where the channel allows or lists them; those of another user never do", {
    tags: ["S2-12"],
  }, async () => {
    const file = (file_id: string) => [
      { role: "user", content: [{ type: "input_file", file_id }] },
    ];
    upstream.answer = whole(replyWith(freshId()));
    expect(await send(stranger, { model: "open", input: file("file-elsewhere") })).toMatchObject({
      status: 200,
    });
    expect(await send(stranger, { model: "listing", input: file("file-shared") })).toMatchObject({
      status: 200,
    });
    expect(await send(stranger, { model: "listing", input: file("file-other") })).toMatchObject({
      status: 404,
    });
    const { id } = await issue(key, {}, { model: "open" });
    expect(await send(key, { model: "open", previous_response_id: id })).toMatchObject({
      status: 200,
    });
    expect(await send(stranger, { model: "open", previous_response_id: id })).toMatchObject({
      status: 404,
    });
  });

  describe("a response that its provider keeps", () => {
    const ask = async (apiKey: string, path: string, method = "GET") => {
      const response = await fetch(gateway.url + path, {
        method,
        headers: { authorization: `Bearer ${apiKey}` },
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const forget = (): void => {
      for (const { requests } of [upstream, other]) requests.length = 0;
    };
    const asked = () => [...upstream.requests, ...other.requests];
    const replies = (body: object): void => {
      upstream.answer = whole(body);
      other.answer = whole(body);
    };

    test("is read by any key of its owner, at the channel and key that issued it, and costs nothing", {
      tags: ["S2-12"],
    }, async () => {
      const { id, issuer } = await issue();
      const { rows: calls } = await gateway.settled();
      for (const apiKey of [key, second]) {
        forget();
        expect(
          await ask(apiKey, `/v1/responses/${id}?include[]=reasoning.encrypted_content&key=x`),
        ).toEqual({
          status: 200,
          body: replyWith(id),
        });
        expect(asked()).toMatchObject([
          {
            method: "GET",
            url: `/v1/responses/${id}?include%5B%5D=reasoning.encrypted_content`,
            body: "",
          },
        ]);
        expect(served()).toEqual([issuer]);
      }
      forget();
      const items = { object: "list", data: [{ id: "msg_1" }], has_more: false };
      replies(items);
      const path = `/v1/responses/${id}/input_items?limit=2&order=asc`;
      expect(await ask(key, path)).toEqual({ status: 200, body: items });
      expect(asked()).toMatchObject([{ method: "GET", url: path }]);
      expect((await gateway.settled()).rows).toBe(calls);
    });

    test("is not found by another user, nor by a key that may not use its model, and no provider is asked", {
      tags: ["S2-12"],
    }, async () => {
      const { id } = await issue();
      forget();
      for (const apiKey of [stranger, limited])
        for (const [path, method] of [
          [`/v1/responses/${id}`, "GET"],
          [`/v1/responses/${id}/input_items`, "GET"],
          [`/v1/responses/${id}`, "DELETE"],
        ] as const)
          expect(await ask(apiKey, path, method), `${method} ${path}`).toMatchObject({
            status: 404,
          });
      for (const never of ["resp_that_never_was", "..%2Fmodels", `${id}%2F..`, "compact"])
        expect(await ask(key, `/v1/responses/${never}`)).toMatchObject({ status: 404 });
      expect(asked()).toEqual([]);
      expect((await ask(key, `/v1/responses/${id}?stream=true`)).status).toBe(400);
      expect(asked()).toEqual([]);
    });

    test("is deleted once, and is then not found", { tags: ["S2-12"] }, async () => {
      const { id } = await issue();
      forget();
      replies({ id, object: "response", deleted: true });
      expect(await ask(key, `/v1/responses/${id}`, "DELETE")).toMatchObject({
        status: 200,
        body: { deleted: true },
      });
      expect(asked()).toMatchObject([{ method: "DELETE", url: `/v1/responses/${id}` }]);
      forget();
      expect((await ask(key, `/v1/responses/${id}`)).status).toBe(404);
      expect((await ask(key, `/v1/responses/${id}`, "DELETE")).status).toBe(404);
      expect(asked()).toEqual([]);
    });

    test("that its provider no longer has is not found, and a failure of the provider tells no secret", async () => {
      const { id, issuer = "" } = await issue();
      const fails = (status: number, message: string): void => {
        const answer = (response: ServerResponse): void => {
          response.writeHead(status, { "content-type": "application/json" });
          response.end(JSON.stringify({ error: { message, type: "server_error" } }));
        };
        upstream.answer = answer;
        other.answer = answer;
      };
      fails(404, "gone");
      expect(await ask(key, `/v1/responses/${id}`)).toMatchObject({ status: 404 });
      fails(400, `wrong ${issuer}`);
      const failed = await ask(key, `/v1/responses/${id}`);
      expect(failed.status).toBe(400);
      expect(JSON.stringify(failed.body)).not.toContain(issuer.replace("Bearer ", ""));
      replies([]);
      expect(await ask(key, `/v1/responses/${id}`)).toMatchObject({ status: 502 });
    });
  });

  test("the client of a stream learns no id before it is stored", { tags: ["S2-12"] }, async () => {
    const id = freshId();
    const item = { id: `item_of_${id}`, type: "message" };
    const answer = async (response: ServerResponse): Promise<void> => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      // One write: what follows the id must wait for it, too.
      response.write(
        event({ type: "response.created", response: { id, output: [] } }) +
          event({ type: "response.output_item.added", item }) +
          event({ type: "response.output_text.delta", item_id: item.id, delta: "hello" }),
      );
      await pause(200);
      response.end(event({ type: "response.completed", response: replyWith(id) }));
    };
    upstream.answer = answer;
    other.answer = answer;
    const before = (await rows()).length;
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", input: "hi", stream: true }),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? "";
    expect(text).toContain(id);
    expect((await rows()).length).toBe(before + 2);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      text += part.value;
    const kinds = [...text.matchAll(/"type":"(response\.[a-z_.]+)"/g)].map(([, kind]) => kind);
    expect(kinds).toEqual([
      "response.created",
      "response.output_item.added",
      "response.output_text.delta",
      "response.completed",
    ]);
    expect((await rows()).length).toBe(before + 2);
    expect(JSON.stringify(await rows())).not.toContain(id);
    const next = { previous_response_id: id };
    upstream.answer = whole(replyWith(freshId()));
    other.answer = upstream.answer;
    expect([(await send(key, next)).status, (await send(stranger, next)).status]).toEqual([
      200, 404,
    ]);
  });

  // The test makes SQLite fail from outside.
  if (store === "sqlite")
    test("an answer whose ids cannot be stored is withheld, generated once and charged", {
      tags: ["S2-12"],
    }, async () => {
      const database = new DatabaseSync(readSqliteFile(gateway.dataDir), { timeout: 5_000 });
      const id = freshId();
      upstream.answer = whole(replyWith(id));
      other.answer = upstream.answer;
      database.exec(
        "create trigger refused before insert on provider_states begin select raise(abort, 'storage is full'); end",
      );
      try {
        const refused = await send(key, {});
        expect(refused).toMatchObject({ status: 503, error: { code: "ids_not_stored" } });
        expect(JSON.stringify(refused)).not.toContain(id);
      } finally {
        database.exec("drop trigger refused");
        database.close();
      }
      expect(served()).toHaveLength(1);
      expect(await gateway.lastLog()).toMatchObject({
        outcome: "cut",
        prompt_tokens: 6,
        completion_tokens: 12,
        quota: 54,
      });
      expect((await send(key, {})).status).toBe(200);
    });

  test("a follow-up holds what the response that it continues has counted", {
    tags: ["S2-12"],
  }, async () => {
    const own = {
      config: '{"may_report_false_usage":false}',
      key: "key-long",
      base_url: upstream.url,
      models: "long",
    };
    await gateway.given.channel(own);
    const follow = async (name: string, quota: number, input_tokens: number) => {
      const apiKey = (await (await gateway.given.user(name, { quota })).token()).key;
      const counted = { input_tokens, output_tokens: 12, total_tokens: input_tokens + 12 };
      const { id } = await issue(
        apiKey,
        { usage: counted },
        { model: "long", max_output_tokens: 16 },
      );
      await gateway.settled();
      // Written after the settlement.
      const kept = `select context_tokens from provider_states where id_hash = '${hash("sha256", id)}'`;
      await expect
        .poll(
          async () =>
            (await gateway.rows<{ context_tokens: number | null }>(kept))[0]?.context_tokens,
          {
            timeout: 20_000,
          },
        )
        .toEqual(expect.anything());
      return send(apiKey, { model: "long", max_output_tokens: 16, previous_response_id: id });
    };
    expect(await follow("short", 20_000, 6)).toMatchObject({ status: 200 });
    expect(await follow("lengthy", 290_000, 200_000)).toMatchObject({
      status: 403,
      error: { code: "insufficient_user_quota" },
    });
  });

  test("nothing is stored for a response that the provider does not keep", async () => {
    const before = (await rows()).length;
    await issue(key, {}, { store: false });
    expect((await rows()).length).toBe(before);
  });

  test("what Anthropic takes off the retry of a refused request is for the user, the channel and the key that were refused", {
    tags: ["S2-12"],
  }, async () => {
    const refused = (token: string) => ({
      ...{ id: "msg_1", type: "message", role: "assistant", model: "claude", content: [] },
      stop_reason: "refusal",
      stop_details: {
        type: "refusal",
        category: "cyber",
        explanation: null,
        fallback_credit_token: token,
      },
      usage: { input_tokens: 6, output_tokens: 1 },
    });
    const delta = { stop_reason: "refusal", stop_details: refused("credit-stream").stop_details };
    const body = {
      model: "twice",
      max_tokens: 64,
      messages: [{ role: "user", content: "hi" }],
      input: undefined,
    };
    const path = "/v1/messages";
    for (const key of ["key-claude-1", "key-claude-2"])
      await gateway.given.channel({ type: 14, key, base_url: upstream.url, models: "twice" });
    upstream.answer = whole(refused("credit-whole"));
    await send(key, body, path);
    const issuer = upstream.requests.at(-1)?.headers["x-api-key"];
    upstream.answer = streamed(
      event({
        type: "message_start",
        message: { ...refused(""), stop_details: null, usage: { input_tokens: 6 } },
      }),
      event({ type: "message_delta", delta, usage: { output_tokens: 1 } }),
      event({ type: "message_stop" }),
    );
    const stream = await fetch(gateway.url + path, {
      ...{ method: "POST", body: JSON.stringify({ ...body, stream: true }) },
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    expect(await stream.text()).toContain("credit-stream");
    upstream.answer = whole({ ...refused(""), stop_details: null });
    for (const fallback_credit_token of [
      "credit-whole",
      { token: "credit-stream", mode: "best_effort" },
      "credit-of-nobody",
    ])
      expect(await send(stranger, { ...body, fallback_credit_token }, path)).toMatchObject({
        status: 404,
        error: { type: "not_found_error" },
      });
    for (let round = 0; round < 6; round += 1) {
      const retry = { ...body, fallback_credit_token: "credit-whole" };
      expect((await send(second, retry, path)).status).toBe(200);
      expect(upstream.requests.at(-1)?.headers["x-api-key"]).toBe(issuer);
    }
  });

  test("a container of Anthropic's is for the user who received it", {
    tags: ["S2-12"],
  }, async () => {
    const reply = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [{ type: "text", text: "hi" }],
      container: { id: "container_of_ann", expires_at: "2026-12-01T00:00:00Z" },
      stop_reason: "end_turn",
      usage: { input_tokens: 6, output_tokens: 12 },
    };
    upstream.answer = whole(reply);
    const body = {
      model: "claude",
      max_tokens: 64,
      messages: [{ role: "user", content: "hi" }],
      input: undefined,
    };
    const path = "/v1/messages";
    expect((await send(key, body, path)).status).toBe(200);
    const next = { ...body, container: "container_of_ann" };
    expect(await send(stranger, next, path)).toMatchObject({
      status: 404,
      error: { type: "not_found_error" },
    });
    expect(await send(stranger, next, `${path}/count_tokens`)).toMatchObject({ status: 404 });
    expect((await send(second, next, path)).status).toBe(200);
  });

  test("a conversation that Anthropic keeps is continued by its user alone, where it is kept, and held for", {
    tags: ["S2-12", "S2-04"],
  }, async () => {
    const reply = (id: string) => ({
      id,
      type: "message",
      role: "assistant",
      model: "claude",
      content: [{ type: "text", text: "hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 6, output_tokens: 12 },
    });
    const path = "/v1/messages";
    const trusted = {
      config: '{"may_report_false_usage":false}',
      key: "key-thread",
      base_url: upstream.url,
    };
    await gateway.given.channel({ type: 14, ...trusted, models: "threaded" });
    const body = {
      model: "threaded",
      max_tokens: 64,
      messages: [{ role: "user", content: "hi" }],
      input: undefined,
    };
    const thread = (previous_message_id: string) => ({
      ...body,
      thread: { type: "continue", previous_message_id },
    });
    upstream.answer = whole(reply("msg_untold"));
    expect((await send(key, body, path)).status).toBe(200);
    upstream.answer = whole(reply("msg_thread"));
    expect((await send(key, { ...body, thread: { type: "create" } }, path)).status).toBe(200);
    upstream.answer = whole(reply("msg_next"));
    expect((await send(second, thread("msg_thread"), path)).status).toBe(200);
    for (const [client, id] of [
      [stranger, "msg_thread"],
      [key, "msg_untold"],
      [key, "msg_never"],
    ] as const)
      expect(await send(client, thread(id), path)).toMatchObject({
        status: 404,
        error: { type: "not_found_error" },
      });
    const compared = (previous_message_id: string | null) => ({
      ...body,
      diagnostics: { previous_message_id },
    });
    upstream.answer = whole(reply("msg_compared"));
    expect((await send(key, compared(null), path)).status).toBe(200);
    expect((await send(second, compared("msg_compared"), path)).status).toBe(200);
    expect((await send(key, compared("msg_never"), path)).status).toBe(200);
    expect(await send(stranger, compared("msg_compared"), path)).toMatchObject({ status: 404 });
    expect(await send(key, { ...thread("msg_next"), model: "m" }, path)).toMatchObject({
      status: 400,
    });
    const poor = await gateway.given.user("poor in threads", { quota: 130_000 });
    const { key: poorKey } = await poor.token();
    upstream.answer = whole({
      ...reply("msg_of_the_poor"),
      usage: { input_tokens: 70_000, output_tokens: 12 },
    });
    expect((await send(poorKey, { ...body, thread: { type: "create" } }, path)).status).toBe(200);
    const kept = `select context_tokens from provider_states where id_hash = '${hash("sha256", "msg_of_the_poor")}'`;
    await expect
      .poll(
        async () =>
          (await gateway.rows<{ context_tokens: number | null }>(kept))[0]?.context_tokens,
        {
          timeout: 20_000,
        },
      )
      .toBe(70_012);
    // What the thread has counted is held for: more than is left.
    expect(await send(poorKey, thread("msg_of_the_poor"), path)).toMatchObject({ status: 429 });
    expect((await send(poorKey, body, path)).status).toBe(200);
  });
});
