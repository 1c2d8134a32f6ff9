/**
 * The life of one realtime session, top to bottom. It shares admission and settlement with
 * relay.ts.
 */
import type { IncomingMessage } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import type { LiveHolds } from "../../money/holds/live-holds.ts";
import { authenticate, authorize } from "../admission/authenticate.ts";
import {
  buildCredentialForSocket,
  isUpgradeTo,
  type UpgradingConnection,
} from "../admission/socket-handshake.ts";
import { type AdmissionDeps, type AdmittedCall, admitCall } from "../admit-call.ts";
import {
  type FrameDeps,
  type OverloadDeps,
  refuseCall,
  refuseWhenOverloaded,
} from "../call-refusals.ts";
import { findFullChannels } from "../channel-entry.ts";
import type { CallerDeps } from "../endpoints/json-endpoint.ts";
import type {
  ArrivedRequest,
  ClientPresence,
  KnownCall,
  ReplyToClient,
  SentAnswer,
  StreamToClient,
} from "../exchange-parts.ts";
import { parseRealtimeCall, realtimeTranscription } from "../formats/realtime-format.ts";
import type { Guards } from "../guards/guards.ts";
import type { CallStates } from "../provider-states/provider-states.ts";
import { listIdsNamedInEvent } from "../provider-states/state-references.ts";
import type { ReadBodyDeps } from "../read-body.ts";
import type { RetrySettings } from "../relay-settings.ts";
import type { ChannelCandidate } from "../routing/choose-channels.ts";
import { type SettleDeps, settle } from "../settle-call.ts";
import { refuseInShadow } from "../shadow/shadow-refusal.ts";
import type { ShadowRuns } from "../shadow/shadow-runs.ts";
import {
  buildAttempts,
  buildTracedCall,
  failAttempt,
  placeCall,
  type TracingDeps,
  type TryDeps,
} from "../try-channels.ts";
import type { SendDeps } from "../upstream/send.ts";
import { buildConnectionFailed, isSentOn, type UpstreamError } from "../upstream/upstream-error.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { RealtimeSession } from "./realtime-session.ts";
import { connectUpstream, messageBytesMax, type UpstreamSocket } from "./realtime-upstream.ts";

type RealtimeDeps = CallerDeps &
  OverloadDeps &
  AdmissionDeps &
  TryDeps &
  TracingDeps &
  SendDeps &
  SettleDeps &
  FrameDeps &
  ReadBodyDeps & {
    settings: RetrySettings;
    shadow: Pick<ShadowRuns, "current">;
    guards: Guards;
    providerStates: CallStates;
    holds: Pick<LiveHolds, "track">;
  };

export interface RealtimeRelay {
  /** Takes over a connection that requests a WebSocket; resolves when its session is settled. */
  open(
    exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
    connection: UpgradingConnection,
  ): Promise<void>;
  /** Ends every session as soon as no response is in progress. */
  stop(): void;
  /** Ends every session now. */
  cut(): void;
}

/** The name of the endpoint among the metrics. */
const entry = "realtime";

export const isRealtimeUpgrade = (request: IncomingMessage): boolean =>
  isUpgradeTo("/v1/realtime", request);

export function createRealtimeRelay(deps: RealtimeDeps): RealtimeRelay {
  const sessions = new Set<RealtimeSession>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    // Other subprotocols that clients offer contain their key and must not be echoed.
    handleProtocols: (offered) => offered.has("realtime") && "realtime",
  });

  async function open(
    exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
    connection: UpgradingConnection,
  ): Promise<void> {
    try {
      const { request } = exchange;
      exchange.learn({ trace: deps.tracing?.begin(request.headers) });
      refuseWhenOverloaded(deps);
      refuseInShadow(deps.shadow);
      const credential = buildCredentialForSocket(request, deps.settings.keyPrefix);
      const caller = await authenticate(credential, deps.apiKeys, exchange, deps.now());
      const call = authorize(
        caller,
        parseRealtimeCall(request),
        deps.channels.snapshot.namesNeeded,
      );
      if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
      await serve(await admitCall(exchange, call, caller, credential, deps), connection);
    } catch (error) {
      refuseCall(exchange, entry, error, deps);
    } finally {
      exchange.facts.admission?.finish(0);
    }
  }

  /** Every hold that was opened ends here, exactly once, however the session ends. */
  async function serve(admitted: AdmittedCall, upgrading: UpgradingConnection): Promise<void> {
    const { exchange, call, caller, recorder } = admitted;
    const connection = await connect(admitted, deps).catch((error: unknown) => {
      deps.onError(error);
      return { error: buildConnectionFailed("internal error") };
    });
    if ("error" in connection) {
      const { error } = connection;
      if (error) exchange.refuse(error.refusal);
      return await settle(exchange, recorder.finishUnanswered(error), deps);
    }
    const { candidate, upstream } = connection;
    const client = accept(exchange, upgrading);
    if (!client) {
      upstream.socket.terminate();
      return await settle(exchange, recorder.finishUnanswered(undefined), deps);
    }
    const { cost, channel } = candidate;
    const isTranscribing = call.client === realtimeTranscription;
    const models = {
      model: candidate.model,
      upstreamModel: cost.model,
      isTranscribing,
      refusedEvent: (event: JsonRecord) =>
        deps.providerStates.refusedIn(listIdsNamedInEvent(event), channel),
    };
    const session = new RealtimeSession(client, upgrading.socket, upstream, models, {
      bodyMemoryBudget: deps.bodyMemoryBudget,
      userId: caller.userId,
    });
    sessions.add(session);
    deps.callMetrics.began(entry, true);
    deps.holds.track(exchange.id, {
      channelId: channel.id,
      channelName: channel.name,
      model: cost.model,
      target: candidate.target?.model,
      price: cost.frozen,
      usage: () => session.usage(),
      stop: () => session.stopForQuota(),
    });
    const result = await session.run();
    sessions.delete(session);
    deps.callMetrics.ended(entry, true);
    await settle(exchange, recorder.finish(candidate, result), deps);
  }

  /** Undefined when the client has left. */
  function accept(
    exchange: ArrivedRequest & ClientPresence & SentAnswer,
    { response, socket, head }: UpgradingConnection,
  ): WebSocket | undefined {
    if (exchange.hasClientLeft) return undefined;
    response.detachSocket(socket);
    response.statusCode = 101;
    exchange.noteFirstByte();
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

type RealtimeConnection =
  | { candidate: ChannelCandidate; upstream: UpstreamSocket }
  | { error: UpstreamError | undefined };

/** Tries the candidates in order; without an error, the client has left. */
async function connect(admitted: AdmittedCall, deps: RealtimeDeps): Promise<RealtimeConnection> {
  const { exchange, call, recorder } = admitted;
  let error: UpstreamError | undefined;
  for await (const attempt of buildAttempts(admitted, deps)) {
    if (exchange.hasClientLeft) return { error: undefined };
    const { candidate, channel, key } = attempt;
    recorder.startAttempt(candidate, key);
    const traced = buildTracedCall(placeCall(call, candidate), attempt, exchange, deps);
    const upstream = await connectUpstream(deps, traced, channel, candidate.cost.model);
    if ("socket" in upstream) {
      recorder.upstreamAnswered(101, Date.now());
      attempt.succeeded();
      return { candidate, upstream };
    }
    error = upstream.error;
    failAttempt(attempt, error, admitted, deps);
    if (!isSentOn(error, deps.settings.retryStatuses(), false)) break;
  }
  error ??= findFullChannels(recorder.listSkipped(), call.model, deps.now());
  return { error: error ?? buildConnectionFailed("no channel could be tried") };
}
