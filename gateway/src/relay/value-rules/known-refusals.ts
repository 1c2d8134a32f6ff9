/**
 * Refusals of a channel that a second try has shown: once the same correction has succeeded for two
 * owners, later calls are sent in that form at once, for a day. Each node learns for itself.
 */
import type { CallFormats } from "../formats/api-format.ts";
import type { SentBody } from "../formats/call-parts.ts";
import { correctMember, parseCallBody, selectCorrectableRules } from "./refused-members.ts";
import type { ValueRule } from "./value-rule.ts";
import type { RuleDestination } from "./vendors.ts";

/** `RefusalPlace` is where a refusal was seen. */
export interface RefusalPlace extends RuleDestination {
  channelId: number;
  model: string;
}

const ownersMin = 2;
const keptMs = 24 * 3_600_000;
/** Places that are remembered, of one process. */
const placesMax = 1_000;

interface SeenRule {
  owners: Set<string>;
  /** `until` is when it is forgotten. */
  until: number;
}

const composePlaceKey = ({ channelId, host, model }: RefusalPlace): string =>
  `${channelId} ${host ?? ""} ${model}`;
const composeRuleKey = ({ id, member }: ValueRule): string => `${id} ${member}`;

export class KnownRefusals {
  readonly #places = new Map<string, Map<string, SeenRule>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The corrected call has succeeded. */
  confirm(place: RefusalPlace, rule: ValueRule, owner: string): void {
    const key = composePlaceKey(place);
    const rules = this.#places.get(key) ?? new Map<string, SeenRule>();
    this.#places.delete(key);
    this.#places.set(key, rules);
    const seen = rules.get(composeRuleKey(rule));
    const isCurrent = seen !== undefined && seen.until > this.#now();
    const owners = isCurrent ? seen.owners : new Set<string>();
    // Two are enough: more would only be kept.
    if (owners.size < ownersMin) owners.add(owner);
    rules.set(composeRuleKey(rule), { owners, until: this.#now() + keptMs });
    const [oldest] = this.#places.keys();
    if (this.#places.size > placesMax && oldest !== undefined) this.#places.delete(oldest);
  }

  /** The call in the form that the channel is known to take, and what it lost. */
  apply<Call extends SentBody & CallFormats>(
    call: Call,
    place: RefusalPlace,
  ): { call: Call; lost: readonly string[] } {
    const rules =
      this.#places.size === 0 || call.form ? undefined : this.#places.get(composePlaceKey(place));
    if (!rules) return { call, lost: [] };
    const known = selectCorrectableRules(call.upstream.endpoint, place.model, place).filter(
      (rule) => {
        const seen = rules.get(composeRuleKey(rule));
        return seen !== undefined && seen.owners.size >= ownersMin && seen.until > this.#now();
      },
    );
    let changed = call;
    const lost: string[] = [];
    for (const rule of known) {
      const body = parseCallBody(changed);
      const correction = body && correctMember(rule, changed, body, place.model);
      if (!correction) continue;
      changed = correction.call;
      if (correction.isLost) lost.push(rule.member);
    }
    return { call: changed, lost };
  }
}
