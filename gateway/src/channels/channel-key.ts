/** Provider keys: write-only, sealed, and good for one host. */
import { channelType } from "@tollgate/contract/channel-types.ts";
import type { Sealer } from "../secrets/seal.ts";

const purpose = "channel-key";
const context = (uuid: string) => `channels/key_sealed/${uuid}` as const;

/** A channel without a key has nothing sealed either. */
export const sealChannelKey = (seal: Sealer, uuid: string, key: string) =>
  key === "" ? "" : seal.seal(purpose, context(uuid), key);
/** For the relay alone. */
export const openChannelKey = (seal: Sealer, { uuid, key_sealed }: { uuid: string; key_sealed: string }) =>
  key_sealed === "" ? "" : seal.open(purpose, context(uuid), key_sealed);

/** Host and port that a channel talks to; empty where its address follows from a region. */
export function hostOf(type: number, baseUrl: string): string {
  const url = URL.parse(baseUrl || channelType(type)?.defaultBaseUrl || "");
  if (!url) return "";
  return `${url.hostname}:${url.port || (url.protocol === "http:" ? "80" : "443")}`;
}

/** Enough to tell keys apart, and of a short key nothing. */
export const hintOf = (key: string) => (key.length >= 12 ? key.trim().slice(-4) : "");

/** One key for each line that is not empty; a key that is a JSON document has lines of its own. */
export function splitKeys(text: string): string[] {
  if (text.trim().startsWith("{")) return [text.trim()];
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.length > 0 ? lines : [""];
}

const bedrock = 33;
const vertex = 42;
const bedrockNames = ["ak", "sk", "region"] as const;
const vertexNames = ["region", "vertex_ai_project_id", "vertex_ai_adc"] as const;
const secretMembers = ["sk", "session_token", "vertex_ai_adc"] as const;

/**
 * Bedrock and Vertex have secrets among their settings. They become part of the key, which is sealed, and leave the
 * settings, which every administrator reads.
 */
export function extractSecrets(type: number, config: string, key: string): { config: string; key: string } {
  if (config === "") return { config, key };
  const members: Record<string, unknown> = JSON.parse(config);
  const joined = (...names: string[]) => names.map((name) => onOneLine(String(members[name] ?? ""))).join("|");
  let whole = key;
  const token = members.session_token ? ["session_token"] : [];
  if (type === bedrock && members.sk) whole = joined(...bedrockNames, ...token);
  if (type === vertex && members.vertex_ai_adc) whole = joined(...vertexNames);
  const rest = Object.entries(members).filter(([name]) => !(secretMembers as readonly string[]).includes(name));
  return rest.length === Object.keys(members).length
    ? { config, key: whole }
    : { config: JSON.stringify(Object.fromEntries(rest)), key: whole };
}

/** Credentials are files of many lines, and every line of a key is a key. */
function onOneLine(text: string): string {
  try {
    return text.trim().startsWith("{") ? JSON.stringify(JSON.parse(text)) : text;
  } catch {
    return text;
  }
}

/** A key's parts by the names that they have among the settings; none for a key that is not joined. */
function keyParts(type: number, key: string): Record<string, string> | undefined {
  if (type === bedrock) return bedrockKeyParts(key);
  if (type !== vertex) return undefined;
  // The last part may hold the separator itself.
  const [, ...parts] = /^([^|]*)\|([^|]*)\|(.*)$/s.exec(key) ?? [];
  if (parts.length === 0) return undefined;
  return Object.fromEntries(vertexNames.map((name, index) => [name, parts[index] ?? ""]));
}

/** Amazon's own key for Bedrock alone, by how it begins: one that lasts, or one of a session. */
export const isBedrockApiKey = (text: string): boolean => /^(ABSK|bedrock-api-key-)[\w+/=.-]+$/.test(text);

/** `access key|secret key|region`, with a session token behind it where there is one; or `API key|region`. */
function bedrockKeyParts(key: string): Record<string, string> | undefined {
  const segments = key.split("|");
  const isApiKey = segments.length === 2 && isBedrockApiKey(segments[0] ?? "");
  const [ak = "", sk = "", region = "", session_token, ...more] = isApiKey ? ["", ...segments] : segments;
  if ((segments.length < 3 && !isApiKey) || more.length > 0) return undefined;
  return { ak, sk, region, ...(session_token !== undefined && { session_token }) };
}

/**
 * What a joined key says besides the secret: region and project, which a channel may have nowhere else. Several keys of
 * one channel share them.
 */
export function settingsInKey(type: number, key: string): Record<string, string> {
  const parts = Object.entries(keyParts(type, key) ?? {});
  return Object.fromEntries(
    parts.filter(([name, part]) => part !== "" && !(secretMembers as readonly string[]).includes(name)),
  );
}

/** A stored key whose other parts follow the settings, which may change without the secret; undefined when none did. */
export function keyAfter(type: number, stored: string, config: string): string | undefined {
  const parts = keyParts(type, stored);
  if (!parts || config === "") return undefined;
  const members: Record<string, unknown> = JSON.parse(config);
  const whole = Object.entries(parts)
    .map(([name, part]) => String(members[name] ?? part))
    .join("|");
  return whole === stored ? undefined : whole;
}
