/** API routes for metadata of channel types. */
import { channelEndpoints } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import {
  getChannelMetadata,
  getDefaultPricing,
  listChannelModels,
  listModelsByType,
} from "@tollgate/contract/catalogue/channels.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { BuiltInModels } from "./built-in-models.ts";

function requireKnownType(type: number) {
  const found = findChannelType(type);
  if (!found)
    throw refuse("invalid_request", {
      message: "type must be a known channel type",
      fields: { type: "Unknown channel type" },
    });
  return found;
}

const formatPrettyJson = (value: unknown) => JSON.stringify(value, null, 2);

export const buildChannelTypeRoutes = ({
  defaultPricing,
  modelsByType,
}: BuiltInModels): ApiRoute[] => [
  apiRoute(getChannelMetadata, ({ query }) => {
    const { defaultBaseUrl, baseUrlEditable, endpoints } = requireKnownType(query.type);
    return {
      default_base_url: defaultBaseUrl,
      base_url_editable: baseUrlEditable,
      default_endpoints: [...endpoints],
      all_endpoints: channelEndpoints,
    };
  }),
  apiRoute(getDefaultPricing, ({ query }) => {
    const configs = defaultPricing(requireKnownType(query.type).id);
    const only = (member: "ratio" | "completion_ratio") =>
      Object.fromEntries(
        Object.entries(configs).flatMap(([model, config]) =>
          config[member] === undefined ? [] : [[model, config[member]]],
        ),
      );
    return {
      model_ratio: formatPrettyJson(only("ratio")),
      completion_ratio: formatPrettyJson(only("completion_ratio")),
      model_configs: formatPrettyJson(configs),
      tooling: formatPrettyJson({}),
    };
  }),
  apiRoute(listModelsByType, () => modelsByType()),
  apiRoute(listChannelModels, () => {
    const owners = Object.entries(modelsByType()).flatMap(([type, models]) =>
      models.map((model): [string, string] => [model, findChannelType(Number(type))?.name ?? ""]),
    );
    // Many types sell the same model: the first that is listed owns it.
    const models = [...new Map(owners.toReversed())].toSorted(([one], [other]) =>
      one < other ? -1 : 1,
    );
    return models.map(([id, owned_by]) => ({ id, object: "model" as const, owned_by }));
  }),
];
