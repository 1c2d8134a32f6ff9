/** Passes the bytes of a client to a provider while they arrive. Nothing of them is kept. */
import { Readable } from "node:stream";
import { relayBodyPace, watchBody } from "../../http/body-timeout.ts";
import type { Exchange } from "../exchange.ts";
import type { UpstreamResponse } from "../upstream/forward.ts";
import type { SendDeps } from "../upstream/send.ts";
import { badRequest, bodyTooSlow, RelayRefused } from "../wire/relay-refusal.ts";
import { type ObjectHome, type ObjectRequest, sendObjectRequest } from "./provider-objects.ts";

/**
 * `bytes` are read of the exchange's request; `request` carries them as its stream. Throws `RelayRefused` for a body that breaks off or
 * is too slow, for what reading `bytes` throws, and for what the provider refuses.
 */
export async function sendArriving(
  exchange: Exchange,
  home: ObjectHome,
  bytes: AsyncIterable<Buffer>,
  request: (body: Readable) => ObjectRequest,
  deps: SendDeps,
): Promise<UpstreamResponse> {
  let fault: unknown;
  let upstream: UpstreamResponse | undefined;
  const stopWith = (error: unknown): void => {
    fault ??= error;
    upstream?.abort("the upload is not whole");
  };
  watchBody(
    exchange.request,
    () => relayBodyPace,
    () => stopWith(bodyTooSlow()),
  );
  async function* checked(): AsyncGenerator<Buffer> {
    try {
      yield* bytes;
    } catch (error) {
      stopWith(error instanceof RelayRefused ? error : cutOff());
      throw error;
    }
  }
  const body = Readable.from(checked(), { objectMode: false });
  // The upstream reports the same error.
  body.on("error", () => undefined);
  const sent = await sendObjectRequest(deps, home, request(body), (call) => {
    upstream = call;
    exchange.onClientLeave(() => call.abort("the client left"));
  });
  if (fault !== undefined) throw closing(fault);
  // What the client still sends is not read any more.
  if ("error" in sent) throw closing(new RelayRefused(sent.error.refusal));
  return sent.answer;
}

/** The client may still be sending: the connection is of no further use. */
const closing = (error: unknown): unknown =>
  error instanceof RelayRefused ? new RelayRefused({ ...error.refusal, closesConnection: true }) : error;

const cutOff = (): RelayRefused => badRequest("invalid_request_error", "The body ended too early");
