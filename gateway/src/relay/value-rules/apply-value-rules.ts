/** Applies the table to a request that is ready to be sent. Pure. */
import type { ApiEndpoint } from "../formats/api-format.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { addMissingMember, findMember, mapMember, stripConditions } from "./member-path.ts";
import { fitsWord, shortenName, shortenWord } from "./short-names.ts";
import { type Fitted, type RuleContext, removed, type ValueRule } from "./value-rule.ts";
import { selectRules } from "./value-rule-table.ts";
import { type RuleDestination, stripVendorName } from "./vendors.ts";

export interface FittedBody {
  body: JsonRecord;
  /** Members that were left out, or of which a part was, by their paths in `body`. */
  lost: readonly string[];
  /** The client's names of tools by those that are sent; undefined where none was changed. */
  renamed: ReadonlyMap<string, string> | undefined;
}

/** `RuleRun` is what one request's rules share: two tools never get the same name. */
export class RuleRun {
  readonly lost = new Set<string>();
  readonly #sentNames = new Map<string, string>();
  readonly #ownNames = new Map<string, string>();
  readonly #seen: ReadonlySet<string>;

  constructor(seen: ReadonlySet<string> = new Set()) {
    this.#seen = seen;
  }

  get renamed(): ReadonlyMap<string, string> | undefined {
    return this.#ownNames.size > 0 ? this.#ownNames : undefined;
  }

  apply(rule: ValueRule, body: JsonRecord, model: string): JsonRecord {
    const { fit, member } = rule;
    const context: RuleContext = { body, model };
    const isRefused = (value: unknown): boolean => rule.refuses?.(value, context) ?? true;
    if (fit.do === "convert_body") {
      const value = findMember(body, member);
      return value === undefined || !isRefused(value) ? body : fit.by(body, context);
    }
    if (fit.do === "move") return this.#move(member, fit.to, body, isRefused);
    if (fit.do === "set" && fit.addsMissing && findMember(body, member) === undefined)
      return isRefused(undefined) ? addMissingMember(body, member, fit.value) : body;
    return mapMember(body, member, (value) => {
      if (!isRefused(value)) return value;
      const fitted = this.#fitted(rule, value, context);
      if (fitted === removed || fit.do === "first") this.#note(rule, fitted !== value);
      return fitted;
    });
  }

  #move(
    member: string,
    to: string,
    body: JsonRecord,
    isRefused: (value: unknown) => boolean,
  ): JsonRecord {
    const value = findMember(body, member);
    if (value === undefined || !isRefused(value)) return body;
    const without = mapMember(body, member, () => removed);
    return findMember(body, to) === undefined ? addMissingMember(without, to, value) : without;
  }

  #note({ member }: ValueRule, isChanged: boolean): void {
    if (isChanged) this.lost.add(stripConditions(member));
  }

  #fitted({ fit }: ValueRule, value: unknown, context: RuleContext): Fitted {
    switch (fit.do) {
      case "hash":
        return typeof value === "string" ? shortenWord(value, fit) : value;
      case "rename":
        return typeof value === "string" && value !== "" ? this.#name(value, fit) : value;
      case "clamp":
        return typeof value === "number" ? clampNumber(value, fit) : value;
      case "first":
        return Array.isArray(value) && value.length > fit.count ? value.slice(0, fit.count) : value;
      case "set":
        return fit.value;
      case "drop":
        return removed;
      case "convert":
        return fit.by(value, context);
      case "move":
      case "convert_body":
        return value;
      default:
        return fit satisfies never;
    }
  }

  #name(own: string, limit: { max: number; pattern: RegExp }): string {
    if (fitsWord(own, limit)) return own;
    const known = this.#sentNames.get(own);
    if (known !== undefined) return known;
    const sent = shortenName(
      own,
      limit,
      (name) => this.#seen.has(name) || this.#ownNames.has(name),
    );
    this.#sentNames.set(own, sent);
    this.#ownNames.set(sent, own);
    return sent;
  }
}

const clampNumber = (value: number, { min, max }: { min?: number; max?: number }): number =>
  Math.min(Math.max(value, min ?? value), max ?? Number.POSITIVE_INFINITY);

/** Every valid name of a tool, which a shortened one must not meet. */
function namesIn(body: JsonRecord, rules: readonly ValueRule[]): Set<string> {
  const names = new Set<string>();
  for (const { fit, member } of rules)
    if (fit.do === "rename")
      mapMember(body, member, (value) => {
        if (typeof value === "string" && fitsWord(value, fit)) names.add(value);
        return value;
      });
  return names;
}

/** A translated request without what the provider is known to refuse. */
export function applyValueRules(
  body: JsonRecord,
  api: ApiEndpoint,
  model: string,
  destination: RuleDestination = {},
): FittedBody {
  const rules = selectRules(api, model, destination).filter(
    ({ certainty }) => certainty === "certain",
  );
  if (rules.length === 0) return { body, lost: [], renamed: undefined };
  const run = new RuleRun(namesIn(body, rules));
  const plain = stripVendorName(model);
  const fitted = rules.reduce((one, rule) => run.apply(rule, one, plain), body);
  return { body: fitted, lost: [...run.lost], renamed: run.renamed };
}
