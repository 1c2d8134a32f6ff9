/**
 * Reads the input file of a batch at its provider, and checks each line as if it were a call:
 * nothing of it is kept.
 */

import { buildBadAnswer } from "../creations/provider-objects.ts";
import type { ClientFormat } from "../formats/api-format.ts";
import type { CallStates } from "../provider-states/provider-states.ts";
import type { ChannelAccess } from "../routing/channel-parts.ts";
import type { AbortableCall, AnswerBody } from "../upstream/answer-parts.ts";
import { buildPieces } from "../upstream/answer-pieces.ts";
import { LineSplitter, LineTooLong } from "../wire/line-splitter.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import {
  addCall,
  type BatchSetting,
  type CheckDeps,
  type CheckedCalls,
  changesRequests,
} from "./batch-calls.ts";
import { callInLine, refuseWrongLine } from "./batch-line.ts";

type InputDeps = CheckDeps & { providerStates: CallStates };

/** OpenAI's own limits of one batch. */
const linesMax = 50_000;
const inputBytesMax = 200 * 1024 * 1024;
/** `lineBytesMax` is as large as the body of a call may be. */
const lineBytesMax = 32 * 1024 * 1024;

/** `InputSetting` says how the lines of a file are read. */
export interface InputSetting extends BatchSetting {
  endpoint: string;
  format: ClientFormat;
}

/**
 * Throws `RelayRefused` for a channel that writes into requests: it cannot do so in a file that is
 * at the provider.
 */
export function refuseChangedRequests(channel: ChannelAccess): void {
  if (!changesRequests(channel)) return;
  throw refuseBadRequest(
    "batch_not_offered",
    "The channel that keeps the file adds to its requests, which it cannot do in a batch; send the requests one by one",
    "input_file_id",
  );
}

/** Throws `RelayRefused` at the first line that the caller may not send. */
export async function checkInput(
  answer: AnswerBody & AbortableCall,
  setting: InputSetting,
  deps: InputDeps,
): Promise<CheckedCalls> {
  const splitter = new LineSplitter(lineBytesMax);
  let checked: CheckedCalls | undefined;
  let bytes = 0;
  const addAll = async (lines: readonly Buffer[]): Promise<void> => {
    for (const line of lines) checked = await addLine(checked, line, setting, deps);
  };
  try {
    for await (const piece of buildPieces(answer)) {
      bytes += piece.length;
      if (bytes > inputBytesMax)
        throw refuseBadRequest(
          "batch_too_large",
          "The input file is larger than 200 MiB",
          "input_file_id",
        );
      await addAll(splitter.push(piece));
    }
    await addAll(splitter.end());
  } catch (error) {
    if (answer.failure && !(error instanceof RelayRefused))
      throw buildBadAnswer("The provider's answer is not whole");
    answer.abort("the input is refused");
    if (error instanceof LineTooLong)
      throw refuseWrongLine((checked?.lines ?? 0) + 1, error.message);
    throw error;
  }
  if (!checked)
    throw refuseBadRequest("invalid_batch_line", "The input file has no lines", "input_file_id");
  return checked;
}

async function addLine(
  before: CheckedCalls | undefined,
  bytes: Buffer,
  setting: InputSetting,
  deps: InputDeps,
): Promise<CheckedCalls> {
  const line = (before?.lines ?? 0) + 1;
  if (line > linesMax)
    throw refuseBadRequest(
      "batch_too_large",
      `A batch has at most ${linesMax} lines`,
      "input_file_id",
    );
  try {
    const call = callInLine(bytes, line, setting.endpoint, {
      formatFor: () => setting.format,
      isEstimateRough: deps.settings.isEstimateRough(),
      hasChoice: () => false,
      isServed: () => true,
    });
    const state = await deps.providerStates.bind(call, setting.caller, deps.channels.snapshot);
    return addCall(before, call, state, setting, (why) => refuseWrongLine(line, why), deps);
  } catch (error) {
    if (!(error instanceof RelayRefused) || error.refusal.code === "invalid_batch_line")
      throw error;
    const { refusal } = error;
    throw new RelayRefused({
      ...refusal,
      message: `Line ${line} of the input file: ${refusal.message}`,
    });
  }
}
