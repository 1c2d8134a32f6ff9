/** DeepL. Keys of its free plan end in `:fx` and belong to a host of their own. */
import { findTargetLanguage } from "../formats/deepl-translation.ts";
import { joinUrl } from "./endpoint-urls.ts";
import type { ProviderAdapter } from "./provider.ts";

const hosts = { free: "api-free.deepl.com", paid: "api.deepl.com" };

export const deepl: ProviderAdapter = {
  endpoints({ base }, model) {
    const url = findTargetLanguage(model) ? joinUrl(base, "/v2/translate") : null;
    return url ? { deepl_translation: url } : {};
  },
  credentials: (secret) => ["authorization", `DeepL-Auth-Key ${secret}`],
  finish(request, _call, _model, { secret }) {
    if (!Object.values(hosts).includes(request.url.host)) return request;
    const url = new URL(request.url);
    url.host = secret.endsWith(":fx") ? hosts.free : hosts.paid;
    return { ...request, url };
  },
};
