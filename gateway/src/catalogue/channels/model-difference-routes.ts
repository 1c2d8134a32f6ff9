/** The route that compares a channel's models with those of its provider. */
import { compareModels } from "@tollgate/contract/catalogue/model-differences.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { KeepModelEnds, ListChannelModels } from "../models/channel-model-lists.ts";
import type { ChannelStore } from "./channel-store.ts";
import { differentModels } from "./model-difference-rules.ts";

/** A provider's words are shown as far as they explain. */
const failureMax = 200;
const nothing = { failure: "", added: [], gone: [] };

export const buildModelDifferenceRoutes = (
  channels: ChannelStore,
  listModels: ListChannelModels,
  keepEnds: KeepModelEnds,
): ApiRoute[] => [
  apiRoute(compareModels, async ({ params }) => {
    const channel = await channels.find(params.id);
    if (!channel) throw refuse("channel_not_found");
    const { id, uuid, name, models, updated_at } = channel;
    const compared = { id, uuid, name, models, updated_at, ...nothing };
    const list = await listModels(channel);
    if (list === undefined) return { ...compared, outcome: "unsupported" as const };
    if ("failure" in list)
      return {
        ...compared,
        outcome: "failed" as const,
        failure: list.failure.slice(0, failureMax),
      };
    // An empty list would make every model look gone.
    if (list.names.length === 0)
      return { ...compared, outcome: "failed" as const, failure: "the provider lists no models" };
    await keepEnds(channel, list.ends);
    return {
      ...compared,
      outcome: "compared" as const,
      ...differentModels(channel, list.names, list.isWhole),
    };
  }),
];
