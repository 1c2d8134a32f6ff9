/** Reads the input file of a batch at its provider, and checks each line as if it were a call: nothing of it is kept. */
import { hasOfficialHost } from "@tollgate/contract/official-hosts.ts";
import { freezePrice } from "../../money/price.ts";
import { batchPrice } from "../../money/price-factors.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { modelRefusal } from "../admission/authenticate.ts";
import { wantedHold } from "../admit-call.ts";
import type { ClientFormat, RelayCall } from "../formats/api-format.ts";
import { usageLimitsFor } from "../formats/usage-limits.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { routingRequestFor } from "../route-call.ts";
import type { ChannelPrice, RelayChannel } from "../routing/channel-table.ts";
import type { ChannelCandidate } from "../routing/choose-channels.ts";
import { sellerOfType } from "../routing/cost-member-rules.ts";
import { badAnswer, type ObjectHome } from "../stored-files/provider-objects.ts";
import { piecesOf } from "../upstream/answer-pieces.ts";
import type { UpstreamResponse } from "../upstream/forward.ts";
import { record } from "../wire/json-parts.ts";
import { LineSplitter, LineTooLong } from "../wire/line-splitter.ts";
import { badRequest, RelayRefused } from "../wire/relay-refusal.ts";
import { callInLine, wrongLine } from "./batch-line.ts";

/** OpenAI's own limits of one batch. */
const linesMax = 50_000;
const inputBytesMax = 200 * 1024 * 1024;
/** As large as the body of a call may be. */
const lineBytesMax = 32 * 1024 * 1024;

/** What a checked input asks for. */
export interface CheckedInput {
  model: string;
  cost: ChannelPrice;
  lines: number;
  /** Units for the whole answers of all lines, and the least that the batch starts with. */
  amount: number;
  least: number;
  promptEstimate: number;
  promptMax: number;
  completionMax: number;
  isPromptSeen: boolean;
}

/** Whose batch it is, and where it would run. */
export interface BatchSetting {
  caller: RelayCaller;
  home: ObjectHome;
  endpoint: string;
  format: ClientFormat;
}

/** Throws `RelayRefused` for a channel that writes into requests: it cannot do so in a file that is at the provider. */
export function refuseChangedRequests({ systemPrompt, settings }: RelayChannel): void {
  if (systemPrompt === null && Object.keys(record(settings.config.param_override)).length === 0) return;
  throw badRequest(
    "batch_not_offered",
    "The channel that keeps the file adds to its requests, which it cannot do in a batch; send the requests one by one",
    "input_file_id",
  );
}

/** Throws `RelayRefused` at the first line that the caller may not send. */
export async function checkInput(
  answer: UpstreamResponse,
  setting: BatchSetting,
  deps: RelayDeps,
): Promise<CheckedInput> {
  const splitter = new LineSplitter(lineBytesMax);
  let checked: CheckedInput | undefined;
  let bytes = 0;
  const addAll = async (lines: readonly Buffer[]): Promise<void> => {
    for (const line of lines) checked = await withLine(checked, line, setting, deps);
  };
  try {
    for await (const piece of piecesOf(answer)) {
      bytes += piece.length;
      if (bytes > inputBytesMax)
        throw badRequest("batch_too_large", "The input file is larger than 200 MiB", "input_file_id");
      await addAll(splitter.push(piece));
    }
    await addAll(splitter.end());
  } catch (error) {
    if (answer.failure && !(error instanceof RelayRefused)) throw badAnswer("The provider's answer is not whole");
    answer.abort("the input is refused");
    if (error instanceof LineTooLong) throw wrongLine((checked?.lines ?? 0) + 1, error.message);
    throw error;
  }
  if (!checked) throw badRequest("invalid_batch_line", "The input file has no lines", "input_file_id");
  return checked;
}

async function withLine(
  before: CheckedInput | undefined,
  bytes: Buffer,
  { caller, home, endpoint, format }: BatchSetting,
  deps: RelayDeps,
): Promise<CheckedInput> {
  const line = (before?.lines ?? 0) + 1;
  if (line > linesMax) throw badRequest("batch_too_large", `A batch has at most ${linesMax} lines`, "input_file_id");
  const { snapshot } = deps.channels;
  try {
    const call = callInLine(bytes, line, endpoint, {
      formatFor: () => format,
      isEstimateRough: deps.settings.isEstimateRough(),
      hasChoice: () => false,
      isServed: () => true,
    });
    const refused = modelRefusal(caller, call, snapshot.namesNeeded);
    if (refused) throw refused;
    const state = await deps.providerStates.bind(call, caller, snapshot);
    const key = state?.keyFor(home.channel);
    if (state && (!state.mayReceive(home.channel) || (key && key.key !== home.key.key)))
      throw wrongLine(line, "what it names is kept by another account than the input file");
    const cost = before?.cost ?? costOf(call, caller, home.channel, deps);
    if (before && before.model !== call.model)
      throw wrongLine(line, `a batch has one model, and this is ${before.model}`);
    if (!before) refuseModel(call, home.channel, line, deps);
    return plus(before, call, cost, state?.contextTokens, home.channel, deps);
  } catch (error) {
    if (!(error instanceof RelayRefused) || error.refusal.code === "invalid_batch_line") throw error;
    const { refusal } = error;
    throw new RelayRefused({ ...refusal, message: `Line ${line} of the input file: ${refusal.message}` });
  }
}

/** The file is at one channel: the model must be served there, under the name that the lines have. */
function refuseModel({ model, client }: RelayCall, channel: RelayChannel, line: number, deps: RelayDeps): void {
  const isServed =
    deps.channels.snapshot.routed(model) === undefined &&
    channel.models.has(model) &&
    !channel.hiddenModels.has(model) &&
    (channel.modelMapping.get(model) ?? model) === model &&
    channel.urlsFor(model)[client.endpoint] !== undefined;
  if (!isServed)
    throw wrongLine(line, `the channel that keeps the file does not offer ${model.slice(0, 200)} in batches`);
}

/** The price of the batch: that of a call on this channel, or what the provider takes for batches at its own host. */
function costOf(call: RelayCall, caller: RelayCaller, channel: RelayChannel, deps: RelayDeps): ChannelPrice {
  const ratio = routingRequestFor(call, caller, undefined, deps.settings).groupRatioFor(channel);
  const listed = deps.channels.snapshot.price(channel, call.model, ratio, deps.now());
  const price = batchPrice(
    listed.price,
    hasOfficialHost(channel.type, channel.settings.base, channel.settings.config)
      ? sellerOfType[channel.type]
      : undefined,
  );
  const frozen = freezePrice(price, ratio);
  return { model: listed.model, price, frozen, json: JSON.stringify(frozen) };
}

function plus(
  before: CheckedInput | undefined,
  call: RelayCall,
  cost: ChannelPrice,
  contextTokens: readonly number[] | undefined,
  channel: RelayChannel,
  { settings }: RelayDeps,
): CheckedInput {
  const candidate: ChannelCandidate = { channel, model: call.model, cost, reason: { reason: "pinned" } };
  const { amount, least } = wantedHold(call, { candidates: [candidate] }, settings, contextTokens);
  const limits = usageLimitsFor(call, cost.price, channel.mayReportFalseUsage);
  return {
    model: call.model,
    cost,
    lines: (before?.lines ?? 0) + 1,
    amount: (before?.amount ?? 0) + amount,
    least: (before?.least ?? 0) + least,
    promptEstimate: (before?.promptEstimate ?? 0) + call.promptEstimate,
    promptMax: Math.max(before?.promptMax ?? 0, limits.promptMax),
    completionMax: Math.max(before?.completionMax ?? 0, limits.completionMax),
    isPromptSeen: (before?.isPromptSeen ?? true) && limits.isPromptSeen(),
  };
}
