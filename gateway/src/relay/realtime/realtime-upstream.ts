/**
 * Opens the provider's WebSocket of a realtime session, under the same egress policy as every other
 * call.
 */
import type { ClientRequestArgs, IncomingMessage } from "node:http";
import { type ClientOptions, type RawData, WebSocket } from "ws";
import { EgressBlocked } from "../../egress/egress.ts";
import { InvalidChannelKey } from "../providers/provider.ts";
import {
  buildUpstreamRequest,
  listHeaderSecrets,
  type SendableCall,
} from "../providers/upstream-request.ts";
import type { ChannelAccess, ChannelIdentity, ServedModels } from "../routing/channel-parts.ts";
import { readErrorReason } from "../upstream/forward.ts";
import { redactSecrets } from "../upstream/redact-secrets.ts";
import type { SendDeps } from "../upstream/send.ts";
import {
  buildConnectionFailed,
  buildErrorFromResponse,
  type UpstreamError,
} from "../upstream/upstream-error.ts";

/** An audio message is a few seconds; OpenAI accepts 15 MiB. */
export const messageBytesMax = 16 * 1024 * 1024;
/** `handshakeMs` is for the whole handshake, or the whole refusal. */
const handshakeMs = 15_000;
const errorBodyMax = 64 * 1024;

export interface RealtimeMessage {
  data: RawData;
  isBinary: boolean;
}

export interface UpstreamSocket {
  socket: WebSocket;
  /** Messages that arrived before a listener was added. */
  early: RealtimeMessage[];
}

export async function connectUpstream(
  { egress, providerTokens, now }: SendDeps,
  call: SendableCall,
  channel: ChannelIdentity & ServedModels & ChannelAccess,
  model: string,
): Promise<UpstreamSocket | { error: UpstreamError }> {
  try {
    const token = await providerTokens.secretFor(channel);
    if ("error" in token) return { error: redactSecrets(token.error, channel.key) };
    const { url, headers } = await buildUpstreamRequest(call, channel, model, token.secret, now());
    const secrets = [channel.key, token.secret, ...listHeaderSecrets(channel.settings.config)];
    const { socketOptions } = egress.through(channel.proxy);
    const connected = await openSocket(url, {
      headers: formatHeadersByName(headers),
      ...socketOptions(url),
    });
    return "error" in connected ? { error: redactSecrets(connected.error, ...secrets) } : connected;
  } catch (error) {
    if (error instanceof InvalidChannelKey) return { error: buildConnectionFailed(error.message) };
    if (error instanceof EgressBlocked) return { error: buildConnectionFailed(error.message) };
    throw error;
  }
}

/** Headers of a body, which a handshake does not have. */
const bodyHeaders = new Set(["content-type", "accept"]);

function formatHeadersByName(headers: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? "").toLowerCase();
    if (!bodyHeaders.has(name)) named[name] = headers[at + 1] ?? "";
  }
  return named;
}

export function openSocket(
  url: URL,
  options: ClientRequestArgs,
  withinMs = handshakeMs,
): Promise<UpstreamSocket | { error: UpstreamError }> {
  let deadline: NodeJS.Timeout | undefined;
  return new Promise<UpstreamSocket | { error: UpstreamError }>((resolve) => {
    const bounds: ClientOptions = { maxPayload: messageBytesMax, perMessageDeflate: false };
    const socket = new WebSocket(url, { ...options, ...bounds } as ClientRequestArgs);
    const early: RealtimeMessage[] = [];
    const buffer = (data: RawData, isBinary: boolean): void => void early.push({ data, isBinary });
    socket.on("message", buffer);
    // That of the library begins anew with each byte, and does not watch a connection through a
    // proxy.
    deadline = setTimeout(() => {
      resolve({ error: buildConnectionFailed("the provider did not open the WebSocket in time") });
      socket.terminate();
    }, withinMs);
    socket.on("error", (error) =>
      resolve({ error: buildConnectionFailed(readErrorReason(error)) }),
    );
    socket.once("open", () => resolve({ socket, early }));
    socket.once("unexpected-response", (request, response: IncomingMessage) => {
      void readError(response).then((error) => {
        request.destroy();
        resolve({ error });
      });
    });
  }).finally(() => clearTimeout(deadline));
}

async function readError(response: IncomingMessage): Promise<UpstreamError> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > errorBodyMax) break;
    }
  } catch {
    // The status is enough.
  }
  return buildErrorFromResponse(
    response.statusCode ?? 0,
    Buffer.concat(chunks),
    response.headers,
    Date.now(),
  );
}
