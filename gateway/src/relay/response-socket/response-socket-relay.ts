/**
 * Responses over WebSocket: who may open a connection, and how each of its turns becomes a call
 * like any other.
 */
import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { requestIdFromId } from "../../storage/time-ids.ts";
import { authenticate, readCredential } from "../admission/authenticate.ts";
import type { CallerFunds, CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import {
  buildCredentialForSocket,
  isUpgradeTo,
  type UpgradingConnection,
} from "../admission/socket-handshake.ts";
import { buildRefusal, refuseCall, refuseWhenOverloaded } from "../call-refusals.ts";
import { Exchange } from "../exchange.ts";
import type { ArrivedRequest, KnownCall, ReplyToClient } from "../exchange-parts.ts";
import { responsesOverSocket } from "../formats/responses-socket.ts";
import { shortageRefusals, unpaidBodyMax } from "../read-body.ts";
import { callOfJson } from "../read-request.ts";
import { isFreeModel, refuseUnpaid } from "../refuse-unpaid.ts";
import { type ReadCall, type RelayCallDeps, relayCall } from "../relay.ts";
import { type RelayRefusal, RelayRefused } from "../wire/relay-refusal.ts";
import { ResponseSocketSession } from "./response-socket-session.ts";
import type { TurnResponse } from "./turn-response.ts";

export interface ResponseSocketRelay {
  /**
   * Takes over a connection that requests a WebSocket; resolves when it is closed and each of its
   * turns is settled.
   */
  open(exchange: KnownCall & ReplyToClient, connection: UpgradingConnection): Promise<void>;
  /** Ends every connection as soon as no answer is in progress. */
  stop(): void;
  /** Ends every connection now. */
  cut(): void;
}

/** A message holds a whole conversation; one with more pictures fits into a call by HTTP. */
const messageBytesMax = 16 * 1024 * 1024;
/** Agents open one for each conversation. */
const connectionsOfKeyMax = 64;

export const isResponseSocketUpgrade = (request: IncomingMessage): boolean =>
  isUpgradeTo("/v1/responses", request);

export interface ResponseSocketRelayDeps {
  mintId(): number;
  clientStallTimeoutMs: number;
  /** Counts and notes the call of one turn as every other. */
  watchCall(exchange: KnownCall & ReplyToClient, call: () => Promise<void>): Promise<void>;
}

export function createResponseSocketRelay(
  deps: RelayCallDeps,
  { mintId, clientStallTimeoutMs, watchCall }: ResponseSocketRelayDeps,
): ResponseSocketRelay {
  const sessions = new Set<ResponseSocketSession>();
  const connectionsOfKey = new Map<number, number>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    // A browser insists on one of those that it offers. Those with a value may contain a key and
    // must not be echoed.
    handleProtocols: (offered) => [...offered].find((protocol) => !protocol.includes(".")) ?? false,
  });

  /** Throws `RelayRefused`. */
  async function admit(exchange: KnownCall): Promise<CallerIdentity & CallerReach & CallerFunds> {
    const { request } = exchange;
    refuseWhenOverloaded(deps);
    const credential = buildCredentialForSocket(request, deps.settings.keyPrefix);
    const caller = await authenticate(credential, deps.apiKeys, exchange, deps.now());
    if ((connectionsOfKey.get(caller.tokenId) ?? 0) >= connectionsOfKeyMax)
      throw refuseTooManyConnections();
    // From here on the key stands where all calls have it.
    if (!readCredential(request.headers, deps.settings.keyPrefix))
      request.headers.authorization = credential.whole;
    return caller;
  }

  /** A message cannot be read before it is whole, so any free model lets one pass that is large. */
  async function refusalOfLarge(
    caller: CallerIdentity & CallerReach & CallerFunds,
  ): Promise<RelayRefusal | undefined> {
    const hasFreeModel = (): boolean =>
      deps.channels.snapshot
        .modelsOf(caller.groups)
        .some((model) => isFreeModel(model, caller, deps));
    try {
      await refuseUnpaid(caller, deps, hasFreeModel);
      return undefined;
    } catch (error) {
      return buildRefusal(error, deps.onError);
    }
  }

  /** A turn is authenticated anew: its key may have been disabled since. */
  async function answerTurn(
    { request, address }: ArrivedRequest,
    body: Buffer,
    response: TurnResponse,
  ): Promise<void> {
    const turn = new Exchange(mintId(), request, response, address, clientStallTimeoutMs);
    const read: ReadCall = async (options) => {
      const shortage = options.terms.room.take(body.length);
      if (shortage) throw new RelayRefused(shortageRefusals[shortage]);
      if (body.length > unpaidBodyMax)
        await options.terms.refuseUnpaid?.(body.subarray(0, 2 * unpaidBodyMax));
      return callOfJson(body, request.headers, {
        ...options,
        formatFor: () => responsesOverSocket,
      });
    };
    await watchCall(turn, () => relayCall(turn, responsesOverSocket, deps, read));
  }

  async function serve(
    exchange: ArrivedRequest,
    caller: CallerIdentity & CallerReach & CallerFunds,
    connection: UpgradingConnection,
  ): Promise<void> {
    const { tokenId, userId } = caller;
    const { response, socket, head } = connection;
    response.detachSocket(socket);
    let client: WebSocket | undefined;
    server.handleUpgrade(exchange.request, socket, head, (accepted) => {
      client = accepted;
    });
    if (!client) return;
    const session = new ResponseSocketSession(client, socket, {
      bodyMemoryBudget: deps.bodyMemoryBudget,
      userId,
      refusalOfLarge: () => refusalOfLarge(caller),
      answerTurn: (body, turnResponse) => answerTurn(exchange, body, turnResponse),
      refusalOf: (error) => buildRefusal(error, deps.onError),
      mintRequestId: () => requestIdFromId(mintId()),
    });
    sessions.add(session);
    connectionsOfKey.set(tokenId, (connectionsOfKey.get(tokenId) ?? 0) + 1);
    await session.run();
    sessions.delete(session);
    const left = (connectionsOfKey.get(tokenId) ?? 1) - 1;
    if (left > 0) connectionsOfKey.set(tokenId, left);
    else connectionsOfKey.delete(tokenId);
  }

  return {
    async open(exchange, connection) {
      try {
        const caller = await admit(exchange);
        if (!exchange.hasClientLeft) await serve(exchange, caller, connection);
      } catch (error) {
        refuseCall(exchange, responsesOverSocket.endpoint, error, deps);
      }
    },
    stop() {
      for (const session of sessions) session.stop();
    },
    cut() {
      for (const session of sessions) session.cut();
    },
  };
}

const refuseTooManyConnections = (): RelayRefused =>
  new RelayRefused({
    status: 429,
    type: "rate_limit_error",
    code: "too_many_connections",
    message: `A key may have ${connectionsOfKeyMax} WebSockets open at once`,
  });
