/**
 * The answer of one turn: what an HTTP response would carry as server-sent events becomes messages
 * of a WebSocket.
 */
import type { Socket } from "node:net";
import { Writable } from "node:stream";
import type { WebSocket } from "ws";
import type { ClientResponse } from "../exchange-parts.ts";
import { listResponsesEvents } from "../formats/whole-as-stream.ts";
import { parseObject } from "../wire/json-parts.ts";
import { findEventData, SseSplitter } from "../wire/sse-splitter.ts";
import type { StreamSplit } from "../wire/stream-splitter.ts";

/** The relay writes whole events, as large as an answer may be. */
const eventBytesMax = 64 * 1024 * 1024;
const ok = 200;

/** The part of a WebSocket that takes messages. */
export type MessageSink = Pick<WebSocket, "send">;

export class TurnResponse extends Writable implements ClientResponse {
  statusCode = ok;
  headersSent = false;
  /** The answer asks for the end of the connection. */
  closesConnection = false;
  readonly socket: Socket;
  readonly #client: MessageSink;
  readonly #onEvent: (event: string) => void;
  readonly #splitter = new SseSplitter(eventBytesMax);
  readonly #whole: Buffer[] = [];
  #isStream = false;

  constructor(client: MessageSink, socket: Socket, onEvent: (event: string) => void) {
    super();
    this.#client = client;
    this.socket = socket;
    this.#onEvent = onEvent;
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.statusCode = status;
    this.headersSent = true;
    this.#isStream = headers.includes("text/event-stream");
    this.closesConnection = headers[headers.indexOf("connection") + 1] === "close";
  }

  override _write(
    chunk: Buffer,
    _encoding: BufferEncoding,
    onSent: (error?: Error | null) => void,
  ): void {
    if (this.#isStream) this.#send(listEvents(this.#splitter.push(chunk)), onSent);
    else {
      this.#whole.push(chunk);
      onSent();
    }
  }

  override _final(onSent: (error?: Error | null) => void): void {
    const body = Buffer.concat(this.#whole).toString("utf8");
    const wholes =
      this.statusCode === ok
        ? listResponsesEvents(parseObject(body)).map((event) => JSON.stringify(event))
        : [body];
    this.#send(this.#isStream ? listEvents(this.#splitter.end()) : wholes, onSent);
  }

  /**
   * `onSent` runs when the system has taken the last of the messages: the pace of the client is
   * that of the answer.
   */
  #send(events: readonly string[], onSent: (error?: Error | null) => void): void {
    const last = events.length - 1;
    for (const [index, event] of events.entries()) {
      this.#onEvent(event);
      this.#client.send(event, index === last ? (error) => onSent(error) : undefined);
    }
    if (last < 0) onSent();
  }
}

/**
 * Comments, which keep silent streams alive, and the end mark of other formats are no messages: the
 * socket has its own.
 */
const listEvents = ({ bytes, ends }: StreamSplit): string[] =>
  ends.flatMap((end, index) => {
    const data = findEventData(bytes.toString("utf8", ends[index - 1] ?? 0, end));
    return data?.startsWith("{") ? [data] : [];
  });
