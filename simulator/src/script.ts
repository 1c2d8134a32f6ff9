/**
 * The script of an API key: a list of directives. Those that apply to a call are merged, later ones
 * win. It is part of the key (`sim-pace-20+cut-5`) or set at run time as JSON; README.md has the
 * grammar.
 */
import { type Directive, type ScriptedBehaviour, wireQuirks } from "./scripted-behaviour.ts";

export type KeyScript = readonly Directive[];

export class UnknownDirective extends Error {}

/** The script in a key, or undefined for a key without one. */
export function scriptInKey(key: string): KeyScript | undefined {
  return key.startsWith("sim-") ? parseScript(key.slice("sim-".length)) : undefined;
}

export function parseScript(text: string): KeyScript {
  return text.split("+").map(parseDirective);
}

/** A script sent at run time: the text of a key without `sim-`, one directive, or several. */
export function readScript(value: unknown): KeyScript {
  if (typeof value === "string") return parseScript(value);
  const directives: unknown[] = Array.isArray(value) ? value : [value];
  return directives.map(checkDirective);
}

/** `call` counts the calls of one key from 1. */
export function behaviourOf(script: KeyScript, call: number): ScriptedBehaviour {
  const merged: Directive = {};
  for (const directive of script) {
    if (directive.first !== undefined && call > directive.first) continue;
    if (directive.every !== undefined && call % directive.every !== 0) continue;
    Object.assign(merged, directive);
  }
  return merged;
}

type DirectiveReader = (...groups: string[]) => Directive;

const vocabulary: readonly (readonly [RegExp, DirectiveReader])[] = [
  [/^ok$/, () => ({})],
  // A name distinguishes keys with the same behaviour, so that each has its own call count.
  [/^as-.+$/, () => ({})],
  [/^(?:fail-)?([1-5]\d\d)$/, (status) => ({ fail: { status: Number(status) } })],
  [
    /^fail-(\d+)-retry-date-(\d+)$/,
    (status, s) => ({ fail: { status: Number(status), retryDateSeconds: Number(s) } }),
  ],
  [
    /^fail-(\d+)-retry-ms-(.+)$/,
    (status, ms) => ({ fail: { status: Number(status), retryAfterMs: `${ms}` } }),
  ],
  [
    /^fail-(\d+)-retry-(.+)$/,
    (status, retryAfter) => ({ fail: { status: Number(status), retryAfter: `${retryAfter}` } }),
  ],
  [/^spent-(\d+)$/, (seconds) => ({ spentSeconds: Number(seconds) })],
  [/^drop$/, () => ({ drop: true })],
  [/^hang$/, () => ({ hang: true })],
  [/^html$/, () => ({ html: true })],
  [/^malformed$/, () => ({ malformed: true })],
  [/^truncate-json$/, () => ({ truncateJson: true })],
  [/^no-usage$/, () => ({ noUsage: true })],
  [/^no-limit$/, () => ({ noLimit: true })],
  [/^slow-(\d+)$/, (ms) => ({ slowMs: Number(ms) })],
  [/^slow-(\d+)-(\d+)$/, (p50, p99) => ({ slowMs: Number(p50), slowMsP99: Number(p99) })],
  [/^pace-(\d+)$/, (ms) => ({ paceMs: Number(ms) })],
  [/^cut-(\d+)$/, (n) => ({ cutAfter: Number(n) })],
  [/^reset-(\d+)$/, (n) => ({ resetAfter: Number(n) })],
  [/^stall-(\d+)$/, (n) => ({ stallAfter: Number(n) })],
  [/^error-(\d+)$/, (n) => ({ errorAfter: Number(n) })],
  [/^tokens-(\d+)$/, (n) => ({ tokens: Number(n) })],
  [/^reasoning-(\d+)$/, (n) => ({ reasoningTokens: Number(n) })],
  [/^cached-(\d+)$/, (n) => ({ cachedTokens: Number(n) })],
  [/^wire-(.+)$/, (quirk) => checkDirective({ wire: quirk })],
];

function parseDirective(text: string): Directive {
  const when = /-(first|every)-(\d+)$/.exec(text);
  const what = when ? text.slice(0, when.index) : text;
  for (const [pattern, read] of vocabulary) {
    const match = pattern.exec(what);
    if (match)
      return checkDirective({
        ...read(...match.slice(1)),
        ...(when && { [`${when[1]}`]: Number(when[2]) }),
      });
  }
  throw new UnknownDirective(`The simulator does not know the directive '${text}'.`);
}

const isFlag = (value: unknown) => value === true;
const isText = (value: unknown) => typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isCount = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 10_000_000;
const isQuirk = (value: unknown) => wireQuirks.some((quirk) => quirk === value);
const isAmount = (value: unknown) => value === undefined || typeof value === "number";
const isCosts = (value: unknown) =>
  Array.isArray(value) &&
  value.every(
    (cost) =>
      isRecord(cost) &&
      /^\d{4}-\d\d-\d\d$/.test(String(cost.day)) &&
      isText(cost.model) &&
      ["requests", "input", "cached", "output", "dollars"].every((name) => isAmount(cost[name])),
  );
const isFailure = (value: unknown) =>
  isRecord(value) &&
  Number.isInteger(value.status) &&
  Number(value.status) >= 200 &&
  Number(value.status) <= 599 &&
  ["retryAfter", "retryAfterMs", "message", "type", "code"].every(
    (name) => value[name] === undefined || isText(value[name]),
  ) &&
  (value.retryDateSeconds === undefined || isCount(value.retryDateSeconds));

const checks: Record<keyof Directive, (value: unknown) => boolean> = {
  spentSeconds: isCount,
  drop: isFlag,
  hang: isFlag,
  html: isFlag,
  malformed: isFlag,
  truncateJson: isFlag,
  noUsage: isFlag,
  noLimit: isFlag,
  fail: isFailure,
  wire: isQuirk,
  text: isText,
  models: isTexts,
  ends: (value) =>
    isRecord(value) && Object.values(value).every((day) => day === null || isText(day)),
  costs: isCosts,
  batchPolls: isCount,
  batchEnd: isText,
  batchAnswers: isCount,
  batchLost: isFlag,
  videoPolls: isCount,
  videoEnd: isText,
  videoMade: (value) => isRecord(value) && Object.values(value).every(isText),
  videoLost: isFlag,
  videoGone: isFlag,
  slowMs: isCount,
  slowMsP99: isCount,
  paceMs: isCount,
  cutAfter: isCount,
  resetAfter: isCount,
  stallAfter: isCount,
  errorAfter: isCount,
  tokens: isCount,
  reasoningTokens: isCount,
  cachedTokens: isCount,
  first: (value) => isCount(value) && value !== 0,
  every: (value) => isCount(value) && value !== 0,
};

/** Every name and value is checked, so that a typo does not act like a healthy provider. */
function checkDirective(value: unknown): Directive {
  if (!isRecord(value))
    throw new UnknownDirective('A directive is an object, such as {"paceMs": 20}.');
  for (const [name, given] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof Directive] : undefined;
    if (!check) throw new UnknownDirective(`The simulator does not know the directive '${name}'.`);
    if (!check(given))
      throw new UnknownDirective(`The directive '${name}' cannot be ${JSON.stringify(given)}.`);
  }
  return value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
