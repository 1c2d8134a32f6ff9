/**
 * The one table of what providers refuse. Rows apply in their order: those of one vendor before
 * what all servers of its API refuse.
 */
import type { ApiEndpoint } from "../formats/api-format.ts";
import { amazonValueRules } from "./amazon-value-rules.ts";
import { anthropicConversationRules } from "./anthropic-conversation-rules.ts";
import { anthropicValueRules } from "./anthropic-value-rules.ts";
import { asianValueRules } from "./asian-value-rules.ts";
import { compatibleValueRules } from "./compatible-value-rules.ts";
import { googleValueRules } from "./google-value-rules.ts";
import { namedValueRules } from "./named-value-rules.ts";
import {
  openAiConversationRules,
  repeatedCallRules,
  turnOrderRules,
} from "./openai-conversation-rules.ts";
import { openAiValueRules } from "./openai-value-rules.ts";
import { ownServerValueRules } from "./own-server-value-rules.ts";
import type { ValueRule } from "./value-rule.ts";
import { findServerVendor, findVendor, type RuleDestination, stripVendorName } from "./vendors.ts";

export const valueRules: readonly ValueRule[] = [
  ...repeatedCallRules,
  ...turnOrderRules,
  ...asianValueRules,
  ...ownServerValueRules,
  ...compatibleValueRules,
  ...openAiConversationRules,
  ...openAiValueRules,
  ...anthropicConversationRules,
  ...anthropicValueRules,
  ...googleValueRules,
  ...amazonValueRules,
  ...namedValueRules,
];

const byApi = Map.groupBy(valueRules, ({ api }) => api);

/** Answers for one name of a model; the names that channels serve are few. */
const chosen = new Map<string, readonly ValueRule[]>();
const chosenMax = 2_000;

/** The rows that count for a model at a destination. */
export function selectRules(
  api: ApiEndpoint,
  model: string,
  destination: RuleDestination,
): readonly ValueRule[] {
  const rows = byApi.get(api);
  if (!rows) return [];
  const key = `${api} ${destination.channelType ?? ""} ${destination.host ?? ""} ${model}`;
  const known = chosen.get(key);
  if (known) return known;
  const plain = stripVendorName(model);
  const vendor = findVendor(destination, plain);
  const isUnknown = findServerVendor(destination) === undefined;
  const found = rows.filter(
    ({ at, notAt, servers, models }) =>
      (at === undefined || (vendor !== undefined && at.includes(vendor))) &&
      !(notAt !== undefined && vendor !== undefined && notAt.includes(vendor)) &&
      (servers === undefined || isUnknown) &&
      (models === undefined || models.test(plain)),
  );
  if (chosen.size >= chosenMax) chosen.clear();
  chosen.set(key, found);
  return found;
}
