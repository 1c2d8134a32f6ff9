/**
 * The messages of a client's WebSocket while they arrive. One is in memory before it can be
 * refused, so its bytes are counted and timed as those of a body are.
 */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import {
  type BodyMemoryBudget,
  type BodyReservation,
  smallBodyMax,
} from "../http/body-memory-budget.ts";
import { bodyCheckIntervalMs, isTooSlow } from "../http/body-timeout.ts";
import { shortageRefusals } from "./read-body.ts";
import { type RelayRefusal, refuseBodyTooSlow } from "./wire/relay-refusal.ts";

export interface ArrivingMessagesDeps {
  bodyMemoryBudget: BodyMemoryBudget;
  userId: number;
  /**
   * `refusalOfLarge` says why the client may send no large message, asked while one arrives;
   * missing where the connection is paid for.
   */
  refusalOfLarge?: () => Promise<RelayRefusal | undefined>;
  /** `onRefused` tells the client and says goodbye; the connection ends here. Called once. */
  onRefused(refusal: RelayRefusal): void;
}

/** `discardingMs` is how long a refused client may go on sending what is thrown away. */
const discardingMs = 2_000;

/** The header of a frame that a client sends: two bytes, and the mask. */
const frameHeaderBytes = 6;

export class ArrivingMessages {
  readonly #client: WebSocket;
  readonly #socket: Socket;
  readonly #deps: ArrivingMessagesDeps;
  #room: BodyReservation;
  #bytes = 0;
  #beganAt = 0;
  /** `#timer` is that of a message that is not small. */
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(client: WebSocket, socket: Socket, deps: ArrivingMessagesDeps) {
    this.#client = client;
    this.#socket = socket;
    this.#deps = deps;
    this.#room = deps.bodyMemoryBudget.reserve(deps.userId);
    // Before the listener of the library, which may complete the message with this chunk.
    socket.prependListener("data", (chunk: Buffer) => this.#came(chunk.length));
    const dropped = (data: Buffer): void => this.#came(-frameHeaderBytes - data.length);
    client.on("ping", dropped).on("pong", dropped);
  }

  /** A message has come whole; whoever keeps it releases its memory. */
  takeMessage(): BodyReservation {
    const room = this.#room;
    this.#room = this.#deps.bodyMemoryBudget.reserve(this.#deps.userId);
    this.#bytes = 0;
    this.#stopTimer();
    return room;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer();
    this.#room.release();
  }

  #came(bytes: number): void {
    if (this.#isStopped) return;
    if (this.#bytes === 0) this.#beganAt = performance.now();
    this.#bytes = Math.max(0, this.#bytes + bytes);
    const shortage = this.#room.take(bytes);
    if (shortage) this.#refuse(shortageRefusals[shortage]);
    else if (this.#bytes > smallBodyMax && !this.#timer) this.#watchLarge();
  }

  #watchLarge(): void {
    this.#timer = setInterval(() => this.#checkPace(), bodyCheckIntervalMs);
    const room = this.#room;
    void this.#deps.refusalOfLarge?.().then((refusal) => {
      if (refusal && room === this.#room) this.#refuse(refusal);
    });
  }

  #checkPace(): void {
    // The gateway does not read at the moment: the client is not to blame.
    if (this.#client.isPaused) this.#beganAt += bodyCheckIntervalMs;
    else if (isTooSlow(this.#room.pace(), performance.now() - this.#beganAt, this.#bytes))
      this.#refuse(refuseBodyTooSlow().refusal);
  }

  #refuse(refusal: RelayRefusal): void {
    if (this.#isStopped) return;
    this.stop();
    this.#deps.onRefused(refusal);
    this.#discardRest();
  }

  /**
   * `discardRest` ends the connection without a reset, which would take the refusal from a client
   * that still sends: what arrives is thrown away, and the library sees none of it.
   */
  #discardRest(): void {
    const socket = this.#socket;
    socket.removeAllListeners("data");
    socket.on("data", () => undefined).resume();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), discardingMs);
    socket.once("close", () => clearTimeout(timer));
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
