/** Asks one account to make a video. */

import type { AccountAnswer } from "../creations/ask-accounts.ts";
import { readAskedObject } from "../creations/provider-objects.ts";
import type { AskedSize } from "../formats/call-parts.ts";
import type { SendableCall } from "../providers/upstream-request.ts";
import type { ChannelAttempt } from "../routing/attempts.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { placeCall } from "../try-channels.ts";
import { type SendDeps, send } from "../upstream/send.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { noRetryHeaders, type RelayRefusal } from "../wire/relay-refusal.ts";

/** The provider may make a video that no client can read, since its id is lost. */
export const outcomeUnknown: RelayRefusal = {
  status: 502,
  type: "upstream_error",
  code: "video_outcome_unknown",
  message:
    "The provider gave no usable answer and may make the video, which no client could read. Nothing is charged",
  headers: noRetryHeaders,
};

export async function askForVideo(
  { candidate, channel }: ChannelAttempt,
  call: SendableCall & AskedSize,
  deps: SendDeps,
): Promise<AccountAnswer<JsonRecord>> {
  const placed = placeCall(call, candidate);
  const sent = await send(
    deps,
    { ...placed, upstream: { ...placed.upstream, isSentOnce: true } },
    channel,
    candidate.cost.model,
    () => undefined,
  );
  return readAskedObject(sent, objectAnswerMax, "video");
}
