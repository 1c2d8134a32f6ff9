/** The life of one realtime session, top to bottom: as relay.ts tells it of a call. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { authenticate, type Credential, credentialOf } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import type { Candidate, Choice } from "./choose-channels.ts";
import type { Exchange } from "./exchange.ts";
import { Journal } from "./journal.ts";
import { RealtimeSession } from "./realtime-session.ts";
import { connectUpstream, messageMax, type UpstreamSocket } from "./realtime-upstream.ts";
import { choiceFor, openHold, type RelayParts, refusalOf, refuseWhenShort, settle, wishFor } from "./relay.ts";
import { badRequest, denied } from "./relay-refusal.ts";
import { keyInProtocols, realtimeCall, realtimeTranscription } from "./shapes/realtime.ts";
import type { Call } from "./shapes/shape.ts";
import { type TurnWish, takeTurns } from "./take-turns.ts";
import { brokenUpstream, type Trouble } from "./trouble.ts";

export interface Realtime {
  /** Takes over a connection that asks for a WebSocket; resolves when its session is settled. */
  open(exchange: Exchange, socket: Socket, head: Buffer): Promise<void>;
  /** Ends every session as soon as it is between two answers. */
  stop(): void;
  /** Ends every session now. */
  cut(): void;
}

export const isRealtimeUpgrade = ({ method, url = "", headers }: IncomingMessage): boolean =>
  method === "GET" && url.split("?", 1)[0] === "/v1/realtime" && /^websocket$/i.test(headers.upgrade ?? "");

export function openRealtime(parts: RelayParts): Realtime {
  const sessions = new Set<RealtimeSession>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: messageMax,
    perMessageDeflate: false,
    // The others that clients offer carry their key: they are not to be repeated.
    handleProtocols: (offered) => offered.has("realtime") && "realtime",
  });

  async function open(exchange: Exchange, socket: Socket, head: Buffer): Promise<void> {
    try {
      const { request } = exchange;
      refuseWhenShort(parts);
      if (!isWhole(request)) throw badRequest("invalid_request_error", "This is no whole request for a WebSocket");
      const credential = credentialIn(request, parts.settings.keyPrefix);
      if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
      const caller = await authenticate(credential, parts.keys, exchange.address, parts.now());
      const call = authorize(caller, realtimeCall(request));
      const wish = wishFor(call, caller, credential.pin, parts.settings);
      const choice = await choiceFor(wish, parts);
      const journal = new Journal(exchange, caller, call, choice);
      await openHold(exchange, { call, caller, credential, choice, journal }, parts);
      await serve({ exchange, call, choice, journal, wish: { ...wish, lastServed: undefined } }, socket, head);
    } catch (error) {
      exchange.refuse(refusalOf(error, parts.onTrouble));
    } finally {
      exchange.admission?.ended(0);
    }
  }

  /** The hold ends here, exactly once, however the session ends. */
  async function serve(asked: AskedFor, socket: Socket, head: Buffer): Promise<void> {
    const { exchange, journal } = asked;
    const reached = await reach(asked, parts).catch((error: unknown) => {
      parts.onTrouble(error);
      return { trouble: brokenUpstream("internal error") };
    });
    if ("trouble" in reached) {
      const { trouble } = reached;
      if (trouble) exchange.refuse(trouble.refusal);
      return await settle(exchange, journal.gaveUp(trouble), parts);
    }
    const { candidate, upstream } = reached;
    const client = accept(exchange, socket, head);
    if (!client) {
      upstream.socket.terminate();
      return await settle(exchange, journal.gaveUp(undefined), parts);
    }
    const { cost, channel } = candidate;
    const { model, shape } = asked.call;
    const isTranscribing = shape === realtimeTranscription;
    const session = new RealtimeSession(client, upstream, { model, upstreamModel: cost.model, isTranscribing });
    sessions.add(session);
    parts.holds.track(exchange.id, {
      channelId: channel.id,
      channelName: channel.name,
      model: cost.model,
      price: cost.frozen,
      usage: () => session.usage(),
      stop: () => session.outOfQuota(),
    });
    const ending = await session.run();
    sessions.delete(session);
    await settle(exchange, journal.ended(candidate, ending), parts);
  }

  /** Undefined when the caller has gone. */
  function accept(exchange: Exchange, socket: Socket, head: Buffer): WebSocket | undefined {
    if (exchange.hasLeft) return undefined;
    exchange.response.detachSocket(socket);
    exchange.response.statusCode = 101;
    exchange.firstByteAt = Date.now();
    let client: WebSocket | undefined;
    server.handleUpgrade(exchange.request, socket, head, (accepted) => {
      client = accepted;
    });
    return client;
  }

  return {
    open,
    stop() {
      for (const session of sessions) session.stop();
    },
    cut() {
      for (const session of sessions) session.cut();
    },
  };
}

interface AskedFor {
  exchange: Exchange;
  call: Call;
  choice: Choice;
  journal: Journal;
  wish: TurnWish;
}

type Reached = { candidate: Candidate; upstream: UpstreamSocket } | { trouble: Trouble | undefined };

/** Tries the candidates in turn; no trouble means that the caller has gone. */
async function reach({ exchange, call, choice, journal, wish }: AskedFor, parts: RelayParts): Promise<Reached> {
  let trouble: Trouble | undefined;
  const onSkip = (candidate: Candidate, reason: string): void => journal.skipped(candidate, reason);
  for await (const turn of takeTurns(choice.candidates, wish, parts, onSkip)) {
    if (exchange.hasLeft) return { trouble: undefined };
    const { candidate, channel, key } = turn;
    journal.attempt(candidate, key);
    const upstream = await connectUpstream(parts, call, channel, candidate.cost.model);
    if ("socket" in upstream) {
      journal.answered(101, Date.now());
      turn.worked();
      return { candidate, upstream };
    }
    trouble = upstream.trouble;
    journal.failed(trouble);
    if (trouble.said) parts.onRefused(channel.id, key.place, { status: trouble.status, ...trouble.said });
    turn.failed(trouble);
    if (!trouble.isRetryable) break;
  }
  return { trouble: trouble ?? brokenUpstream("no channel could be tried") };
}

const webSocketKey = /^[+/0-9A-Za-z]{22}==$/;

const isWhole = ({ headers }: IncomingMessage): boolean =>
  webSocketKey.test(headers["sec-websocket-key"] ?? "") && headers["sec-websocket-version"] === "13";

/** Any page may call with a key of its own; browsers can put it into a subprotocol alone. */
function credentialIn({ headers }: IncomingMessage, keyPrefix: string): Credential | undefined {
  const key = keyInProtocols(headers);
  return credentialOf(headers, keyPrefix) ?? (key ? credentialOf({ authorization: key }, keyPrefix) : undefined);
}
