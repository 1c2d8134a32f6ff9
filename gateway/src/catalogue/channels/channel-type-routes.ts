/** API routes for metadata of channel types. */
import { channelEndpoints } from "@tollgate/contract/channel-endpoints.ts";
import { channelType } from "@tollgate/contract/channel-types.ts";
import {
  getChannelMetadata,
  getDefaultPricing,
  listChannelModels,
  listModelsByType,
} from "@tollgate/contract/channels.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { refuse } from "../http/refusal.ts";
import type { BuiltInModels } from "./built-in-models.ts";

function knownType(type: number) {
  const found = channelType(type);
  if (!found)
    throw refuse("invalid_request", {
      message: "type must be a known channel type",
      fields: { type: "Unknown channel type" },
    });
  return found;
}

const prettyJson = (value: unknown) => JSON.stringify(value, null, 2);

export const channelTypeRoutes = ({ defaultPricing, modelsByType }: BuiltInModels): ApiRoute[] => [
  apiRoute(getChannelMetadata, ({ query }) => {
    const { defaultBaseUrl, baseUrlEditable, endpoints } = knownType(query.type);
    return {
      default_base_url: defaultBaseUrl,
      base_url_editable: baseUrlEditable,
      default_endpoints: [...endpoints],
      all_endpoints: channelEndpoints,
    };
  }),
  apiRoute(getDefaultPricing, ({ query }) => {
    const configs = defaultPricing(knownType(query.type).id);
    const only = (member: "ratio" | "completion_ratio") =>
      Object.fromEntries(
        Object.entries(configs).flatMap(([model, config]) =>
          config[member] === undefined ? [] : [[model, config[member]]],
        ),
      );
    return {
      model_ratio: prettyJson(only("ratio")),
      completion_ratio: prettyJson(only("completion_ratio")),
      model_configs: prettyJson(configs),
      tooling: prettyJson({}),
    };
  }),
  apiRoute(listModelsByType, () => modelsByType()),
  apiRoute(listChannelModels, () => {
    const owners = Object.entries(modelsByType()).flatMap(([type, models]) =>
      models.map((model): [string, string] => [model, channelType(Number(type))?.name ?? ""]),
    );
    // Many types sell the same model: the first that is listed owns it.
    const models = [...new Map(owners.toReversed())].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return models.map(([id, owned_by]) => ({ id, object: "model" as const, owned_by }));
  }),
];
