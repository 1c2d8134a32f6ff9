// The two ends of a relayed call without sockets: the response to a client, and the connection to a
// provider.
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Exchange } from "@tollgate/gateway/relay/exchange.ts";
import type { ErrorFormat } from "@tollgate/gateway/relay/formats/api-format.ts";
import type { UpstreamResponse } from "@tollgate/gateway/relay/upstream/forward.ts";

const request = {} as IncomingMessage;

/**
 * The part of Node's response that an exchange uses; creating a real one takes longer than all
 * other work of a replay.
 */
export class RecordedResponse extends EventEmitter {
  readonly pieces: Buffer[] = [];
  readonly socket = null;
  readonly writableLength = 0;
  readonly writableFinished = false;
  status = 0;
  headersSent = false;
  /** The client does not keep up: each write asks the gateway to wait for "drain". */
  isBehind = false;

  writeHead(status: number): void {
    this.status = status;
    this.headersSent = true;
  }
  write(bytes: Buffer): boolean {
    this.pieces.push(bytes);
    return !this.isBehind;
  }
  end(bytes?: Buffer): void {
    if (bytes) this.pieces.push(bytes);
  }
  catchUp(): void {
    this.isBehind = false;
    this.emit("drain");
  }
  get received(): string {
    return Buffer.concat(this.pieces).toString("utf8");
  }
}

export function recordedExchange(
  id: number,
  response: RecordedResponse,
  errorFormat: ErrorFormat,
): Exchange {
  const exchange = new Exchange(id, request, response as unknown as ServerResponse, "127.0.0.1");
  exchange.speak(errorFormat);
  return exchange;
}

/**
 * The provider's connection: counts nothing and moves nothing, and says whether the gateway reads
 * from it.
 */
export class RecordedConnection {
  isRead = true;

  pause(): void {
    this.isRead = false;
  }
  resume(): void {
    this.isRead = true;
  }
  abort(): void {
    this.isRead = false;
  }
}

/** As the type of undici's controller, of which the gateway uses this much. */
export const controllerOf = (connection: RecordedConnection) =>
  connection as unknown as Parameters<UpstreamResponse["onRequestStart"]>[0];
