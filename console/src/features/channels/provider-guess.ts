/** A guess at the provider of a key or an address, which the administrator can change. Pure. */
import { channelTypes, channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";

/** `keyForms` are what keys of a provider begin with or look like; the first match counts. */
const keyForms: readonly { pattern: RegExp; type: number }[] = [
  { pattern: /^sk-ant-/, type: ids.anthropic },
  { pattern: /^sk-or-/, type: ids.openRouter },
  { pattern: /^AIza[\w-]{30,}$/, type: ids.gemini },
  { pattern: /^gsk_/, type: ids.groq },
  { pattern: /^xai-/, type: ids.xAi },
  { pattern: /^nvapi-/, type: ids.nvidia },
  { pattern: /^fw_/, type: ids.fireworks },
  { pattern: /^csk-/, type: ids.cerebras },
  { pattern: /^tgp_v1_/, type: ids.together },
  { pattern: /^r8_/, type: ids.replicate },
  { pattern: /^(ghu|gho)_/, type: ids.copilot },
  { pattern: /^[0-9a-f]{32}\.\w{16}$/, type: ids.zhipu },
  { pattern: /^sk-[0-9a-f]{32}$/, type: ids.deepSeek },
  { pattern: /^sk-(proj-|svcacct-|admin-)?[\w-]{20,}$/, type: ids.openAi },
];

/** Undefined where neither says anything. The address wins: it is what is called. */
export function guessProvider(key: string, address: string): number | undefined {
  const url = URL.parse(address.trim());
  if (url?.port === "11434") return ids.ollama;
  const byHost = url === null ? undefined : findTypeOfHost(url.hostname);
  if (byHost !== undefined) return byHost;
  // An address that is no known provider's speaks OpenAI's API, as nearly all servers do.
  if (url !== null && url.hostname !== "") return ids.compatible;
  return keyForms.find(({ pattern }) => pattern.test(key.trim()))?.type;
}

const findTypeOfHost = (host: string): number | undefined =>
  channelTypes.find(
    ({ gone, defaultBaseUrl }) => !gone && URL.parse(defaultBaseUrl)?.hostname === host,
  )?.id;

/** Types whose account is a key and an address: these can be connected without the whole form. */
const needsMoreFields = new Set<number>([
  ids.azure,
  ids.baidu,
  ids.qianwen,
  ids.spark,
  ids.library,
  ids.fastGpt,
  ids.tencent,
  ids.bedrock,
  ids.coze,
  ids.cloudflare,
  ids.vertex,
  ids.proxy,
  ids.replicate,
  ids.copilot,
]);
/** `first` is in the order shown first; the rest follows by name. */
const first: readonly number[] = [
  ids.openAi,
  ids.anthropic,
  ids.gemini,
  ids.openRouter,
  ids.deepSeek,
  ids.mistral,
  ids.groq,
  ids.xAi,
  ids.ollama,
  ids.compatible,
];

export const connectableTypes = channelTypes
  .filter(({ id, gone, endpoints }) => !gone && endpoints.length > 0 && !needsMoreFields.has(id))
  .toSorted((a, b) => rank(a.id) - rank(b.id) || a.name.localeCompare(b.name, "en"));

function rank(id: number): number {
  const place = first.indexOf(id);
  return place < 0 ? first.length : place;
}

/** `keyPages` are where keys are made. */
export const keyPages: Readonly<Record<number, string>> = {
  [ids.openAi]: "https://platform.openai.com/api-keys",
  [ids.anthropic]: "https://console.anthropic.com/settings/keys",
  [ids.openRouter]: "https://openrouter.ai/settings/keys",
  [ids.gemini]: "https://aistudio.google.com/apikey",
  [ids.mistral]: "https://console.mistral.ai/api-keys",
  [ids.groq]: "https://console.groq.com/keys",
  [ids.deepSeek]: "https://platform.deepseek.com/api_keys",
  [ids.xAi]: "https://console.x.ai",
};
