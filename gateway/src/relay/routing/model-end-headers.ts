/** Headers with which answers of a model tell that its provider ends it. Pure. */
import type { EndOf } from "../../catalogue/models/known-model-ends.ts";

/** Clients are told this long before the end, and after it. */
export const endToldMs = 60 * 86_400_000;

/** Made once for a channel and model: a call compares the time alone. */
export interface ModelEndNotice {
  toldFromMs: number;
  /**
   * Names and values in turn: `Sunset` (RFC 8594) with the end, `Deprecation` (RFC 9745) with the
   * moment from which it is told.
   */
  headers: readonly string[];
}

export interface ChannelWithEnds {
  /** `modelEnds` go by the provider's name of the model; missing where none ends. */
  modelEnds?: ReadonlyMap<string, ModelEndNotice>;
}

interface OfferedModels extends ChannelWithEnds {
  uuid: string;
  type: number;
  models: ReadonlySet<string>;
  coveredModels: readonly string[];
  modelMapping: ReadonlyMap<string, string>;
}

function buildNotice(endsOn: string): ModelEndNotice {
  const endMs = Date.parse(endsOn);
  const toldFromMs = endMs - endToldMs;
  return {
    toldFromMs,
    headers: ["sunset", new Date(endMs).toUTCString(), "deprecation", `@${toldFromMs / 1_000}`],
  };
}

/**
 * The channel with the notices of those of its models that end, by the provider's names; the same
 * object where none does.
 */
export function addModelEnds<Channel extends OfferedModels>(
  channel: Channel,
  endOf: EndOf,
): Channel {
  const modelEnds = new Map<string, ModelEndNotice>();
  for (const offered of [...channel.models, ...channel.coveredModels]) {
    const model = channel.modelMapping.get(offered) ?? offered;
    const end = endOf(channel, model);
    if (end !== undefined) modelEnds.set(model, buildNotice(end.endsOn));
  }
  return modelEnds.size === 0 ? channel : { ...channel, modelEnds };
}

/** Undefined for nearly every call. */
export function endHeaders(
  { modelEnds }: ChannelWithEnds,
  model: string,
  now: number,
): readonly string[] | undefined {
  const notice = modelEnds?.get(model);
  return notice && now >= notice.toldFromMs ? notice.headers : undefined;
}
