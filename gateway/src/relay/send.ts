/** One attempt at one channel, from the call to an answer whose body may be read, or to what went wrong. */
import { setTimeout as pause } from "node:timers/promises";
import type { Egress } from "../egress/egress.ts";
import type { RelayChannel } from "./channel-table.ts";
import { type Forwarded, forward, UpstreamAnswer } from "./forward.ts";
import type { Logins } from "./logins.ts";
import { LoginRefused, type UpstreamRequest } from "./providers/provider.ts";
import { toUpstream } from "./providers/to-upstream.ts";
import type { Call } from "./shapes/shape.ts";
import { brokenUpstream } from "./trouble.ts";
import { withoutSecrets } from "./without-secrets.ts";

const bodyMax = 64 * 1024 * 1024;
/** For a provider that has its answer fetched: as long as anybody waits for a picture. */
const stepsWithinMs = 10 * 60_000;

export interface Sending {
  egress: Egress;
  logins: Logins;
  now(): number;
}

export type Sent = Forwarded & Pick<UpstreamRequest, "framing">;

/** `whileWaiting` gets whatever can be aborted; the latest counts. */
export async function send(
  { egress, logins, now }: Sending,
  call: Call,
  channel: RelayChannel,
  model: string,
  whileWaiting: (call: UpstreamAnswer) => void,
): Promise<Sent> {
  try {
    const login = await logins.secretOf(channel);
    if ("trouble" in login) return { trouble: withoutSecrets(login.trouble, channel.key) };
    const request = await toUpstream(call, channel, model, login.secret, now());
    const forwarded = await forward(egress, request, whileWaiting);
    if ("trouble" in forwarded && forwarded.trouble.status === 401) logins.forget(channel);
    const isWhole =
      "answer" in forwarded && request.next !== undefined && !(call.isStream && isStream(forwarded.answer, request));
    const sent = isWhole ? await finished(egress, forwarded.answer, request, whileWaiting) : forwarded;
    const secrets = [channel.key, login.secret];
    if ("trouble" in sent) return { trouble: withoutSecrets(sent.trouble, ...secrets) };
    sent.answer.secrets = secrets;
    return request.framing ? { ...sent, framing: request.framing } : sent;
  } catch (error) {
    if (error instanceof LoginRefused) return { trouble: brokenUpstream(error.message) };
    throw error;
  }
}

const isStream = ({ headers }: UpstreamAnswer, { framing }: UpstreamRequest): boolean =>
  (headers["content-type"] ?? "").includes(framing?.contentType ?? "text/event-stream");

/** Asks until the provider has the whole answer, or until nobody waits for it any more. */
async function finished(
  egress: Egress,
  first: UpstreamAnswer,
  { next = (body) => ({ body }) }: UpstreamRequest,
  whileWaiting: (call: UpstreamAnswer) => void,
): Promise<Forwarded> {
  let answer = first;
  const deadline = Date.now() + stepsWithinMs;
  while (true) {
    let body: Buffer;
    try {
      body = await answer.whole(bodyMax);
    } catch (error) {
      return { trouble: brokenUpstream((error as Error).message) };
    }
    const step = next(body);
    if ("body" in step) return { answer: UpstreamAnswer.of(step.body, answer) };
    if (Date.now() > deadline) return { trouble: brokenUpstream("the answer was not ready in time") };
    const leaving = new AbortController();
    whileWaiting(UpstreamAnswer.waiting(() => leaving.abort()));
    await pause(step.afterMs, undefined, { signal: leaving.signal }).catch(() => undefined);
    if (leaving.signal.aborted) return { trouble: brokenUpstream("the client left") };
    const forwarded = await forward(egress, step.request, whileWaiting);
    if ("trouble" in forwarded) return forwarded;
    answer = forwarded.answer;
  }
}
