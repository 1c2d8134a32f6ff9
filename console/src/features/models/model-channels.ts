import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { type Channel, listChannels } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { listServingChannels } from "./model-usage.ts";

/** Beyond as many pages of channels, the rest is not looked at. */
const pagesMax = 50;

/** Reads every page of channels: the list cannot be asked for a model. */
export async function findServingChannels(model: string): Promise<Channel[]> {
  const channels: Channel[] = [];
  for (let p = 0; p < pagesMax; p += 1) {
    const { data } = await api.call(listChannels, {
      query: { p, size: pageSizeMax, sort: "id", order: "asc" },
    });
    channels.push(...listServingChannels(data, model));
    if (data.length < pageSizeMax) break;
  }
  return channels;
}
