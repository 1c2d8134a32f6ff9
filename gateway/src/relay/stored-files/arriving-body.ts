/** Passes the bytes of a client to a provider while they arrive. Nothing of them is kept. */
import { Readable } from "node:stream";
import { relayBodyPace, watchBody } from "../../http/body-timeout.ts";
import { type ObjectRequest, sendObjectRequest } from "../creations/provider-objects.ts";
import type { ArrivedRequest, ClientPresence } from "../exchange-parts.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import type { AbortableCall } from "../upstream/answer-parts.ts";
import type { SendDeps, SendResult } from "../upstream/send.ts";
import { RelayRefused, refuseBadRequest, refuseBodyTooSlow } from "../wire/relay-refusal.ts";

export class ArrivingBody {
  readonly #exchange: ClientPresence;
  readonly #bytes: AsyncIterable<Buffer>;
  #fault: unknown;
  #upstream: AbortableCall | undefined;
  /** Bytes were taken of the client: no second account can get them. */
  hasBegun = false;

  /** `bytes` are read of the exchange's request. */
  constructor(exchange: ArrivedRequest & ClientPresence, bytes: AsyncIterable<Buffer>) {
    this.#exchange = exchange;
    this.#bytes = bytes;
    watchBody(
      exchange.request,
      () => relayBodyPace,
      () => this.#stopWith(refuseBodyTooSlow()),
    );
  }

  /**
   * `request` carries the bytes as its stream. Throws `RelayRefused` for a body that breaks off or
   * is too slow, and for what reading the bytes throws.
   */
  async send(
    home: ObjectHome,
    request: (body: Readable) => ObjectRequest,
    deps: SendDeps,
  ): Promise<SendResult> {
    const body = Readable.from(this.#checked(), { objectMode: false });
    // The upstream reports the same error.
    body.on("error", () => undefined);
    const sent = await sendObjectRequest(deps, home, request(body), (call) => {
      this.#upstream = call;
      this.#exchange.onClientLeave(() => call.abort("the client left"));
    });
    if (this.#fault !== undefined) throw closing(this.#fault);
    if ("answer" in sent) return sent;
    // What the client still sends is not read any more.
    const { error } = sent;
    return { ...sent, error: { ...error, refusal: { ...error.refusal, closesConnection: true } } };
  }

  #stopWith(error: unknown): void {
    this.#fault ??= error;
    this.#upstream?.abort("the upload is not whole");
  }

  async *#checked(): AsyncGenerator<Buffer> {
    this.hasBegun = true;
    try {
      yield* this.#bytes;
    } catch (error) {
      this.#stopWith(error instanceof RelayRefused ? error : cutOff());
      throw error;
    }
  }
}

/** The client may still be sending: the connection is of no further use. */
const closing = (error: unknown): unknown =>
  error instanceof RelayRefused
    ? new RelayRefused({ ...error.refusal, closesConnection: true })
    : error;

const cutOff = (): RelayRefused =>
  refuseBadRequest("invalid_request_error", "The body ended too early");
