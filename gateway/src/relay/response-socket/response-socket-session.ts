/** A WebSocket of Responses: turns one after the other, each a call of its own. */
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { type RawData, WebSocket } from "ws";
import { ArrivingMessages, type ArrivingMessagesDeps } from "../arriving-messages.ts";
import { formatErrorMessage } from "../formats/responses-socket.ts";
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import {
  AnswerReader,
  type RememberedResponse,
  readTurnRequest,
  type TurnRequest,
  warmUpEvents,
} from "./turn-request.ts";
import { TurnResponse } from "./turn-response.ts";

/** `connectionMaxMs` are as long as OpenAI keeps one. */
const connectionMaxMs = 3_600_000;
const pingEveryMs = 30_000;
/** `closingMs` says how long the client may take to close in turn. */
const closingMs = 5_000;
/** Messages that wait for the answer in progress: clients send one and wait. */
const waitingMax = 4;
/** Errors that wait for a client that does not read; an answer in progress waits by itself. */
const unreadErrorBytesMax = 64 * 1024;
/** Text of the longest conversations; those with many pictures are sent whole by their clients. */
const rememberedBytesMax = 8 * 1024 * 1024;

const regular = 1000;
const goingAway = 1001;
const tryAgainLater = 1013;

export interface ResponseSocketDeps extends Omit<ArrivingMessagesDeps, "onRefused"> {
  /** Answers one turn as a call of its own; resolves when it is settled. Never rejects. */
  answerTurn(body: Buffer, response: TurnResponse): Promise<void>;
  /** `refusalOf` gives what the client is told of an error in one of its messages. */
  refusalOf(error: unknown): RelayRefusal;
  /** The id of a message that is no call, for its error. */
  mintRequestId(): string;
}

interface WaitingTurn {
  message: Buffer;
  response: TurnResponse;
  answer: AnswerReader;
}

export class ResponseSocketSession {
  readonly #client: WebSocket;
  readonly #socket: Socket;
  readonly #deps: ResponseSocketDeps;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #unsettled = new Set<Promise<void>>();
  #waiting: WaitingTurn[] = [];
  #running: WaitingTurn | undefined;
  readonly #arriving: ArrivingMessages;
  #remembered: RememberedResponse | undefined;
  #isAlive = true;
  /** `#ending` says why the connection ends after the answer in progress. */
  #ending: { code: number; refusal?: RelayRefusal } | undefined;

  constructor(client: WebSocket, socket: Socket, deps: ResponseSocketDeps) {
    this.#client = client;
    this.#socket = socket;
    this.#deps = deps;
    this.#arriving = new ArrivingMessages(client, socket, {
      ...deps,
      onRefused: (refusal) => this.#refuse(refusal),
    });
  }

  /** Resolves when the connection is closed and every turn is settled. */
  async run(): Promise<void> {
    await new Promise<void>((resolve) => {
      const client = this.#client;
      client.on("message", (data, isBinary) => this.#received(data, isBinary));
      client.on("pong", () => {
        this.#isAlive = true;
      });
      client.on("error", () => undefined);
      client.once("close", resolve);
      this.#timers.push(
        setInterval(() => this.#ping(), pingEveryMs),
        setTimeout(
          () => this.#endAfterTurn({ code: regular, refusal: connectionLimitReached }),
          connectionMaxMs,
        ),
      );
    });
    for (const timer of this.#timers) clearInterval(timer);
    this.#arriving.stop();
    for (const { response } of this.#waiting) response.destroy();
    this.#waiting = [];
    this.#running?.response.destroy();
    await Promise.all(this.#unsettled);
  }

  /** The gateway stops: the answer in progress may end. */
  stop(): void {
    this.#endAfterTurn({ code: goingAway });
  }

  /** The gateway stops now. */
  cut(): void {
    this.#client.terminate();
  }

  /** The memory of the message is released when its response closes. */
  #newTurn(message: Buffer): WaitingTurn {
    const room = this.#arriving.takeMessage();
    const answer = new AnswerReader();
    const response = new TurnResponse(this.#client, this.#socket, (event) => answer.observe(event));
    // "close" follows.
    response.on("error", () => undefined);
    response.once("close", () => room.release());
    return { message, response, answer };
  }

  #refuse(refusal: RelayRefusal): void {
    this.#sendError(refusal);
    this.#close(tryAgainLater);
  }

  #received(data: RawData, isBinary: boolean): void {
    this.#isAlive = true;
    if (this.#ending && !this.#running) return;
    const turn = this.#newTurn(isBinary ? Buffer.alloc(0) : joinData(data));
    if (this.#waiting.length >= waitingMax) {
      turn.response.destroy();
      this.#sendError(tooManyWaiting);
    } else {
      this.#waiting.push(turn);
      this.#startNext();
    }
  }

  #startNext(): void {
    while (!this.#running && !this.#ending) {
      const turn = this.#waiting.shift();
      if (!turn) return;
      try {
        this.#start(turn, readTurnRequest(turn.message, this.#remembered));
      } catch (error) {
        turn.response.destroy();
        this.#sendError(this.#deps.refusalOf(error));
      }
    }
    if (this.#ending && !this.#running) this.#close(this.#ending.code);
  }

  #start(turn: WaitingTurn, request: TurnRequest): void {
    if (request.isWarmUp) {
      this.#warmUp(turn, request);
      return;
    }
    const { response } = turn;
    this.#running = turn;
    response.once("close", () => this.#ended(turn, request));
    const settled = this.#deps
      .answerTurn(request.body, response)
      .finally(() => this.#unsettled.delete(settled));
    this.#unsettled.add(settled);
  }

  /** No provider is asked, and nothing is charged: the next turn sends this input with its own. */
  #warmUp({ response }: WaitingTurn, { conversation, body, model }: TurnRequest): void {
    response.destroy();
    const id = `resp_${randomUUID().replaceAll("-", "")}`;
    this.#remember(id, conversation, body.length);
    for (const event of warmUpEvents(id, model, Math.floor(Date.now() / 1_000)))
      this.#client.send(event);
  }

  #ended({ response, answer }: WaitingTurn, { conversation, body }: TurnRequest): void {
    this.#running = undefined;
    if (!response.writableFinished) {
      // The client does not read, or the answer has no regular end.
      this.#client.terminate();
      return;
    }
    if (answer.responseId !== "") {
      const whole = conversation && [...conversation, ...answer.conversationItems()];
      this.#remember(answer.responseId, whole, body.length + answer.length);
    }
    if (response.closesConnection) this.#ending ??= { code: tryAgainLater };
    this.#startNext();
  }

  #remember(id: string, conversation: TurnRequest["conversation"], bytes: number): void {
    this.#remembered =
      conversation && bytes <= rememberedBytesMax ? { id, conversation } : undefined;
  }

  #endAfterTurn(ending: { code: number; refusal?: RelayRefusal }): void {
    if (this.#ending) return;
    this.#ending = ending;
    if (ending.refusal && !this.#running) this.#sendError(ending.refusal);
    this.#startNext();
  }

  #sendError(refusal: RelayRefusal): void {
    if (!this.#running && this.#client.bufferedAmount > unreadErrorBytesMax)
      this.#client.terminate();
    else
      this.#client.send(formatErrorMessage(refusal, this.#deps.mintRequestId()), () => undefined);
  }

  #ping(): void {
    if (!this.#isAlive) {
      this.#client.terminate();
      return;
    }
    this.#isAlive = false;
    if (this.#client.readyState === WebSocket.OPEN) this.#client.ping();
  }

  #close(code: number): void {
    this.#client.close(code);
    setTimeout(() => this.#client.terminate(), closingMs).unref();
  }
}

const joinData = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);

const tooManyWaiting: RelayRefusal = {
  status: 429,
  type: "invalid_request_error",
  code: "too_many_waiting",
  message: `At most ${waitingMax} messages may wait for the answer in progress`,
};

/** OpenAI's code for the same: its libraries connect anew. */
const connectionLimitReached: RelayRefusal = {
  status: 400,
  type: "invalid_request_error",
  code: "websocket_connection_limit_reached",
  message: "The connection was open for 60 minutes; open a new one to continue",
};
