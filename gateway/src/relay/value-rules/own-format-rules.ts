/**
 * Certain rules in a call of the API's own client, whose bytes otherwise stay: only rows that name
 * models or providers, and one member at the top. Nearly every call has none of them, and no body
 * is parsed for it. Pure.
 */
import type { CallFormats } from "../formats/api-format.ts";
import type { SentBody } from "../formats/call-parts.ts";
import { answersMembers, limitMembers } from "../formats/hold-size/output-limit.ts";
import { withMember } from "../wire/json-spans.ts";
import { RuleRun } from "./apply-value-rules.ts";
import { findMember } from "./member-path.ts";
import { parseCallBody } from "./refused-members.ts";
import type { ValueRule } from "./value-rule.ts";
import { selectRules } from "./value-rule-table.ts";
import { type RuleDestination, stripVendorName } from "./vendors.ts";

const keptMembers = new Set([
  "messages",
  "input",
  "contents",
  "tools",
  "tool_choice",
  "response_format",
  "system",
]);

const isSpliced = ({ certainty, at, models, member, fit }: ValueRule): boolean =>
  certainty === "certain" &&
  (at !== undefined || models !== undefined) &&
  /^\w+$/.test(member) &&
  !keptMembers.has(member) &&
  fit.do !== "convert_body" &&
  // A limit keeps its value: what is held for the call follows from it.
  !(fit.do === "clamp" && [...limitMembers, ...answersMembers].includes(member));

const chosen = new WeakMap<readonly ValueRule[], readonly ValueRule[]>();

function selectSplicedRules(rules: readonly ValueRule[]): readonly ValueRule[] {
  const known = chosen.get(rules);
  if (known) return known;
  const found = rules.filter(isSpliced);
  chosen.set(rules, found);
  return found;
}

export interface OwnFormatCall<Call> {
  call: Call;
  lost: readonly string[];
}

/** `removeCertainRefusals` does the same call where nothing of it is refused. */
export function removeCertainRefusals<Call extends SentBody & CallFormats>(
  call: Call,
  model: string,
  destination: RuleDestination,
): OwnFormatCall<Call> {
  if (call.form) return { call, lost: [] };
  const rules = selectRules(call.upstream.endpoint, model, destination);
  const { members } = call;
  const found = selectSplicedRules(rules).filter(
    ({ member }) => members === undefined || members.has(member),
  );
  if (found.length === 0) return { call, lost: [] };
  const before = parseCallBody(call);
  if (!before) return { call, lost: [] };
  const run = new RuleRun();
  let body = before;
  let bytes = call.body;
  for (const rule of found) {
    const fitted = run.apply(rule, body, stripVendorName(model));
    if (fitted === body) continue;
    for (const name of [rule.member, ...(rule.fit.do === "move" ? [rule.fit.to] : [])]) {
      const value = findMember(fitted, name);
      if (value !== findMember(body, name))
        bytes = withMember(bytes, [name], value === undefined ? undefined : JSON.stringify(value));
    }
    body = fitted;
  }
  return bytes === call.body
    ? { call, lost: [] }
    : { call: { ...call, body: bytes }, lost: [...run.lost] };
}
