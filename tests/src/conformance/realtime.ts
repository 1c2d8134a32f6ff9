// Sessions over a WebSocket: a wish, an answer, and its bill.
import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { describe, expect } from "vitest";
import { WebSocket } from "ws";
import { answer, transcript, transcriptionUsage, usage } from "../relay/canned-realtime.ts";
import { type Family, families } from "./families.ts";
import type { Grid, Place } from "./grid.ts";
import { otherTable, type realtimeColumns } from "./others.ts";
import type { Stage } from "./stage.ts";

async function session({ realtime, access, channel, logged }: Stage, family: Family): Promise<void> {
  const model = `${family.model}-realtime`;
  await channel(family, [model], { base_url: realtime.url });
  realtime.onEvent = (opened, { type }) => {
    if (type === "response.create") answer(opened);
  };
  const client = new OpenAI({ baseURL: `${access.url}/v1`, apiKey: access.key });
  // The library insists on encryption, which is somebody else's in front of the gateway.
  const options = { createConnection: () => connect(Number(new URL(access.url).port), "127.0.0.1") } as object;
  const library = new OpenAIRealtimeWS({ model, options }, client);
  await new Promise<void>((resolve, reject) => {
    library.on("error", reject);
    library.on("session.created", () => library.send({ type: "response.create" }));
    library.on("response.done", () => resolve());
  });
  library.close();
  const [row] = await logged([model]);
  expect(row).toMatchObject({ prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens });
}

/** The library names no model in the address of such a session, and there is one for each family. */
const transcribing = (model: string): string => `model=${encodeURIComponent(model)}&intent=transcription`;

const socketFor = ({ access }: Stage, query: string): WebSocket =>
  new WebSocket(`${access.url.replace(/^http/, "ws")}/v1/realtime?${query}`, {
    headers: { authorization: `Bearer ${access.key}` },
  });

/** Sound goes in, and what was said comes out, written down. */
async function transcription(stage: Stage, family: Family): Promise<void> {
  const { realtime, channel, logged } = stage;
  const model = `${family.model}-transcribe`;
  await channel(family, [model], { base_url: realtime.url });
  realtime.onEvent = (opened, { type }) => {
    if (type === "input_audio_buffer.commit") transcript(opened, transcriptionUsage);
  };
  const socket = socketFor(stage, transcribing(model));
  const heard: string[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.on("message", (data) => {
      const { type, transcript: said } = JSON.parse(String(data)) as { type: string; transcript?: string };
      if (type === "session.created") {
        socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio: "A".repeat(6_400) }));
        socket.send(JSON.stringify({ type: "input_audio_buffer.commit" }));
      }
      if (said === undefined) return;
      heard.push(said);
      resolve();
    });
  });
  socket.close();
  expect(heard).toEqual(["so it is"]);
  const address = new URL(realtime.sessions.at(-1)?.url ?? "", realtime.url);
  expect(address.search).toBe("?intent=transcription");
  const [row] = await logged([model]);
  const { input_tokens, output_tokens } = transcriptionUsage;
  expect(row).toMatchObject({ prompt_tokens: input_tokens, completion_tokens: output_tokens, outcome: "success" });
}

async function refused(stage: Stage, query: string): Promise<void> {
  const socket = socketFor(stage, query);
  const status = await new Promise((resolve, reject) => {
    socket.once("unexpected-response", (_, response) => {
      response.resume();
      resolve(response.statusCode);
    });
    socket.once("open", () => reject(new Error("a session was opened")));
  });
  expect(status).toBe(503);
}

export function tryRealtime(grid: Grid, stage: Stage): void {
  for (const family of families) {
    describe(`realtime over ${family.name}`, () => {
      const at = (column: (typeof realtimeColumns)[number]): Place => ({ table: otherTable, row: family.name, column });
      const [talks, writes] = [at("Realtime"), at("Realtime transcription")];
      if (family.hasRealtime) {
        grid.try(talks, "openai", () => session(stage, family));
        grid.try(writes, "a WebSocket", () => transcription(stage, family));
      } else {
        const reason = "The provider has nothing of the kind: calls are refused with 503.";
        const { model } = family;
        grid.lacks(talks, reason, "is refused", () => refused(stage, `model=${encodeURIComponent(model)}`));
        grid.lacks(writes, reason, "is refused", () => refused(stage, transcribing(model)));
      }
    });
  }
}
