/** Reads YAML from files of others. Pure. */
import {
  isAlias,
  isCollection,
  isNode,
  isPair,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
} from "yaml";
import { ImportRefused } from "../sources/source-tables.ts";

/** A proxy with some thousand models fits. */
export const yamlBytesMax = 2 * 1_024 * 1_024;
/**
 * `tokensMax` bounds a document before it is parsed, because the parser keeps a kilobyte of memory
 * for each token. A model of ten lines has about a hundred tokens.
 */
const tokensMax = 300_000;
/** The parser compares each alias with all anchors and aliases. */
const aliasesMax = 2_000;
const flowLevelsMax = 100;
/**
 * `nodesMax` bounds a document in which the aliases are replaced by the parts that they stand for.
 */
const nodesMax = 1_000_000;

/**
 * `name`: the file, for messages. Messages hold places and never a part of the text, which may be a
 * secret.
 */
export function parseBoundedYaml(text: string, name: string): unknown {
  if (text.length > yamlBytesMax)
    throw new ImportRefused(`${name} is larger than ${yamlBytesMax >> 20} MiB`);
  requireBoundedTokens(text, name);
  const lines = new LineCounter();
  try {
    // As the reader of LiteLLM takes it: merge keys are understood, and of two equal keys the last
    // one counts.
    const document = parseDocument(text, {
      lineCounter: lines,
      merge: true,
      uniqueKeys: false,
      prettyErrors: false,
    });
    const [broken] = document.errors;
    if (broken) {
      const { line, col } = lines.linePos(broken.pos[0]);
      throw new ImportRefused(
        `${name}:${line}:${col} is no valid YAML (${broken.code.toLowerCase().replaceAll("_", " ")})`,
      );
    }
    const anchors = new Map<string, Node>();
    const size = computeGrownSize(document.contents, { anchors, sizes: new Map() });
    if (size === Number.POSITIVE_INFINITY)
      throw new ImportRefused(`${name} has an alias that stands for itself or for nothing`);
    if (size > nodesMax)
      throw new ImportRefused(`${name} holds more than a million values with its aliases`);
    return document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ImportRefused(`${name} is nested too deeply`);
  }
}

/**
 * The lexer holds one token at a time, so that a document which is too much for the parser costs
 * next to nothing.
 */
function requireBoundedTokens(text: string, name: string): void {
  let [tokens, aliases, level] = [0, 0, 0];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > tokensMax)
      throw new ImportRefused(`${name} holds more than ${tokensMax} words and signs`);
    if (token.startsWith("*")) aliases += 1;
    if (aliases > aliasesMax)
      throw new ImportRefused(`${name} holds more than ${aliasesMax} aliases`);
    if (token === "[" || token === "{") level += 1;
    else if (token === "]" || token === "}") level = Math.max(0, level - 1);
    if (level > flowLevelsMax) throw new ImportRefused(`${name} is nested too deeply`);
  }
}

interface Growth {
  /**
   * `anchors` are what an alias stands for at its place: the last node with its anchor before it.
   */
  anchors: Map<string, Node>;
  sizes: Map<Node, number>;
}

/** `computeGrownSize` says how many nodes a node becomes; infinite for one that holds itself. */
function computeGrownSize(node: unknown, growth: Growth): number {
  if (isPair(node)) return pairSize(node, growth);
  if (!isNode(node)) return 1;
  if (isAlias(node)) {
    const target = growth.anchors.get(node.source);
    return (target && growth.sizes.get(target)) ?? Number.POSITIVE_INFINITY;
  }
  const { anchor } = node as { anchor?: string };
  if (anchor !== undefined) growth.anchors.set(anchor, node);
  const items: readonly unknown[] = isCollection(node) ? node.items : [];
  const size = items.reduce<number>((sum, item) => sum + computeGrownSize(item, growth), 1);
  growth.sizes.set(node, size);
  return size;
}

const pairSize = ({ key, value }: Pair, growth: Growth): number =>
  computeGrownSize(key, growth) + computeGrownSize(value, growth);
