/**
 * A Realtime provider that sends exactly the events of a test. They follow OpenAI's reference
 * (https://platform.openai.com/docs/api-reference/realtime-server-events) and are not captured.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

export type CannedRealtimeEvent = { type: string } & Record<string, unknown>;

export interface CannedSession {
  socket: WebSocket;
  url: string;
  headers: IncomingHttpHeaders;
  /** `received` is what the gateway sent, as JSON. */
  received: CannedRealtimeEvent[];
  send(event: CannedRealtimeEvent): void;
  closed: Promise<number>;
}

export interface CannedRealtimeProvider {
  url: string;
  sessions: CannedSession[];
  /** Reacts to each event of a session. */
  onEvent: (session: CannedSession, event: CannedRealtimeEvent) => void;
  /** Answers the handshake in place of a session. */
  refuse: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

export async function startCannedRealtimeProvider(): Promise<CannedRealtimeProvider> {
  const upstream: CannedRealtimeProvider = {
    url: "",
    sessions: [],
    onEvent: () => undefined,
    refuse: undefined,
    close: () =>
      new Promise((resolve) => {
        for (const client of sockets.clients) client.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer(
    { shouldUpgradeCallback: () => upstream.refuse === undefined },
    (_request, response) => upstream.refuse?.(response),
  );
  server.on("upgrade", (request, stream, head) => {
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const session: CannedSession = {
        socket,
        url: request.url ?? "",
        headers: request.headers,
        received: [],
        send: (event) =>
          socket.send(JSON.stringify({ event_id: `event_${session.received.length}`, ...event })),
        closed: new Promise((resolve) => socket.once("close", resolve)),
      };
      upstream.sessions.push(session);
      socket.on("message", (data) => {
        const event = JSON.parse(String(data)) as CannedRealtimeEvent;
        session.received.push(event);
        upstream.onEvent(session, event);
      });
      const { searchParams } = new URL(session.url, "http://upstream");
      const type = searchParams.get("intent") ?? "realtime";
      const model = searchParams.get("model");
      const object = `realtime.${type === "realtime" ? "" : "transcription_"}session`;
      session.send({
        type: "session.created",
        session: { type, object, ...(model !== null && { model }) },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return upstream;
}

export const usage = {
  total_tokens: 30,
  input_tokens: 12,
  output_tokens: 18,
  input_token_details: {
    text_tokens: 8,
    audio_tokens: 4,
    cached_tokens: 2,
    cached_tokens_details: { text_tokens: 2 },
  },
  output_token_details: { text_tokens: 10, audio_tokens: 8 },
};

const response = (status: string, counted: object | null) => ({
  id: "resp_1",
  object: "realtime.response",
  status,
  output: [],
  usage: counted,
});
export const responseCreated: CannedRealtimeEvent = {
  type: "response.created",
  response: response("in_progress", null),
};
export const responseDone: CannedRealtimeEvent = {
  type: "response.done",
  response: response("completed", usage),
};
const where = { response_id: "resp_1", item_id: "item_1", output_index: 0, content_index: 0 };
export const textDelta = (delta: string): CannedRealtimeEvent => ({
  type: "response.output_text.delta",
  ...where,
  delta,
});
export const audioDelta = (delta: string): CannedRealtimeEvent => ({
  type: "response.output_audio.delta",
  ...where,
  delta,
});

export const transcriptionUsage = {
  type: "tokens",
  total_tokens: 26,
  input_tokens: 22,
  input_token_details: { text_tokens: 3, audio_tokens: 19 },
  output_tokens: 4,
};

/** Sends a transcript in deltas, with its usage. */
export function sendTranscript(session: CannedSession, usage?: object): void {
  const item = { item_id: "item_1", content_index: 0 };
  const type = "conversation.item.input_audio_transcription";
  session.send({ type: "input_audio_buffer.committed", item_id: "item_1", previous_item_id: null });
  for (const delta of ["so ", "it is"]) session.send({ type: `${type}.delta`, ...item, delta });
  session.send({
    type: `${type}.completed`,
    ...item,
    transcript: "so it is",
    ...(usage && { usage }),
  });
}

/** Sends one response: text deltas, and usage. */
export function sendResponse(session: CannedSession): void {
  for (const event of [
    responseCreated,
    textDelta("so "),
    textDelta("it "),
    textDelta("is"),
    responseDone,
  ])
    session.send(event);
}
