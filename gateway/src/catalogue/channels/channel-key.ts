/** Provider keys: write-only, sealed, and bound to one destination. */
import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import type { Sealer } from "../../secrets/seal.ts";

const purpose = "channel-key";
const composeContext = (uuid: string) => `channels/key_sealed/${uuid}` as const;

/** A missing key stays an empty string. */
export const sealChannelKey = (seal: Sealer, uuid: string, key: string) =>
  key === "" ? "" : seal.seal(purpose, composeContext(uuid), key);
/** Only the relay may use it. */
export const openChannelKey = (
  seal: Sealer,
  { uuid, key_sealed }: { uuid: string; key_sealed: string },
) => (key_sealed === "" ? "" : seal.open(purpose, composeContext(uuid), key_sealed));

/** The end of the secret, enough to tell keys apart; empty for a short key. */
export function describeKey(type: number, key: string): string {
  const { sk, vertex_ai_adc } = splitKeyParts(type, key.trim()) ?? {};
  const secret = vertex_ai_adc ?? sk ?? key.trim();
  const visible = secret.startsWith("{") ? readDocumentId(secret) : secret;
  return visible.length >= 12 ? visible.slice(-4) : "";
}

/** `readDocumentId` gives what tells the key files of Google and Coze apart: they end alike. */
function readDocumentId(text: string): string {
  try {
    const members = JSON.parse(text) as Record<string, unknown>;
    const id = members.private_key_id ?? members.public_key_id ?? members.refresh_token;
    return typeof id === "string" ? id : "";
  } catch {
    return "";
  }
}

/** `splitKeys` gives one key per non-empty line. A JSON document is one key, whatever its lines. */
export function splitKeys(text: string): string[] {
  if (text.trim().startsWith("{")) return [text.trim()];
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.length > 0 ? lines : [""];
}

const { bedrock, vertex } = channelTypeIds;
const bedrockNames = ["ak", "sk", "region"] as const;
const vertexNames = ["region", "vertex_ai_project_id", "vertex_ai_adc"] as const;
/** `secretMembers` are those of `config`: they become the key. */
export const secretMembers = ["sk", "session_token", "vertex_ai_adc"] as const;

/**
 * Bedrock and Vertex have secrets among their settings. They move into the key, which is sealed,
 * because every administrator can read the settings.
 */
export function extractSecrets(
  type: number,
  config: string,
  key: string,
): { config: string; key: string } {
  if (config === "") return { config, key };
  const members: Record<string, unknown> = JSON.parse(config);
  const joined = (...names: string[]) =>
    names.map((name) => flattenLine(String(members[name] ?? ""))).join("|");
  let whole = key;
  const token = members.session_token ? ["session_token"] : [];
  if (type === bedrock && members.sk) whole = joined(...bedrockNames, ...token);
  if (type === vertex && members.vertex_ai_adc) whole = joined(...vertexNames);
  const rest = Object.entries(members).filter(
    ([name]) => !(secretMembers as readonly string[]).includes(name),
  );
  return rest.length === Object.keys(members).length
    ? { config, key: whole }
    : { config: JSON.stringify(Object.fromEntries(rest)), key: whole };
}

/** Credentials may be JSON files of many lines, but every line of a key is a key. */
function flattenLine(text: string): string {
  try {
    return text.trim().startsWith("{") ? JSON.stringify(JSON.parse(text)) : text;
  } catch {
    return text;
  }
}

/** The parts of a composite key by the names of their settings; undefined for a simple key. */
function splitKeyParts(type: number, key: string): Record<string, string> | undefined {
  if (type === bedrock) return splitBedrockKeyParts(key);
  if (type !== vertex) return undefined;
  // The last part may contain the separator.
  const [, ...parts] = /^([^|]*)\|([^|]*)\|(.*)$/s.exec(key) ?? [];
  if (parts.length === 0) return undefined;
  return Object.fromEntries(vertexNames.map((name, index) => [name, parts[index] ?? ""]));
}

/**
 * `isBedrockApiKey` says whether this is an API key for Bedrock, long-term or short-term, by its
 * prefix.
 */
export const isBedrockApiKey = (text: string): boolean =>
  /^(ABSK|bedrock-api-key-)[\w+/=.-]+$/.test(text);

/** `access key|secret key|region`, optionally followed by `|session token`; or `API key|region`. */
function splitBedrockKeyParts(key: string): Record<string, string> | undefined {
  const segments = key.split("|");
  const isApiKey = segments.length === 2 && isBedrockApiKey(segments[0] ?? "");
  const [ak = "", sk = "", region = "", session_token, ...more] = isApiKey
    ? ["", ...segments]
    : segments;
  if ((segments.length < 3 && !isApiKey) || more.length > 0) return undefined;
  return { ak, sk, region, ...(session_token !== undefined && { session_token }) };
}

/**
 * The public settings in a composite key: region and project, which a channel may have nowhere
 * else. All keys of a channel share them.
 */
export function readKeySettings(type: number, key: string): Record<string, string> {
  const parts = Object.entries(splitKeyParts(type, key) ?? {});
  return Object.fromEntries(
    parts.filter(
      ([name, part]) => part !== "" && !(secretMembers as readonly string[]).includes(name),
    ),
  );
}

/**
 * The stored key with its public parts taken from changed settings; undefined when they did not
 * change.
 */
export function chooseKey(type: number, stored: string, config: string): string | undefined {
  const parts = splitKeyParts(type, stored);
  if (!parts || config === "") return undefined;
  const members: Record<string, unknown> = JSON.parse(config);
  const whole = Object.entries(parts)
    .map(([name, part]) => String(members[name] ?? part))
    .join("|");
  return whole === stored ? undefined : whole;
}
