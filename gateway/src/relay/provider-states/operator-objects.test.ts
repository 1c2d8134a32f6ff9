// What each provider's requests can name of the operator's own account: nothing of it is read for a
// user by default.
import { describe, expect, test } from "vitest";
import { parseUnseenInputs } from "../formats/hold-size/unseen-inputs.ts";
import { listStateReferences, mayNameState } from "./state-references.ts";

const tool = (named: object) => ({ tools: [named] });
const azureSearch = (more: object = {}) => ({
  data_sources: [
    {
      type: "azure_search",
      parameters: { endpoint: "https://s.search.windows.net/", index_name: "plans", ...more },
    },
  ],
});
const withAuthentication = (type: string) => azureSearch({ authentication: { type } });
const plans = ["data_source https://s.search.windows.net/plans"];
const picture = (url: string) => ({
  messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
});
const retrieval = (named: object) => tool({ retrieval: named });

/** `named` goes by provider: what a request can name, and how the gateway calls it. */
const named: Readonly<
  Record<string, readonly [what: string, request: object, expected: readonly string[]][]>
> = {
  "Azure OpenAI": [
    ["a data source, without any authentication", azureSearch(), plans],
    [
      "a data source with the resource's identity",
      withAuthentication("system_assigned_managed_identity"),
      plans,
    ],
    [
      "a data source with a stated identity",
      withAuthentication("user_assigned_managed_identity"),
      plans,
    ],
    ["a data source, with an authentication of next year", withAuthentication("telepathy"), plans],
    ["a data source in the older spelling", { dataSources: azureSearch().data_sources }, plans],
    [
      "a database",
      {
        data_sources: [
          {
            type: "azure_cosmos_db",
            parameters: { database_name: "d", container_name: "c", authentication: {} },
          },
        ],
      },
      ["data_source d/c"],
    ],
    [
      "a deployment that embeds, beside a key of the client's own",
      azureSearch({
        authentication: { type: "api_key", key: "k" },
        embedding_dependency: { type: "deployment_name", deployment_name: "ada" },
      }),
      ["deployment ada"],
    ],
  ],
  "Azure's Foundry": [
    [
      "a server of tools with a stored connection",
      tool({ type: "mcp", project_connection_id: "c" }),
      ["connection c"],
    ],
    [
      "a search with a stored connection",
      tool({
        type: "azure_ai_search",
        azure_ai_search: { indexes: [{ project_connection_id: "c", index_name: "i" }] },
      }),
      ["connection c"],
    ],
    [
      "an API with the project's identity",
      tool({
        type: "openapi",
        openapi: { auth: { type: "managed_identity", security_scheme: { audience: "a" } } },
      }),
      ["connection managed_identity"],
    ],
    [
      "a function behind a queue",
      tool({
        type: "azure_function",
        azure_function: { input_binding: { storage_queue: { queue_service_endpoint: "q" } } },
      }),
      ["connection q"],
    ],
    ["a memory", tool({ type: "memory_search", memory_store_name: "m" }), ["vector_store m"]],
    ["an agent", { agent: { type: "agent_reference", name: "a" } }, ["agent a"]],
    [
      "an agent, by its other member",
      { agent_reference: { name: "a", type: "agent_reference" } },
      ["agent a"],
    ],
  ],
  OpenAI: [
    ["a vector store", tool({ type: "file_search", vector_store_ids: ["v"] }), ["vector_store v"]],
    [
      "a connector without a token",
      tool({ type: "mcp", connector_id: "connector_gmail" }),
      ["connection connector_gmail"],
    ],
    [
      "a skill",
      tool({
        type: "shell",
        environment: {
          type: "container_auto",
          skills: [{ type: "skill_reference", skill_id: "s" }],
        },
      }),
      ["skill s"],
    ],
    ["a voice of one's own", { voice: { id: "v" } }, ["voice v"]],
    ["the same in a chat", { audio: { voice: { id: "v" }, format: "wav" } }, ["voice v"]],
    ["a stored prompt", { prompt: { id: "p" } }, ["prompt p"]],
  ],
  Anthropic: [
    [
      "a skill",
      {
        container: {
          skills: [
            { type: "custom", skill_id: "skill_1" },
            { type: "anthropic", skill_id: "pptx" },
          ],
        },
      },
      ["skill skill_1"],
    ],
    ["a container", { container: "c" }, ["container c"]],
  ],
  "Amazon Bedrock": [
    [
      "a guardrail",
      { guardrailConfig: { guardrailIdentifier: "arn:aws:bedrock:g" } },
      ["guardrail arn:aws:bedrock:g"],
    ],
    ["a knowledge base", tool({ type: "retrieve", knowledgeBaseId: "k" }), ["vector_store k"]],
    ["an object in a bucket", picture("s3://bucket/plan.png"), ["file s3://bucket/plan.png"]],
  ],
  "Google's Vertex": [
    [
      "a data store",
      retrieval({ vertexAiSearch: { datastore: "projects/p/d" } }),
      ["vector_store projects/p/d"],
    ],
    [
      "a corpus",
      retrieval({ vertexRagStore: { ragResources: [{ ragCorpus: "c" }] } }),
      ["vector_store c"],
    ],
    [
      "a secret, for an API",
      retrieval({
        externalApi: {
          endpoint: "https://e.org",
          apiAuth: { apiKeyConfig: { apiKeySecretVersion: "s/1" } },
        },
      }),
      ["secret s/1"],
    ],
    [
      "a secret, for maps",
      tool({ googleMaps: { authConfig: { apiKeyConfig: { apiKeySecret: "s" } } } }),
      ["secret s"],
    ],
    [
      "an identity, for maps",
      tool({ google_maps: { auth_config: { auth_type: "GOOGLE_SERVICE_ACCOUNT_AUTH" } } }),
      ["connection GOOGLE_SERVICE_ACCOUNT_AUTH"],
    ],
    [
      "templates of Model Armor",
      { modelArmorConfig: { promptTemplateName: "p", responseTemplateName: "r" } },
      ["guardrail p", "guardrail r"],
    ],
    [
      "an object in a bucket",
      { contents: [{ parts: [{ fileData: { fileUri: "gs://b/c" } }] }] },
      ["file gs://b/c"],
    ],
    [
      "a cache, by the compatible API",
      { extra_body: { google: { cached_content: "c" } } },
      ["cache c"],
    ],
    ["a cache", { cachedContent: "cachedContents/1" }, ["cache cachedContents/1"]],
  ],
  xAI: [
    [
      "a collection",
      tool({ type: "collections_search", collection_ids: ["c"] }),
      ["vector_store c"],
    ],
  ],
  Mistral: [
    ["a library", tool({ type: "document_library", library_ids: ["l"] }), ["vector_store l"]],
    ["a connector", tool({ type: "connector", connector_id: "c" }), ["connection c"]],
    ["an agent", { agent_id: "a" }, ["agent a"]],
  ],
  Zhipu: [
    [
      "a knowledge base",
      tool({ type: "retrieval", retrieval: { knowledge_id: "k" } }),
      ["vector_store k"],
    ],
  ],
  Alibaba: [
    [
      "uploaded files, in a message",
      { messages: [{ role: "system", content: "fileid://file-1, fileid://file-2" }] },
      ["file file-1", "file file-2"],
    ],
    ["an object in a store", picture("oss://bucket/plan.png"), ["file oss://bucket/plan.png"]],
  ],
  Moonshot: [
    [
      "an uploaded film",
      { messages: [{ content: [{ video_url: { url: "ms://f" } }] }] },
      ["file ms://f"],
    ],
  ],
};

describe.each(Object.entries(named))("a request to %s", (_, rows) => {
  test.each(rows)("can name %s", { tags: ["S2-12"] }, (_what, request, expected) => {
    expect(listStateReferences({ ...request }).map(({ kind, id }) => `${kind} ${id}`)).toEqual(
      expected,
    );
    // Else it would not be looked for.
    expect(mayNameState({ refersTo: undefined, unseen: parseUnseenInputs(request) })).toBe(true);
  });
});

test.each([
  ["a data source with a key of the client's own", withAuthentication("api_key")],
  ["a data source with a key in the older spelling", azureSearch({ key: "k" })],
  [
    "a connector with a token of the client's own",
    tool({ type: "mcp", connector_id: "c", authorization: "t" }),
  ],
  [
    "a skill of OpenAI's",
    tool({ type: "shell", environment: { skills: [{ skill_id: "openai-sheets" }] } }),
  ],
  ["a voice of the provider's", { voice: "alloy", audio: { voice: "alloy" } }],
  [
    "words of a function",
    tool({ type: "function", name: "f", parameters: { connection_id: "c", serviceAccount: "s" } }),
  ],
  ["words of a user", { messages: [{ role: "user", content: "fileid://file-1" }] }],
  ["an address of the web", picture("https://e.org/gs://b")],
])("%s names no object of the operator", (_, request) =>
  expect(listStateReferences({ ...request })).toEqual([]),
);
