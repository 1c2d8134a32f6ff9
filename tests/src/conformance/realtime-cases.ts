/** Sessions over a WebSocket: a request, a response, and its charge. */
import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { describe, expect } from "vitest";
import { WebSocket } from "ws";
import {
  sendResponse,
  sendTranscript,
  transcriptionUsage,
  usage,
} from "../relay/canned-realtime-provider.ts";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid, GridCell } from "./conformance-grid.ts";
import { otherTable, type realtimeColumns } from "./other-endpoint-cases.ts";
import { type ProviderFamily, providerFamilies } from "./provider-families.ts";

async function checkSession(
  { realtime, access, channel, logged }: ConformanceGateway,
  family: ProviderFamily,
): Promise<void> {
  const model = `${family.model}-realtime`;
  await channel(family, [model], { base_url: realtime.url });
  realtime.onEvent = (opened, { type }) => {
    if (type === "response.create") sendResponse(opened);
  };
  const client = new OpenAI({ baseURL: `${access.url}/v1`, apiKey: access.key });
  // The library insists on TLS, which ends in front of the gateway.
  const options = {
    createConnection: () => connect(Number(new URL(access.url).port), "127.0.0.1"),
  } as object;
  const library = new OpenAIRealtimeWS({ model, options }, client);
  await new Promise<void>((resolve, reject) => {
    library.on("error", reject);
    library.on("session.created", () => library.send({ type: "response.create" }));
    library.on("response.done", () => resolve());
  });
  library.close();
  const [row] = await logged([model]);
  expect(row).toMatchObject({
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
  });
}

/**
 * The library names no model in the address of such a session, and there is one for each family.
 */
const transcribing = (model: string): string =>
  `model=${encodeURIComponent(model)}&intent=transcription`;

const socketFor = ({ access }: ConformanceGateway, query: string): WebSocket =>
  new WebSocket(`${access.url.replace(/^http/, "ws")}/v1/realtime?${query}`, {
    headers: { authorization: `Bearer ${access.key}` },
  });

/** Audio in, its transcript out. */
async function checkTranscription(
  gateway: ConformanceGateway,
  family: ProviderFamily,
): Promise<void> {
  const { realtime, channel, logged } = gateway;
  const model = `${family.model}-transcribe`;
  await channel(family, [model], { base_url: realtime.url });
  realtime.onEvent = (opened, { type }) => {
    if (type === "input_audio_buffer.commit") sendTranscript(opened, transcriptionUsage);
  };
  const socket = socketFor(gateway, transcribing(model));
  const transcripts: string[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.on("message", (data) => {
      const { type, transcript: text } = JSON.parse(String(data)) as {
        type: string;
        transcript?: string;
      };
      if (type === "session.created") {
        socket.send(
          JSON.stringify({ type: "input_audio_buffer.append", audio: "A".repeat(6_400) }),
        );
        socket.send(JSON.stringify({ type: "input_audio_buffer.commit" }));
      }
      if (text === undefined) return;
      transcripts.push(text);
      resolve();
    });
  });
  socket.close();
  expect(transcripts).toEqual(["so it is"]);
  const address = new URL(realtime.sessions.at(-1)?.url ?? "", realtime.url);
  expect(address.search).toBe("?intent=transcription");
  const [row] = await logged([model]);
  const { input_tokens, output_tokens } = transcriptionUsage;
  expect(row).toMatchObject({
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    outcome: "success",
  });
}

async function checkRefused(gateway: ConformanceGateway, query: string): Promise<void> {
  const socket = socketFor(gateway, query);
  const status = await new Promise((resolve, reject) => {
    socket.once("unexpected-response", (_, response) => {
      response.resume();
      resolve(response.statusCode);
    });
    socket.once("open", () => reject(new Error("a session was opened")));
  });
  expect(status).toBe(400);
}

export function testRealtime(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  for (const family of providerFamilies) {
    describe(`realtime over ${family.name}`, () => {
      const at = (column: (typeof realtimeColumns)[number]): GridCell => ({
        table: otherTable,
        row: family.name,
        column,
      });
      const [talks, writes] = [at("Realtime"), at("Realtime transcription")];
      if (family.hasRealtime) {
        grid.test(talks, "openai", () => checkSession(gateway, family));
        grid.test(writes, "a WebSocket", () => checkTranscription(gateway, family));
      } else {
        const reason = "The provider has nothing of the kind: calls are refused with 400.";
        const { model } = family;
        grid.lacks(talks, reason, "is refused", () =>
          checkRefused(gateway, `model=${encodeURIComponent(model)}`),
        );
        grid.lacks(writes, reason, "is refused", () => checkRefused(gateway, transcribing(model)));
      }
    });
  }
}
