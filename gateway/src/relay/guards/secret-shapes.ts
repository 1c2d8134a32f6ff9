/**
 * Finds credentials in text by the shapes that their issuers publish. What has a checksum is
 * verified; of the rest, a run of characters that is too regular to be random is a placeholder.
 * Every expression is linear: no repetition stands in another.
 */
import { crc32 } from "node:zlib";
import { managementKeyPrefix } from "@tollgate/contract/accounts/management-keys.ts";

interface SecretShape {
  /** `name` is as clients and the log read it. */
  name: string;
  /** Its first group is the part that is random. */
  expression: RegExp;
  hasChecksum?(secret: string): boolean;
}

/**
 * Bits per character that a random text exceeds; `XXXXXXXX` has none. A text of 16 characters has
 * at most 4 bits, whatever its alphabet, so short texts need less: of a million random AWS keys
 * 3,500 have below 3 bits, and none below 2.3.
 */
const computeEntropyMin = (length: number): number => Math.min(3, 0.55 * Math.log2(length));

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const checksumLength = 6;

/**
 * GitHub and npm: the last six characters are the CRC-32 of the random part in base 62
 * (github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats).
 */
export function readCrcChecksum(random: string): string {
  let rest = crc32(random);
  let digits = "";
  for (let place = 0; place < checksumLength; place += 1) {
    digits = (base62[rest % base62.length] ?? "") + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}

const hasCrc = (secret: string): boolean =>
  readCrcChecksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength);

const before = "(?<![A-Za-z0-9_-])";
const after = "(?![A-Za-z0-9_-])";
const shape = (
  name: string,
  source: string,
  hasChecksum?: SecretShape["hasChecksum"],
): SecretShape => ({
  name,
  expression: new RegExp(before + source + after, "g"),
  ...(hasChecksum && { hasChecksum }),
});

const publishedShapes: readonly SecretShape[] = [
  shape("a GitHub token", "gh[pousr]_([A-Za-z0-9]{36})", hasCrc),
  shape("a GitHub token", "github_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})"),
  shape("an npm token", "npm_([A-Za-z0-9]{36})", hasCrc),
  shape("a GitLab token", "glpat-([A-Za-z0-9_-]{20,64})"),
  shape("an AWS access key", "(?:AKIA|ASIA)([A-Z2-7]{16})"),
  shape("a Google API key", "AIza([A-Za-z0-9_-]{35})"),
  shape("an Anthropic API key", "sk-ant-[a-z0-9]{3,8}-([A-Za-z0-9_-]{80,120})"),
  shape("an OpenAI API key", "sk-(?:proj-|svcacct-|admin-)([A-Za-z0-9_-]{40,200})"),
  shape("an OpenAI API key", "sk-([A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})"),
  shape("a Hugging Face token", "hf_([A-Za-z0-9]{34})"),
  shape("a Slack token", "xox[abeprs]-([A-Za-z0-9-]{20,250})"),
  shape("a Stripe key", "(?:sk|rk)_live_([A-Za-z0-9]{20,120})"),
  shape("a SendGrid key", "SG\\.([A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43})"),
  shape("a key of this gateway", `${managementKeyPrefix}([A-Za-z0-9]{48})`),
];

const privateKey = /-----BEGIN (?:[A-Z]{2,9} ){0,3}PRIVATE KEY-----/;

/**
 * `listShapes` gives what API keys of this gateway look like: their prefix is a setting of the
 * process.
 */
const listShapes = (keyPrefix: string): SecretShape[] => [
  ...publishedShapes,
  shape("an API key of this gateway", `${RegExp.escape(keyPrefix)}([A-Za-z0-9]{48})`),
];

export function findSecretFinder(keyPrefix: string): (text: string) => string | undefined {
  const shapes = listShapes(keyPrefix);
  return (text) => {
    if (privateKey.test(text)) return "a private key";
    return shapes.find((one) => buildPlaces(text, one).next().value !== undefined)?.name;
  };
}

/** `SecretPlace` is the place of a credential in a text, end exclusive. */
export interface SecretPlace {
  name: string;
  start: number;
  end: number;
}

/**
 * `listSecretPlaces` gives all credentials of a text, in no order; private keys are found by their
 * heads alone.
 */
export function listSecretPlaces(keyPrefix: string): (text: string) => SecretPlace[] {
  const shapes = listShapes(keyPrefix);
  return (text) => shapes.flatMap((one) => [...buildPlaces(text, one)]);
}

function* buildPlaces(
  text: string,
  { name, expression, hasChecksum }: SecretShape,
): Generator<SecretPlace> {
  for (const match of text.matchAll(expression)) {
    const [whole, random = ""] = match;
    const isSecret = hasChecksum
      ? hasChecksum(random)
      : computeEntropy(random) >= computeEntropyMin(random.length);
    if (isSecret) yield { name, start: match.index, end: match.index + whole.length };
  }
}

/** Shannon's, in bits per character. */
export function computeEntropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
