/**
 * Claude Code lists only models whose names begin with `claude` or `anthropic`. Every other model
 * that the key may use is listed for it under an alias, and a request of the Messages API may name
 * it so.
 */
const aliasPrefix = "anthropic/";
const isListedByAgents = (model: string): boolean => /^(?:claude|anthropic)/i.test(model);

/**
 * `agentListLimit` is what Claude Code asks for; other clients of Anthropic's API ask for fewer at
 * once.
 */
const agentListLimit = "1000";
export const isAgentList = (url = ""): boolean =>
  new URLSearchParams(url.split("?", 2)[1]).get("limit") === agentListLimit;

/** The name under which an agent sees the model. */
export const readAgentAlias = (model: string): string =>
  isListedByAgents(model) ? model : aliasPrefix + model;

/** The model behind an alias; a name that some channel serves as it is, is no alias. */
export function readModelBehindAlias(name: string, isServed: (model: string) => boolean): string {
  return name.startsWith(aliasPrefix) && !isServed(name) ? name.slice(aliasPrefix.length) : name;
}
