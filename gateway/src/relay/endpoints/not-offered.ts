/**
 * Addresses of providers' APIs that this gateway does not serve, each with the reason and what
 * serves the purpose here. Pure.
 */

/**
 * `stored_objects`: the objects stay at one provider, under the operator's account.
 * `later_answers`: the work is done after the response, when nothing could be charged.
 * `hosted_programs`: the provider runs programs, under the operator's account. `provider_account`:
 * it administers the operator's account. `not_translated`: no channel is called by it. `elsewhere`:
 * of other gateways, whose purpose another address serves. `client_work`: of other gateways, what
 * this one leaves to the client.
 */
type NotOfferedReason =
  | "stored_objects"
  | "later_answers"
  | "hosted_programs"
  | "provider_account"
  | "not_translated"
  | "elsewhere"
  | "client_work";

export const notOfferedSentences: Readonly<Record<NotOfferedReason, string>> = {
  stored_objects: "what it stores would lie at one provider under the operator's account",
  later_answers: "its work is done after the response, when the gateway could not charge for it",
  hosted_programs: "the provider would run programs under the operator's account",
  provider_account: "it administers the operator's account at the provider",
  not_translated: "the gateway calls no provider by it",
  elsewhere: "this gateway has another address for it",
  client_work: "this gateway changes no request by what it stores: that is the client's work",
};

export interface NotOfferedRoutes {
  /**
   * Each stands for everything below it too; `{id}` is any one part. The version of Google's API is
   * not compared.
   */
  templates: readonly string[];
  reason: NotOfferedReason;
  instead?: string;
  /**
   * Only in Anthropic's dialect, which the header `anthropic-version` marks: OpenAI's objects at
   * the same address are served.
   */
  isAnthropicAlone?: true;
}

const inRequest =
  "send the content in the request to POST /v1/responses, /v1/chat/completions or /v1/messages";
const wholeConversation =
  "send the conversation in each request to POST /v1/responses, or name the earlier response there";

export const notOfferedRoutes: readonly NotOfferedRoutes[] = [
  {
    templates: ["/v1/files"],
    reason: "stored_objects",
    instead: "send the content in the request to POST /v1/messages",
    isAnthropicAlone: true,
  },
  {
    templates: ["/v1/uploads", "/v1/skills", "/v1/memory_stores"],
    reason: "stored_objects",
    instead: inRequest,
  },
  {
    templates: [
      "/v1beta/corpora",
      ...["/v1beta/fileSearchStores", "/upload/v1beta/fileSearchStores"],
    ],
    reason: "stored_objects",
    instead: "send the content in the request to POST /v1beta/models/{model}:generateContent",
  },
  {
    templates: ["/v1beta/files:register"],
    reason: "stored_objects",
    instead: "upload the file to POST /upload/v1beta/files",
  },
  {
    templates: [
      "/v1/responses/{id}/cancel",
      ...["/v1/chat/completions/{id}", "/v1/assistants", "/v1/threads"],
    ],
    reason: "stored_objects",
    instead: wholeConversation,
  },
  {
    templates: [
      "/v1beta/batches",
      "/v1beta/interactions",
      "/v1beta/models/{id}:batchGenerateContent",
      "/v1beta/batchPredictionJobs",
    ],
    reason: "later_answers",
    instead: "send each request by itself to POST /v1beta/models/{model}:generateContent",
  },
  {
    templates: ["/v1beta/models/{id}:asyncBatchEmbedContent"],
    reason: "later_answers",
    instead: "use POST /v1beta/models/{model}:batchEmbedContents",
  },
  {
    templates: [
      ...["/v1/fine_tuning", "/v1/fine-tunes", "/v1/evals", "/v1/video"],
      ...["/v1/videos/edits", "/v1/videos/extensions", "/v1/videos/characters"],
      ...[
        "/v1beta/tunedModels",
        "/v1beta/tuningJobs",
        "/v1beta/operations",
        "/v1beta/models/{id}:predictLongRunning",
      ],
    ],
    reason: "later_answers",
  },
  {
    templates: [
      ...[
        "/v1/agents",
        "/v1/chatkit",
        "/v1/sessions",
        "/v1/environments",
        "/v1/deployments",
        "/v1/deployment_runs",
      ],
      ...["/v1/dreams"],
    ],
    reason: "hosted_programs",
    instead: "run the agent yourself, with tools in POST /v1/responses or /v1/messages",
  },
  {
    templates: [
      ...[
        "/v1/organization",
        "/v1/organizations",
        "/v1/projects",
        "/v1/admin",
        "/v1/user_profiles",
        "/v1/vaults",
      ],
      ...[
        "/v1/tunnels",
        "/v1/webhook_endpoints",
        "/v1/webhook_event_types",
        "/v1/compliance",
        "/v1beta/auth_tokens",
      ],
    ],
    reason: "provider_account",
  },
  {
    templates: ["/v1/images/variations"],
    reason: "not_translated",
    instead: "use POST /v1/images/edits",
  },
  {
    templates: ["/v1/realtime/{id}", "/v1/live"],
    reason: "not_translated",
    instead: "open a WebSocket at /v1/realtime with an API key of the gateway",
  },
  {
    templates: ["/v1/audio/voices", "/v1/audio/voice_consents"],
    reason: "not_translated",
    instead: "name a voice of the provider in POST /v1/audio/speech",
  },
  {
    templates: ["/v1/edits", "/v1/engines"],
    reason: "not_translated",
    instead: "use POST /v1/chat/completions",
  },
  { templates: ["/v1/decisions", "/v1/content_provenance_checks"], reason: "not_translated" },
  {
    templates: ["/suno", ...["/mj", "/mj-fast", "/mj-relax", "/mj-turbo"], "/jimeng"],
    reason: "not_translated",
    instead: "use POST /v1/images/generations, /v1/audio/speech or /v1/videos",
  },
  {
    templates: ["/v1/search"],
    reason: "not_translated",
    instead: "let the model search, with the provider's tool in POST /v1/responses or /v1/messages",
  },
  {
    templates: ["/v1/memories", "/v1/rag", "/v1/prompts"],
    reason: "client_work",
    instead: inRequest,
  },
  { templates: ["/v1/guardrails"], reason: "elsewhere", instead: "set guards below /api/option/" },
  {
    templates: ["/v1/providers"],
    reason: "elsewhere",
    instead: "use GET /v1/models, or GET /api/channel/",
  },
  {
    templates: ["/v1/usage"],
    reason: "elsewhere",
    instead: "use GET /api/usage/token, or GET /v1/budget",
  },
  {
    templates: ["/v1beta/models/{id}:predict"],
    reason: "not_translated",
    instead: "use POST /v1/images/generations",
  },
  {
    templates: ["/v1beta/models/{id}:generateAnswer", "/v1beta/models/{id}:generateText"],
    reason: "not_translated",
    instead: "use POST /v1beta/models/{model}:generateContent",
  },
  {
    templates: ["/v1beta/models/{id}:embedText"],
    reason: "not_translated",
    instead: "use POST /v1beta/models/{model}:embedContent",
  },
  {
    templates: ["/v1beta/models/{id}:countTextTokens", "/v1beta/models/{id}:computeTokens"],
    reason: "not_translated",
    instead: "use POST /v1beta/models/{model}:countTokens",
  },
];

/** Google's libraries ask below either version. */
const inOneVersion = (path: string): string => path.replace(/^(\/upload)?\/v1beta\//, "$1/v1/");

/** Names of models may have slashes. */
const buildPattern = (template: string): RegExp => {
  const part = template.includes("/models/") ? ".+" : "[^/:]+";
  return new RegExp(`^${inOneVersion(template).replace("{id}", part)}(?:[/:]|$)`);
};

const patterns = notOfferedRoutes.flatMap(({ templates, ...route }) =>
  templates.map((template) => ({ pattern: buildPattern(template), ...route })),
);

/**
 * `notOfferedMessage` says why the address is not served, and what is; undefined for one that no
 * provider has either.
 */
export function notOfferedMessage(
  method: string,
  path: string,
  isAnthropic = false,
): string | undefined {
  const version = inOneVersion(path);
  const isDeletion = method === "DELETE" && /^\/v1\/models\/./.test(version);
  const found = isDeletion
    ? { reason: "provider_account" as const, instead: undefined }
    : patterns.find(
        ({ pattern, isAnthropicAlone }) =>
          (isAnthropic || !isAnthropicAlone) && pattern.test(version),
      );
  if (!found) return undefined;
  const { reason, instead } = found;
  const more = instead === undefined ? "" : `; ${instead}`;
  return `${method} ${path} is not offered by this gateway: ${notOfferedSentences[reason]}${more}`;
}
