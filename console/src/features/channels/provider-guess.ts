/** Which provider a key or an address belongs to. Pure; a guess that the administrator can change. */
import { channelTypes } from "@tollgate/contract/channel-types.ts";

export const openAiCompatible = 50;
const ollama = 30;

/** What keys of a provider begin with or look like; the first match counts. */
const keyForms: readonly { pattern: RegExp; type: number }[] = [
  { pattern: /^sk-ant-/, type: 14 },
  { pattern: /^sk-or-/, type: 20 },
  { pattern: /^AIza[\w-]{30,}$/, type: 24 },
  { pattern: /^gsk_/, type: 29 },
  { pattern: /^xai-/, type: 45 },
  { pattern: /^nvapi-/, type: 55 },
  { pattern: /^fw_/, type: 54 },
  { pattern: /^csk-/, type: 56 },
  { pattern: /^tgp_v1_/, type: 39 },
  { pattern: /^r8_/, type: 46 },
  { pattern: /^(ghu|gho)_/, type: 53 },
  { pattern: /^[0-9a-f]{32}\.\w{16}$/, type: 16 },
  { pattern: /^sk-[0-9a-f]{32}$/, type: 36 },
  { pattern: /^sk-(proj-|svcacct-|admin-)?[\w-]{20,}$/, type: 1 },
];

/** Undefined where neither says anything. The address wins: it is what is called. */
export function guessProvider(key: string, address: string): number | undefined {
  const url = URL.parse(address.trim());
  if (url?.port === "11434") return ollama;
  const byHost = url === null ? undefined : typeOfHost(url.hostname);
  if (byHost !== undefined) return byHost;
  // An address that is no known provider's speaks OpenAI's API, as nearly all servers do.
  if (url !== null && url.hostname !== "") return openAiCompatible;
  return keyForms.find(({ pattern }) => pattern.test(key.trim()))?.type;
}

const typeOfHost = (host: string): number | undefined =>
  channelTypes.find(({ gone, defaultBaseUrl }) => !gone && URL.parse(defaultBaseUrl)?.hostname === host)?.id;

/** Types whose account is a key and an address: these can be connected without the whole form. */
const needsMoreFields = new Set([3, 15, 17, 18, 21, 22, 23, 33, 34, 37, 42, 43, 46, 53]);
/** In the order shown first; the rest follows by name. */
const first = [1, 14, 24, 20, 36, 28, 29, 45, 30, openAiCompatible];

export const connectableTypes = channelTypes
  .filter(({ id, gone, endpoints }) => !gone && endpoints.length > 0 && !needsMoreFields.has(id))
  .toSorted((a, b) => rank(a.id) - rank(b.id) || a.name.localeCompare(b.name, "en"));

function rank(id: number): number {
  const place = first.indexOf(id);
  return place < 0 ? first.length : place;
}

/** Where keys are made. */
export const keyPages: Readonly<Record<number, string>> = {
  1: "https://platform.openai.com/api-keys",
  14: "https://console.anthropic.com/settings/keys",
  20: "https://openrouter.ai/settings/keys",
  24: "https://aistudio.google.com/apikey",
  28: "https://console.mistral.ai/api-keys",
  29: "https://console.groq.com/keys",
  36: "https://platform.deepseek.com/api_keys",
  45: "https://console.x.ai",
};
