/** The conditions under which a WebSocket of the client API opens: a whole handshake, and a key. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import { type ApiKeyCredential, readCredential, refuseMissingKey } from "./authenticate.ts";

/** A connection whose client asks for a WebSocket, before it is answered. */
export interface UpgradingConnection {
  response: ServerResponse;
  socket: Socket;
  /** Bytes that arrived after the request. */
  head: Buffer;
}

export const isUpgradeTo = (
  path: string,
  { method, url = "", headers }: IncomingMessage,
): boolean =>
  method === "GET" && url.split("?", 1)[0] === path && /^websocket$/i.test(headers.upgrade ?? "");

/**
 * The key of the request. A page may connect with a key of its own, and browsers can send it only
 * as a subprotocol. Throws `RelayRefused`, also for an incomplete handshake.
 */
export function buildCredentialForSocket(
  { headers }: IncomingMessage,
  keyPrefix: string,
): ApiKeyCredential {
  if (!isWhole(headers))
    throw refuseBadRequest("invalid_request_error", "This is no whole request for a WebSocket");
  const key = findKeyInProtocols(headers);
  const credential =
    readCredential(headers, keyPrefix) ??
    (key ? readCredential({ authorization: key }, keyPrefix) : undefined);
  if (!credential) throw refuseMissingKey();
  return credential;
}

const webSocketKey = /^[+/0-9A-Za-z]{22}==$/;

const isWhole = (headers: IncomingMessage["headers"]): boolean =>
  webSocketKey.test(headers["sec-websocket-key"] ?? "") &&
  headers["sec-websocket-version"] === "13";

const keyProtocolPrefix = "openai-insecure-api-key.";

/** The API key among the subprotocols, where browsers must put it. */
export const findKeyInProtocols = (headers: IncomingMessage["headers"]): string | undefined =>
  listSubprotocols(headers)
    .find((protocol) => protocol.startsWith(keyProtocolPrefix))
    ?.slice(keyProtocolPrefix.length);

export const listSubprotocols = (headers: IncomingMessage["headers"]): string[] =>
  (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
