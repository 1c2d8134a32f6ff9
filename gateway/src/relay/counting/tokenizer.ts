/** Counts tokens. Loading takes a sixth of a second and tens of megabytes, so only the tokenizer's thread imports this. */
import type { SampledText } from "./text-sample.ts";

export type TokenEncoding = "o200k_base" | "cl100k_base";

type CountTokens = (text: string, options: { disallowedSpecial: Set<string> }) => number;

/** OpenAI's older models. Others of other makers have tokenizers that nobody publishes; the newest one is near enough. */
const olderModels = /(^|\/)(gpt-4(-|$)|gpt-3\.?5|text-embedding-)/;

export const encodingOf = (model: string): TokenEncoding => (olderModels.test(model) ? "cl100k_base" : "o200k_base");

/** Words of text are put together in a time that grows with the square of their length: none is longer than this. */
const pieceMax = 512;
/** Words whose tokens are kept for the next time. */
const mergeCacheSize = 5_000;
/** What reads like a token for the model's own use is text like any other. */
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

/** Tokens of the whole text, from those of its sample. */
export async function countTokens({ parts, length }: SampledText, encoding: TokenEncoding): Promise<number> {
  const count = await load(encoding);
  let tokens = 0;
  let counted = 0;
  for (const part of parts) {
    for (const piece of piecesOf(part)) tokens += count(piece, asText);
    counted += part.length;
  }
  return counted === length ? tokens : Math.ceil((tokens / counted) * length);
}

/** Cut in front of spaces, where tokens begin anyway, so that the cuts do not show in the count. */
function* piecesOf(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > pieceMax) {
    const space = text.lastIndexOf(" ", from + pieceMax);
    const to = space > from ? space : from + pieceMax;
    yield text.slice(from, to);
    from = to;
  }
  yield text.slice(from);
}
