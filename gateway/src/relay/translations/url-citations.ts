/**
 * Citations of addresses, which every format tells in a form of its own: they travel in that of
 * chat completions. Places are counted in characters of the whole answer there, in characters of
 * one part in Responses, in bytes in Gemini. Pure.
 */
import {
  isRecord,
  type JsonRecord,
  present,
  readNumber,
  record,
  records,
  text,
} from "../wire/json-parts.ts";

/** `keptMax` is that of a longer answer only the beginning is kept to find places in it. */
const keptMax = 16 * 1024 * 1024;
export const findKeptAnswer = (before: string, added: string): string =>
  before.length < keptMax ? before + added : before;

/** An annotation of chat completions; without a place where the provider names none. */
export const buildChatAnnotation = (citation: JsonRecord): JsonRecord => ({
  type: "url_citation",
  url_citation: citation,
});

/** The cited addresses of a message or a delta of chat completions. */
export const listCitations = ({ annotations }: JsonRecord): JsonRecord[] =>
  records(annotations).flatMap(({ type, url_citation }) =>
    type === "url_citation" && isRecord(url_citation) ? [url_citation] : [],
  );

const isAddress = (value: unknown): boolean => /^https?:\/\//i.test(text(value));

/**
 * Addresses that Perplexity and xAI (`citations`), Zhipu (`web_search`) and Doubao (`references`)
 * list beside the choices, in the order in which the text numbers them.
 */
export function findListedSources({
  citations,
  search_results,
  web_search,
  references,
}: JsonRecord): JsonRecord[] {
  const found = [search_results, web_search, references].flatMap(records);
  const titles = new Map(found.map(({ url, link, title }) => [url ?? link, title]));
  const listed = Array.isArray(citations) ? citations : [...titles.keys()];
  return listed.filter(isAddress).map((url) => present({ url, title: text(titles.get(url)) }));
}

/**
 * `shifted` does the same citation in a text before which the answer has this many characters;
 * negative shifts the other way.
 */
export function shifted(citation: JsonRecord, by: number): JsonRecord {
  const { start_index, end_index } = citation;
  if (by === 0 || typeof start_index !== "number" || typeof end_index !== "number") return citation;
  return {
    ...citation,
    start_index: Math.max(0, start_index + by),
    end_index: Math.max(0, end_index + by),
  };
}

/**
 * `blockCitation` gives what a block of Messages cites; citations of the client's own documents
 * have no address.
 */
export const blockCitation = (
  citation: JsonRecord,
  start_index: number,
  end_index: number,
): JsonRecord[] => {
  const url = isAddress(citation.url) ? citation.url : citation.source;
  return isAddress(url) ? [{ url, title: text(citation.title), start_index, end_index }] : [];
};

/** The citations of a candidate of Gemini whose text is `answer`. */
export function listCandidateCitations(
  { groundingMetadata, citationMetadata }: JsonRecord,
  answer: string,
): JsonRecord[] {
  if (!groundingMetadata && !citationMetadata) return [];
  const { groundingChunks, groundingSupports } = record(groundingMetadata);
  const sources = records(groundingChunks).map(({ web, retrievedContext }) =>
    record(web ?? retrievedContext),
  );
  const bytes = Buffer.from(answer);
  const supports = records(groundingSupports);
  const everywhere: JsonRecord = { endIndex: bytes.length };
  const grounded =
    supports.length === 0
      ? sources.map((source) => ({ source, where: everywhere }))
      : supports.flatMap(({ segment, groundingChunkIndices }) =>
          (Array.isArray(groundingChunkIndices) ? groundingChunkIndices : []).map((index) => ({
            source: sources[readNumber(index, -1)] ?? {},
            where: record(segment),
          })),
        );
  const { citationSources, citations } = record(citationMetadata);
  const quoted = [...records(citationSources), ...records(citations)].map((source) => ({
    source,
    where: source,
  }));
  const cited = [...grounded, ...quoted].filter(({ source }) => isAddress(source.uri));
  const places = cited.flatMap(({ where }) => [offset(where.startIndex), offset(where.endIndex)]);
  const characters = collectLengths(places, (from, to) => bytes.toString("utf8", from, to).length);
  return cited.map(({ source, where }) => ({
    url: source.uri,
    title: text(source.title),
    start_index: characters.get(offset(where.startIndex)),
    end_index: characters.get(offset(where.endIndex)),
  }));
}

const offset = (index: unknown): number =>
  typeof index === "number" && index > 0 ? Math.floor(index) : 0;

/**
 * The length in another unit of the text before each place, which is measured once however many
 * places there are.
 */
function collectLengths(
  places: readonly number[],
  lengthOf: (from: number, to: number) => number,
): Map<number, number> {
  const lengths = new Map<number, number>();
  let [at, length] = [0, 0];
  for (const place of [...new Set(places)].toSorted((a, b) => a - b)) {
    length += lengthOf(at, place);
    at = place;
    lengths.set(place, length);
  }
  return lengths;
}

/** The citations of an answer as Gemini's grounding; undefined without any. */
export function findGrounding(
  citations: readonly JsonRecord[],
  answer: string,
): JsonRecord | undefined {
  if (citations.length === 0) return undefined;
  const titles = new Map(citations.map(({ url, title }) => [text(url), text(title)]));
  const numbers = new Map([...titles.keys()].map((uri, index) => [uri, index]));
  const places = citations.flatMap(({ start_index, end_index }) => [
    offset(start_index),
    offset(end_index),
  ]);
  const bytes = collectLengths(places, (from, to) => Buffer.byteLength(answer.slice(from, to)));
  const groundingSupports = citations.flatMap(({ url, start_index, end_index }) => {
    const [start, end] = [offset(start_index), offset(end_index)];
    if (end <= start) return [];
    const segment = {
      startIndex: bytes.get(start),
      endIndex: bytes.get(end),
      text: answer.slice(start, end),
    };
    return [{ segment, groundingChunkIndices: [numbers.get(text(url))] }];
  });
  return present({
    groundingChunks: [...titles].map(([uri, title]) => ({
      web: present({ uri, title: title || undefined }),
    })),
    groundingSupports: groundingSupports.length > 0 ? groundingSupports : undefined,
  });
}

/** `readWords` reads a text, or a spoken answer. */
export const readWords = (part: JsonRecord): string => text(part.text ?? part.transcript);

/** `translateCitation` is for chat completions, which has citations of addresses only. */
export const translateCitation = ({ type, ...cited }: JsonRecord, before: number): JsonRecord[] =>
  type === "url_citation" ? [buildChatAnnotation(shifted(cited, before))] : [];

/** `listAnnotations` are those of all parts of a message of Responses. */
export function listAnnotations(parts: readonly JsonRecord[]): JsonRecord[] {
  let length = 0;
  return parts.flatMap((part) => {
    const before = length;
    length += readWords(part).length;
    return records(part.annotations).flatMap((annotation) => translateCitation(annotation, before));
  });
}
