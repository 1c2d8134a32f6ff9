/**
 * The one member that a provider's 400 names, in the form that it takes: for one more try on the
 * same channel. Messages, tools, schemas of answers, limits and what changes the price stay as the
 * client sent them (decision 103). Pure.
 */
import type { ApiEndpoint, CallFormats } from "../formats/api-format.ts";
import type { SentBody } from "../formats/call-parts.ts";
import { watchedMembers } from "../formats/hold-size/cost-members.ts";
import { answersMembers, limitMembers } from "../formats/hold-size/output-limit.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { withMember } from "../wire/json-spans.ts";
import { RuleRun } from "./apply-value-rules.ts";
import { findMember } from "./member-path.ts";
import type { ValueRule } from "./value-rule.ts";
import { selectRules } from "./value-rule-table.ts";
import { type RuleDestination, stripVendorName } from "./vendors.ts";

/** `MemberRefusal` is what a provider reports of a request that it refused. */
export interface MemberRefusal {
  status: number;
  message: string;
  param?: string | undefined;
}

export interface Correction<Call> {
  call: Call;
  rule: ValueRule;
  /** `isLost` goes by the path in the body that was sent. */
  isLost: boolean;
}

const keptRoots = new Set([
  ...["messages", "input", "contents", "prompt", "system", "systemInstruction", "instructions"],
  ...["tools", "toolConfig", "tool_choice", "functions", "function_call", "response_format"],
  ...watchedMembers,
]);
const keptPaths =
  /^(?:text\.format|output_config\.format|generationConfig\.response(?:MimeType|Schema|JsonSchema))/;
const limits = new Set([...limitMembers, ...answersMembers]);

/** `isCorrectable` says whether a refusal may change the member of this row. */
function isCorrectable({ member, fit }: ValueRule): boolean {
  if (fit.do === "convert_body" || fit.do === "move" || fit.do === "rename" || /[[\]]/.test(member))
    return false;
  const names = member.split(".");
  return (
    !keptRoots.has(names[0] ?? "") && !keptPaths.test(member) && !limits.has(names.at(-1) ?? "")
  );
}

/** Only the beginning of a message is the provider's own: further on it may quote the client. */
const ownWordsMax = 240;

const writeCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const writeSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Words of providers that name a member without its name. */
const otherWords: readonly (readonly [RegExp, RegExp])[] = [
  [/^Penalty is not enabled\b/, /\.(?:presence|frequency)Penalty$/],
  [/^"?thinking\.type\.\w+"? is not supported/, /^thinking$/],
  [/\bdoes not support thinking\b/, /^(?:reasoning_effort|thinking)$/],
  [/^Thinking level is not supported\b/, /\.thinkingLevel$/],
  [/^Logprobs (?:is|are) not (?:enabled|supported)\b/i, /\.(?:responseLogprobs|logprobs)$/],
];

const named = new Map<string, RegExp>();

function composeNamingWords(member: string): RegExp {
  const known = named.get(member);
  if (known) return known;
  const last = member.split(".").at(-1) ?? member;
  const names = [...new Set([last, writeCamelCase(last), writeSnakeCase(last)])];
  const any = names.join("|");
  // A name that is an ordinary word is one only in quotes, or after what says that it is a name.
  const plain = names.filter((name) => /_|[a-z][A-Z]/.test(name)).join("|");
  const words = new RegExp(
    [
      `["'\`“](?:[\\w.]+\\.)?(?:${any})["'\`”]`,
      `(?:parameter|argument|member|field|property|key|option)s?(?: supplied)?:? (?:[\\w.]+\\.)?(?:${any})\\b`,
      `^(?:[\\w.]+\\.)?(?:${any}): `,
      ...(plain === "" ? [] : [`\\b(?:${plain})\\b`]),
    ].join("|"),
  );
  named.set(member, words);
  return words;
}

function isNamed(member: string, { message, param }: MemberRefusal): boolean {
  if (param !== undefined && param !== "")
    return param === member || param === member.split(".").at(-1);
  const words = message.slice(0, ownWordsMax);
  return (
    composeNamingWords(member).test(words) ||
    otherWords.some(([said, meant]) => said.test(words) && meant.test(member))
  );
}

/** The call with one member changed in its bytes; undefined where the rule changes nothing. */
export function correctMember<Call extends SentBody>(
  rule: ValueRule,
  call: Call,
  body: JsonRecord,
  model: string,
): Correction<Call> | undefined {
  const run = new RuleRun();
  const fitted = run.apply(rule, body, stripVendorName(model));
  if (fitted === body) return undefined;
  const value = findMember(fitted, rule.member);
  const bytes = withMember(
    call.body,
    rule.member.split("."),
    value === undefined ? undefined : JSON.stringify(value),
  );
  return { call: { ...call, body: bytes }, rule, isLost: run.lost.size > 0 };
}

/** The rows that a refusal of this API may bring into play. */
export const selectCorrectableRules = (
  api: ApiEndpoint,
  model: string,
  destination: RuleDestination,
): readonly ValueRule[] => selectRules(api, model, destination).filter(isCorrectable);

/** Undefined where the refusal names no member of the table, or the request has none. */
export function correctRefused<Call extends SentBody & CallFormats>(
  call: Call,
  refusal: MemberRefusal,
  model: string,
  destination: RuleDestination,
): Correction<Call> | undefined {
  if (refusal.status !== 400 || call.form) return undefined;
  const rules = selectCorrectableRules(call.upstream.endpoint, model, destination).filter(
    ({ member }) => isNamed(member, refusal),
  );
  if (rules.length === 0) return undefined;
  const body = parseCallBody(call);
  for (const rule of body ? rules : []) {
    const correction = body && correctMember(rule, call, body, model);
    if (correction) return correction;
  }
  return undefined;
}

export function parseCallBody({ body }: SentBody): JsonRecord | undefined {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
