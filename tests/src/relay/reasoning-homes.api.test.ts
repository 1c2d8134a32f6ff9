// Reasoning that a provider signed for one account, in a conversation that two nodes answer over
// two accounts.
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedProvider, startCannedProvider } from "./canned-provider.ts";

const model = "claude-signing";
/** As long as real ones. */
const signatureOf = (account: string): string =>
  Buffer.from(`${account}:`.padEnd(300, "s")).toString("base64");

/** Signs with the account whose key it is asked with, and refuses what another one signed. */
function answerAs(response: ServerResponse, { headers }: IncomingMessage, body: string): void {
  const account = String(headers["x-api-key"]);
  const signed = [...body.matchAll(/"signature":"([^"]+)"/g)].map(([, signature]) => signature);
  if (signed.some((signature) => signature !== signatureOf(account))) {
    const message = "messages.1.content.0: Invalid `signature` in `thinking` block";
    const refused = { type: "error", error: { type: "invalid_request_error", message } };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(refused));
    return;
  }
  const answer = {
    ...{ id: "msg_1", type: "message", role: "assistant", model, stop_reason: "end_turn" },
    content: [
      { type: "thinking", thinking: "hm", signature: signatureOf(account) },
      { type: "text", text: account },
    ],
    usage: { input_tokens: 5, output_tokens: 3 },
  };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

describe.skipIf(!databaseKinds.includes("postgres"))("signed reasoning on two nodes", () => {
  let gateway: TestGateway;
  let other: GatewayProcess;
  let upstream: CannedProvider;
  let key: string;
  beforeAll(async () => {
    upstream = await startCannedProvider();
    upstream.answer = answerAs;
    gateway = await startTestGateway({ store: "postgres", upstreams: [upstream.url] });
    const { dataDir, databaseUrl = "" } = gateway;
    const channel = { type: 14, base_url: upstream.url, models: model };
    // The first channel has two accounts of its own.
    await gateway.given.channel({
      ...channel,
      key: "one\ntwo",
      config: JSON.stringify({ multi_key: true }),
    });
    await gateway.given.channel({ ...channel, key: "three" });
    key = (await gateway.given.token()).key;
    other = await startGatewayProcess({ dataDir, databaseUrl, upstreams: [upstream.url] });
  });
  afterAll(async () => {
    await other.stop();
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
    await upstream.close();
  });

  interface SaidTurn {
    role: string;
    content: unknown;
  }
  const say = async (node: { url: string }, messages: SaidTurn[]) => {
    const response = await fetch(`${node.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model, max_tokens: 9, messages }),
    });
    return {
      status: response.status,
      content: ((await response.json()) as { content: unknown }).content,
    };
  };
  const accountOf = (content: unknown): string => (content as { text: string }[])[1]?.text ?? "";
  const homes = () =>
    gateway.rows<{ channel_id: number }>("select channel_id from reasoning_homes");

  test("goes back to the channel and key that signed it, whichever node the next turn reaches", async () => {
    for (let number = 0; number < 6; number++) {
      const before = (await homes()).length;
      const asked = upstream.requests.length;
      const messages: SaidTurn[] = [{ role: "user", content: `conversation ${number}` }];
      let account: string | undefined;
      for (const [turn, node] of [gateway, other, gateway, other].entries()) {
        const { status, content } = await say(node, messages);
        expect(status).toBe(200);
        account ??= accountOf(content);
        expect(accountOf(content)).toBe(account);
        messages.push({ role: "assistant", content }, { role: "user", content: "go on" });
        if (turn === 0) await expect.poll(async () => (await homes()).length).toBe(before + 1);
      }
      // None was refused and asked again.
      expect(upstream.requests.length).toBe(asked + 4);
    }
  });

  test("is left out where its account answers no longer, and the conversation goes on elsewhere", async () => {
    const messages: SaidTurn[] = [{ role: "user", content: "a last conversation" }];
    const first = await say(gateway, messages);
    const account = accountOf(first.content);
    await expect.poll(async () => (await homes()).length).toBe(7);
    messages.push(
      { role: "assistant", content: first.content },
      { role: "user", content: "go on" },
    );
    const channels = await gateway.rows<{ id: number }>("select id from channels order by id");
    const at = account === "three" ? 1 : 0;
    await gateway.api("PUT", "/api/channel/?status_only=1", { id: channels[at]?.id, status: 2 });
    await expect
      .poll(async () => {
        const { status, content } = await say(other, messages);
        return [status, accountOf(content) === account];
      })
      .toEqual([200, false]);
    expect(upstream.bodies.at(-1)).toMatchObject({
      messages: [{}, { content: [{ type: "text" }] }, {}],
    });
  });
});
