/** Passes what a provider keeps to the client, at the client's pace. */

import { buildBadAnswer } from "../creations/provider-objects.ts";
import type { ReplyToClient, StreamToClient } from "../exchange-parts.ts";
import type { UpstreamAnswer } from "../upstream/answer-parts.ts";

/** Sends them under `contentType`, whatever the provider calls them. */
export function passBytes(
  exchange: ReplyToClient & StreamToClient,
  answer: UpstreamAnswer,
  contentType: string,
): Promise<void> {
  const open = (): void => {
    if (!exchange.hasAnswered) exchange.openBytes(contentType, answer.headers["content-length"]);
  };
  return new Promise((resolve) => {
    exchange.onClientLeave(() => {
      answer.abort("the client left");
      resolve();
    });
    answer.read({
      data(chunk) {
        open();
        if (!exchange.write(chunk, () => answer.resume())) answer.pause();
      },
      end() {
        open();
        exchange.endStream();
        resolve();
      },
      error() {
        if (exchange.hasAnswered) exchange.breakOff();
        else exchange.refuse(buildBadAnswer("The provider's answer is not whole").refusal);
        resolve();
      },
    });
  });
}
