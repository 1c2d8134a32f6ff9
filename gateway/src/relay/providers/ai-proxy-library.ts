/**
 * AI Proxy's knowledge base. The provider's reference is offline: this follows programs that called
 * it (`aiproxy-library` for Obsidian, 2023).
 */
import { parseObject } from "../wire/json-parts.ts";
import { joinUrl } from "./endpoint-urls.ts";
import type { ProviderAdapter, ProviderSettings } from "./provider.ts";
import { composeBearer } from "./standard-providers.ts";

const readLibrary = ({ config, other }: ProviderSettings): string =>
  typeof config.library_id === "number" || typeof config.library_id === "string"
    ? String(config.library_id)
    : other.trim();

export const aiProxyLibrary: ProviderAdapter = {
  endpoints(settings) {
    const url = readLibrary(settings) === "" ? null : joinUrl(settings.base, "/api/library/ask");
    return url ? { ai_proxy_answer: url } : {};
  },
  credentials: composeBearer,
  finish(request, _call, _model, { settings }) {
    const json = parseObject(request.body.toString("utf8"));
    return {
      ...request,
      body: Buffer.from(JSON.stringify({ ...json, libraryId: readLibrary(settings) })),
    };
  },
};
