/** Counts tokens. Loading takes a sixth of a second and tens of megabytes, so only the tokenizer's thread imports this. */
import type { Sampled } from "./text-sample.ts";

export type Encoding = "o200k_base" | "cl100k_base";

type CountTokens = (text: string, options: { disallowedSpecial: Set<string> }) => number;

/** OpenAI's older models. Others of other makers have tokenizers that nobody publishes; the newest one is near enough. */
const older = /(^|\/)(gpt-4(-|$)|gpt-3\.?5|text-embedding-)/;

export const encodingOf = (model: string): Encoding => (older.test(model) ? "cl100k_base" : "o200k_base");

/** Words of text are put together in a time that grows with the square of their length: none is longer than this. */
const pieceMax = 512;
/** Words whose tokens are kept for the next time. */
const wordsKept = 5_000;
/** What reads like a token for the model's own use is text like any other. */
const asText = { disallowedSpecial: new Set<string>() };

const loaded = new Map<Encoding, Promise<CountTokens>>();

function load(encoding: Encoding): Promise<CountTokens> {
  const known = loaded.get(encoding);
  if (known) return known;
  const counting = importEncoding(encoding).then(({ countTokens, setMergeCacheSize }) => {
    setMergeCacheSize(wordsKept);
    return countTokens;
  });
  loaded.set(encoding, counting);
  return counting;
}

const importEncoding = (encoding: Encoding) =>
  encoding === "o200k_base"
    ? import("gpt-tokenizer/encoding/o200k_base")
    : import("gpt-tokenizer/encoding/cl100k_base");

/** Tokens of the whole text, from those of its sample. */
export async function countTokens({ parts, length }: Sampled, encoding: Encoding): Promise<number> {
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
