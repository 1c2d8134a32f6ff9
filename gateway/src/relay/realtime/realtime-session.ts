/** A realtime session: messages pass at the pace of their reader, and their usage is metered. */

import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { type RawData, WebSocket } from "ws";
import {
  bodyBounds,
  findExcess,
  formatExcessMessage,
  isNestedDeeperThan,
  jsonDepthMax,
  outlineHasRepetition,
  outlineJson,
} from "../../http/json-outline.ts";
import type { Usage } from "../../money/prices/price.ts";
import type { CallOutcome, CallResult } from "../answer/call-result.ts";
import { ArrivingMessages, type ArrivingMessagesDeps } from "../arriving-messages.ts";
import { isRecord, type JsonRecord, record } from "../wire/json-parts.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import { RealtimeMeter } from "./realtime-meter.ts";
import type { RealtimeMessage, UpstreamSocket } from "./realtime-upstream.ts";

/** Bytes queued for one side before the gateway stops reading the other. */
const queuedMax = 1024 * 1024;
/** Longer than any provider allows. */
const sessionMaxMs = 2 * 3_600_000;
const pingEveryMs = 30_000;
/**
 * `finalUsageWithinMs` says how long the provider may take to report the usage of a cancelled
 * response.
 */
const finalUsageWithinMs = 3_000;
/** `closingMs` says how long the other side may take to close in turn. */
const closingMs = 5_000;

const goingAway = 1001;
const policy = 1008;
const internal = 1011;
const tryAgainLater = 1013;

export interface SessionModels {
  /** The client's name for the model, and the provider's. */
  model: string;
  upstreamModel: string;
  /** A transcription session: `model` is the transcription model. */
  isTranscribing: boolean;
  /**
   * `refusedEvent` says why the provider may not get an event of the client: it names what is not
   * the user's.
   */
  refusedEvent(event: JsonRecord): string | undefined;
}

export class RealtimeSession {
  readonly #client: WebSocket;
  readonly #arriving: ArrivingMessages;
  readonly #upstream: WebSocket;
  readonly #early: readonly RealtimeMessage[];
  readonly #models: SessionModels;
  readonly #meter = new RealtimeMeter();
  readonly #timers: NodeJS.Timeout[] = [];
  /** Sides that answered the latest ping or sent anything since. */
  readonly #alive = new Set<WebSocket>();
  #outcome: { outcome: CallOutcome; note: string } | undefined;
  #isStopping = false;
  #resolve: (ending: CallResult) => void = () => undefined;

  constructor(
    client: WebSocket,
    clientSocket: Socket,
    { socket, early }: UpstreamSocket,
    models: SessionModels,
    memory: Pick<ArrivingMessagesDeps, "bodyMemoryBudget" | "userId">,
  ) {
    this.#client = client;
    // The session is paid for: its hold is open.
    this.#arriving = new ArrivingMessages(client, clientSocket, {
      ...memory,
      onRefused: (refusal) => this.#refuse(refusal),
    });
    this.#upstream = socket;
    this.#early = early;
    this.#models = models;
  }

  usage(): Usage {
    return this.#meter.usage;
  }

  run(): Promise<CallResult> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const [client, upstream] = [this.#client, this.#upstream];
      upstream.removeAllListeners("message");
      client.on("message", (data, isBinary) => this.#fromClient(data, isBinary));
      upstream.on("message", (data, isBinary) => this.#fromUpstream(data, isBinary));
      client.on("error", () => undefined);
      upstream.on("error", () => undefined);
      client.on("close", () => this.#clientLeft());
      upstream.on("close", (code, reason) => this.#upstreamClosed(code, reason.toString("utf8")));
      for (const side of [client, upstream]) {
        this.#alive.add(side);
        side.on("pong", () => this.#alive.add(side));
      }
      this.#timers.push(
        setInterval(() => this.#ping(), pingEveryMs),
        setTimeout(
          () => this.#end("success", "the session was as long as it may be", goingAway),
          sessionMaxMs,
        ),
      );
      for (const { data, isBinary } of this.#early) this.#fromUpstream(data, isBinary);
      // A side may have closed before the listeners were added.
      if (upstream.readyState === WebSocket.CLOSED) this.#upstreamClosed(internal, "");
      if (client.readyState === WebSocket.CLOSED) this.#clientLeft();
    });
  }

  /** The balance is used up. */
  stopForQuota(): void {
    this.#sendError({
      type: "insufficient_quota",
      code: "streaming_billing_failed",
      message: "The balance ran out while the session was running",
    });
    this.#end("quota_ran_out", "", policy);
  }

  /** The gateway stops: a response in progress may end. */
  stop(): void {
    this.#isStopping = true;
    if (!this.#meter.isAnswering) this.#end("success", "the gateway was stopped", goingAway);
  }

  /** The gateway stops now. */
  cut(): void {
    this.#end("cut", "the gateway was stopped", goingAway);
    this.#settle();
  }

  #fromClient(data: RawData, isBinary: boolean): void {
    this.#alive.add(this.#client);
    const room = this.#arriving.takeMessage();
    const sent = this.#outcome ? undefined : this.#passable(data, isBinary);
    if (sent === undefined) room.release();
    else this.#pass(this.#client, this.#upstream, sent, () => room.release());
  }

  /**
   * `#passable` is the part of a message that the provider gets; undefined where it gets nothing.
   */
  #passable(data: RawData, isBinary: boolean): RawData | string | undefined {
    const read = isBinary ? unreadable : buildClientEvent(data);
    if ("code" in read) return this.#sendError(read);
    const { event } = read;
    const refused = this.#models.refusedEvent(event);
    if (refused !== undefined)
      return this.#sendError({
        type: invalidRequest,
        code: "stored_object_not_found",
        message: refused,
      });
    if (this.#models.isTranscribing) this.#meter.observeTranscribedClient(event);
    else this.#meter.observeClient(event);
    return this.#withUpstreamModel(event) ?? data;
  }

  /** The client sends more than it may, or too slowly. */
  #refuse({ type, code, message }: RelayRefusal): void {
    this.#sendError({ type, code: String(code), message });
    this.#end(this.#meter.isAnswering ? "cut" : "success", message, tryAgainLater);
  }

  #fromUpstream(data: RawData, isBinary: boolean): void {
    this.#alive.add(this.#upstream);
    const event = isBinary ? undefined : findEvent(data);
    if (!event) {
      this.#end(
        "cut",
        "the upstream sent a message that is no JSON object: its usage cannot be read",
        internal,
      );
      return;
    }
    this.#meter.observeUpstream(event);
    if (!this.#outcome) this.#pass(this.#upstream, this.#client, this.#withOwnModel(event) ?? data);
    if (this.#meter.isAnswering) return;
    if (this.#outcome) this.#settle();
    else if (this.#isStopping) this.stop();
  }

  /** Stops reading `from` while `to` lags behind, so that the queue stays bounded. */
  #pass(
    from: WebSocket,
    to: WebSocket,
    data: RawData | string,
    onSent: () => void = () => undefined,
  ): void {
    this.#send(to, data, () => {
      onSent();
      if (from.isPaused && to.bufferedAmount <= queuedMax) from.resume();
    });
    if (to.bufferedAmount > queuedMax) from.pause();
  }

  #send(to: WebSocket, data: RawData | string, onSent: () => void = () => undefined): void {
    if (to.readyState === WebSocket.OPEN) to.send(data, { binary: false }, onSent);
    else onSent();
  }

  #sendError(error: EventError): undefined {
    const event = {
      type: "error",
      event_id: `event_${randomUUID()}`,
      error: { ...error, param: null, event_id: null },
    };
    this.#send(this.#client, JSON.stringify(event));
  }

  /** Keeps the session on the model that is charged, whatever a later event asks for. */
  #withUpstreamModel(event: JsonRecord): string | undefined {
    const { upstreamModel, isTranscribing } = this.#models;
    return isTranscribing
      ? addTranscriber(event, upstreamModel)
      : addSessionModel(event, upstreamModel);
  }

  #withOwnModel(event: JsonRecord): string | undefined {
    const { model, upstreamModel, isTranscribing } = this.#models;
    if (model === upstreamModel) return undefined;
    return isTranscribing ? addTranscriber(event, model) : addSessionModel(event, model);
  }

  #ping(): void {
    for (const side of [this.#client, this.#upstream]) {
      // A side that is not read cannot answer a ping.
      if (side.isPaused || side.readyState !== WebSocket.OPEN) continue;
      if (this.#alive.delete(side)) side.ping();
      else side.terminate();
    }
  }

  #clientLeft(): void {
    this.#end(this.#meter.isAnswering ? "client_left" : "success", "", goingAway);
  }

  #upstreamClosed(code: number, reason: string): void {
    if (this.#outcome) {
      this.#settle();
      return;
    }
    const isRegular = isSendable(code) && code !== internal && !this.#meter.isAnswering;
    const why = `the upstream closed with ${code}${reason === "" ? "" : `: ${reason}`}`;
    this.#end(
      isRegular ? "success" : "cut",
      isRegular ? "" : why,
      isSendable(code) ? code : internal,
      reason,
    );
  }

  /** Sends nothing more to the client; the provider may still report usage. */
  #end(outcome: CallOutcome, note: string, code: number, reason = ""): void {
    if (this.#outcome) return;
    this.#outcome = { outcome, note };
    this.#arriving.stop();
    for (const timer of this.#timers) clearTimeout(timer);
    close(this.#client, code, reason);
    if (this.#meter.isAnswering && this.#upstream.readyState === WebSocket.OPEN) {
      this.#upstream.resume();
      this.#send(this.#upstream, JSON.stringify({ type: "response.cancel" }));
      this.#timers.push(setTimeout(() => this.#settle(), finalUsageWithinMs));
    } else this.#settle();
  }

  #settle(): void {
    if (!this.#outcome) return;
    for (const timer of this.#timers) clearTimeout(timer);
    close(this.#upstream, 1000, "");
    const { outcome, note } = this.#outcome;
    const estimated = this.#meter.isEstimated
      ? "usage estimated: the upstream did not tell that of every answer"
      : "";
    this.#resolve({
      outcome,
      usage: this.#meter.usage,
      note: [note, estimated].filter((part) => part !== "").join("; "),
      firstContentAt: this.#meter.firstContentAt,
      upstreamCompletedAt: outcome === "success" ? Date.now() : 0,
    });
  }
}

interface EventError {
  type: string;
  code: string;
  message: string;
}

const invalidRequest = "invalid_request_error";
/**
 * A provider may read what the gateway does not (bytes, `NaN`, a member's other value), and take a
 * model or a price from it.
 */
const unreadable: EventError = {
  type: invalidRequest,
  code: "invalid_event",
  message: `A message must be text with one JSON object of at most ${bodyBounds.depth} levels, and no object in it may have a member twice; this one was not passed on`,
};

/** `buildClientEvent` says why a client's message is not passed on, or its event. */
function buildClientEvent(data: RawData): EventError | { event: JsonRecord } {
  const json = joinData(data).toString("utf8");
  const outline = outlineJson(json, bodyBounds);
  const excess = findExcess(outline, bodyBounds);
  if (excess === "depth") return unreadable;
  if (excess) {
    const message = `${formatExcessMessage(excess, bodyBounds)}; this one was not passed on`;
    return { type: invalidRequest, code: "too_many_members", message };
  }
  const event = parseEvent(json);
  return event && !outlineHasRepetition(outline, event) ? { event } : unreadable;
}

/** Undefined for a message that is not one JSON object, or could not be written again. */
function findEvent(data: RawData): JsonRecord | undefined {
  const json = joinData(data).toString("utf8");
  return isNestedDeeperThan(json, jsonDepthMax) ? undefined : parseEvent(json);
}

function parseEvent(json: string): JsonRecord | undefined {
  try {
    const event: unknown = JSON.parse(json);
    return isRecord(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

const joinData = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);

/** The session event with another model; undefined for an event that names none. */
function addSessionModel(event: JsonRecord, model: string): string | undefined {
  const { session } = event;
  if (!isRecord(session) || session.model === undefined) return undefined;
  return JSON.stringify({ ...event, session: { ...session, model } });
}

/**
 * `addTranscriber` does the same for the transcription model; older sessions keep its settings
 * elsewhere.
 */
function addTranscriber(event: JsonRecord, model: string): string | undefined {
  const { session } = event;
  if (!isRecord(session)) return undefined;
  const { input_audio_transcription: older } = session;
  const audio = record(session.audio);
  const input = record(audio.input);
  const changed = {
    ...session,
    ...(isRecord(older) && { input_audio_transcription: { ...older, model } }),
    ...(isRecord(input.transcription) && {
      audio: { ...audio, input: { ...input, transcription: { ...input.transcription, model } } },
    }),
  };
  const isNamed = isRecord(older) || isRecord(input.transcription);
  return isNamed ? JSON.stringify({ ...event, session: changed }) : undefined;
}

/** `isSendable` leaves out the codes that are reserved and cannot be sent. */
const isSendable = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) ||
  (code >= 3000 && code <= 4999);

const reasonBytesMax = 120;

function close(side: WebSocket, code: number, reason: string): void {
  if (side.readyState === WebSocket.CLOSED) return;
  side.resume();
  side.close(code, Buffer.from(reason).length <= reasonBytesMax ? reason : "");
  setTimeout(() => side.terminate(), closingMs).unref();
}
