/** Opens the provider's side of a realtime session: by the same policy as every other call. */
import type { ClientRequestArgs, IncomingMessage } from "node:http";
import { type ClientOptions, type RawData, WebSocket } from "ws";
import { EgressBlocked } from "../egress/egress.ts";
import type { RelayChannel } from "./channel-table.ts";
import { reasonOf } from "./forward.ts";
import { LoginRefused } from "./providers/provider.ts";
import { toUpstream } from "./providers/to-upstream.ts";
import type { Sending } from "./send.ts";
import type { Call } from "./shapes/shape.ts";
import { brokenUpstream, failedUpstream, type Trouble } from "./trouble.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** A message of sound is a few seconds; OpenAI takes 15 MiB. */
export const messageMax = 16 * 1024 * 1024;
const handshakeMs = 15_000;
const errorBodyMax = 64 * 1024;

export interface Message {
  data: RawData;
  isBinary: boolean;
}

export interface UpstreamSocket {
  socket: WebSocket;
  /** What came before anybody listened. */
  early: Message[];
}

export async function connectUpstream(
  { egress, logins, now }: Sending,
  call: Call,
  channel: RelayChannel,
  model: string,
): Promise<UpstreamSocket | { trouble: Trouble }> {
  try {
    const login = await logins.secretOf(channel);
    if ("trouble" in login) return { trouble: withoutSecrets(login.trouble, channel.key) };
    const { url, headers } = await toUpstream(call, channel, model, login.secret, now());
    const connected = await opened(url, { headers: namedHeaders(headers), ...egress.socketOptions(url) });
    return "trouble" in connected
      ? { trouble: withoutSecrets(connected.trouble, channel.key, login.secret) }
      : connected;
  } catch (error) {
    if (error instanceof LoginRefused) return { trouble: brokenUpstream(error.message) };
    if (error instanceof EgressBlocked) return { trouble: brokenUpstream(error.message) };
    throw error;
  }
}

/** They describe a body, and there is none. */
const ofBodies = new Set(["content-type", "accept"]);

function namedHeaders(headers: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? "").toLowerCase();
    if (!ofBodies.has(name)) named[name] = headers[at + 1] ?? "";
  }
  return named;
}

function opened(url: URL, options: ClientRequestArgs): Promise<UpstreamSocket | { trouble: Trouble }> {
  return new Promise((resolve) => {
    const bounds: ClientOptions = { maxPayload: messageMax, perMessageDeflate: false, handshakeTimeout: handshakeMs };
    const socket = new WebSocket(url, { ...options, ...bounds } as ClientRequestArgs);
    const early: Message[] = [];
    const keep = (data: RawData, isBinary: boolean): void => void early.push({ data, isBinary });
    socket.on("message", keep);
    socket.on("error", (error) => resolve({ trouble: brokenUpstream(reasonOf(error)) }));
    socket.once("open", () => resolve({ socket, early }));
    socket.once("unexpected-response", (request, response: IncomingMessage) => {
      void refusalIn(response).then((trouble) => {
        request.destroy();
        resolve({ trouble });
      });
    });
  });
}

async function refusalIn(response: IncomingMessage): Promise<Trouble> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > errorBodyMax) break;
    }
  } catch {
    // Its status says enough.
  }
  return failedUpstream(response.statusCode ?? 0, Buffer.concat(chunks), response.headers["retry-after"], Date.now());
}
