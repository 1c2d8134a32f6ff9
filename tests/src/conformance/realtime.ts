// Sessions over a WebSocket: a wish, an answer, and its bill.
import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { describe, expect } from "vitest";
import { WebSocket } from "ws";
import { answer, usage } from "../relay/canned-realtime.ts";
import { type Family, families } from "./families.ts";
import type { Grid } from "./grid.ts";
import { otherTable } from "./others.ts";
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

async function refused({ access }: Stage, model: string): Promise<void> {
  const address = `${access.url.replace(/^http/, "ws")}/v1/realtime?model=${encodeURIComponent(model)}`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${access.key}` } });
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
      const place = { table: otherTable, row: family.name, column: "Realtime" };
      if (family.hasRealtime) grid.try(place, "openai", () => session(stage, family));
      else {
        const reason = "The provider has nothing of the kind: calls are refused with 503.";
        grid.lacks(place, reason, "is refused", () => refused(stage, family.model));
      }
    });
  }
}
