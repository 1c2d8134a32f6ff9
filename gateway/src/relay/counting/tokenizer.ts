/**
 * Counts tokens. Loading takes a sixth of a second and tens of megabytes, so only the tokenizer's
 * thread imports this.
 */
import type { SampledText } from "./text-sample.ts";

export type TokenEncoding = "o200k_base" | "cl100k_base";

type CountTokens = (text: string, options: { disallowedSpecial: Set<string> }) => number;

/**
 * OpenAI's older models. Other vendors publish no tokenizers; the newest encoding is close enough.
 */
const olderModels = /(^|\/)(gpt-4(-|$)|gpt-3\.?5|text-embedding-)/;

export const buildEncoding = (model: string): TokenEncoding =>
  olderModels.test(model) ? "cl100k_base" : "o200k_base";

/** Merging takes time quadratic in the length of a word, so longer words are cut. */
const pieceMax = 512;
/** Words whose tokens are cached. */
const mergeCacheSize = 5_000;
/** Special tokens in the text count as plain text. */
const asText = { disallowedSpecial: new Set<string>() };

const loaded = new Map<TokenEncoding, Promise<CountTokens>>();

function load(encoding: TokenEncoding): Promise<CountTokens> {
  const known = loaded.get(encoding);
  if (known) return known;
  const counting = importEncoding(encoding).then(({ countTokens, setMergeCacheSize }) => {
    setMergeCacheSize(mergeCacheSize);
    return countTokens;
  });
  loaded.set(encoding, counting);
  return counting;
}

const importEncoding = (encoding: TokenEncoding) =>
  encoding === "o200k_base"
    ? import("gpt-tokenizer/encoding/o200k_base")
    : import("gpt-tokenizer/encoding/cl100k_base");

/** Tokens of the whole text, extrapolated from its sample. */
export async function countTokens(
  { parts, length }: SampledText,
  encoding: TokenEncoding,
): Promise<number> {
  const count = await load(encoding);
  let tokens = 0;
  let counted = 0;
  for (const part of parts) {
    for (const piece of buildPieces(part)) tokens += count(piece, asText);
    counted += part.length;
  }
  return counted === length ? tokens : Math.ceil((tokens / counted) * length);
}

/** Cuts before spaces, where tokens begin anyway, so that cuts do not change the count. */
function* buildPieces(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > pieceMax) {
    const space = text.lastIndexOf(" ", from + pieceMax);
    const to = space > from ? space : from + pieceMax;
    yield text.slice(from, to);
    from = to;
  }
  yield text.slice(from);
}
