/** Addresses of providers' APIs that this gateway does not serve, each with the reason. Pure. */

/**
 * `stored_objects`: the objects stay at one provider, under the operator's account. `later_answers`: the work is done after the
 * response, when nothing could be charged. `provider_account`: it administers the operator's account. `not_translated`: no channel
 * is called by it.
 */
type NotOfferedReason = "stored_objects" | "later_answers" | "provider_account" | "not_translated";

const sentences: Readonly<Record<NotOfferedReason, string>> = {
  stored_objects:
    "what it stores would lie at one provider under the operator's account; send the content in the request",
  later_answers: "its work is done after the response, when the gateway could not charge for it",
  provider_account: "it administers the operator's account at the provider",
  not_translated: "the gateway calls no provider by it",
};

const patterns: readonly (readonly [RegExp, NotOfferedReason])[] = [
  [
    /^\/(?:upload\/)?v1(?:beta)?\/(?:files|uploads|vector_stores|containers|skills|conversations|cachedContents|fileSearchStores|corpora)(?:[/:]|$)/,
    "stored_objects",
  ],
  [/^\/v1\/(?:batches|messages\/batches|fine_tuning|fine-tunes|evals|videos|video)(?:\/|$)/, "later_answers"],
  [/^\/v1beta\/(?:batches|tunedModels|operations|interactions)(?:[/:]|$)/, "later_answers"],
  [/^\/v1(?:beta)?\/models\/.+:(?:batchGenerateContent|asyncBatchEmbedContent|predictLongRunning)$/, "later_answers"],
  [/^\/v1\/responses\/[^/]+\/(?:cancel|input_items)$/, "stored_objects"],
  [/^\/v1\/chat\/completions\/[^/]+/, "stored_objects"],
  [/^\/v1\/(?:assistants|threads|chatkit)(?:\/|$)/, "stored_objects"],
  [/^\/v1\/(?:organization|organizations|projects|admin)(?:\/|$)/, "provider_account"],
  [/^\/v1\/(?:images\/variations|ocr|realtime\/.+|audio\/voices.*|edits|engines.*)$/, "not_translated"],
  [/^\/v1(?:beta)?\/models\/.+:(?:predict|generateAnswer|generateText|embedText|countTextTokens)$/, "not_translated"],
];

/** Why the address is not served; undefined for one that no provider has either. */
export function notOfferedMessage(method: string, path: string): string | undefined {
  const reason = patterns.find(([pattern]) => pattern.test(path))?.[1];
  const isDeletion = method === "DELETE" && /^\/v1\/models\/./.test(path);
  const why = reason ?? (isDeletion ? "provider_account" : undefined);
  return why && `${method} ${path} is not offered by this gateway: ${sentences[why]}`;
}
