/**
 * Objects in the operator's own account at a provider that a request may name, so that they are
 * read with the operator's rights: knowledge bases, stored connections, identities and secrets of a
 * cloud, agents, skills, voices. No call through the gateway makes one. Pure.
 */
import { fileMessage } from "../formats/hold-size/unseen-inputs.ts";
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";

const operatorKinds = [
  "data_source",
  "deployment",
  "connection",
  "secret",
  "agent",
  "skill",
  "voice",
  "guardrail",
] as const;
export type OperatorKind = (typeof operatorKinds)[number];
export const isOperatorKind = (kind: string): kind is OperatorKind =>
  operatorKinds.some((one) => one === kind);

/** `vector_store`: also a user's own, where the provider has the API for them. */
export const operatorMembers: Readonly<Record<string, OperatorKind | "vector_store">> = {
  // xAI's collections, Mistral's libraries, knowledge bases of Zhipu, Amazon, Baidu and Azure's
  // memory.
  collection_ids: "vector_store",
  library_ids: "vector_store",
  knowledge_id: "vector_store",
  knowledge_base_id: "vector_store",
  knowledge_base_ids: "vector_store",
  knowledgebase_ids: "vector_store",
  knowledgeBaseId: "vector_store",
  memory_store_name: "vector_store",
  // Connections of Azure's Foundry hold a credential of the operator, as do Mistral's connectors.
  project_connection_id: "connection",
  connection_id: "connection",
  connectionId: "connection",
  queue_service_endpoint: "connection",
  agent_id: "agent",
  guardrailIdentifier: "guardrail",
  guardrail_identifier: "guardrail",
  promptTemplateName: "guardrail",
  prompt_template_name: "guardrail",
  responseTemplateName: "guardrail",
  response_template_name: "guardrail",
  // Vertex reads them from the secrets of the operator's project.
  apiKeySecret: "secret",
  api_key_secret: "secret",
  apiKeySecretVersion: "secret",
  api_key_secret_version: "secret",
  credentialSecret: "secret",
  credential_secret: "secret",
  serviceAccount: "secret",
  service_account: "secret",
};

type AddObject = (kind: OperatorKind, id: string) => void;

const dataSourceMembers = new Set(["data_sources", "dataSources"]);
/**
 * Azure: what the client itself proves its right with. Without any of them, the identity of the
 * operator's resource is used.
 */
const ownCredentials = new Set([
  "api_key",
  "connection_string",
  "key_and_key_id",
  "access_token",
  "encoded_api_key",
  "username_and_password",
]);
const agentMembers = new Set(["agent", "agent_reference"]);
/** An identity of the operator's, in the words of Azure and Google. */
const operatorIdentity = /managed_identity|project_connection|GOOGLE_SERVICE_ACCOUNT_AUTH/;
const identityMembers = new Set(["type", "authType", "auth_type"]);

/**
 * `member` is the value of `name` in a part of a request; true where nothing else is to be looked
 * for in it.
 */
export function addOperatorObjects(
  name: string,
  member: unknown,
  part: JsonRecord,
  add: AddObject,
): boolean {
  if (dataSourceMembers.has(name)) {
    for (const source of records(member)) addDataSource(record(source.parameters), add);
    return true;
  }
  if (name === "connector_id" && typeof member === "string") {
    // With a token of the client's own, a connector reads what the client may read.
    if (text(part.authorization) === "") add("connection", member);
    return true;
  }
  if (name === "skill_id" && typeof member === "string") {
    const isOfProvider = part.type === "anthropic" || member.startsWith("openai-");
    if (!isOfProvider) add("skill", member);
    return true;
  }
  if (agentMembers.has(name) && text(record(member).name) !== "") {
    add("agent", text(record(member).name));
    return true;
  }
  if (name === "voice" && text(record(member).id) !== "") {
    add("voice", text(record(member).id));
    return true;
  }
  if (identityMembers.has(name) && typeof member === "string" && operatorIdentity.test(member)) {
    add("connection", member);
    return true;
  }
  return false;
}

/** Named as `known_state_ids` may list it: its address and index. */
function addDataSource(source: JsonRecord, add: AddObject): void {
  const { type } = record(source.authentication);
  const place = ["endpoint", "environment", "account_name", "project_resource_id", "database_name"];
  const index = ["index_name", "indexName", "collection_name", "container_name", "name"];
  const first = (names: readonly string[]): string =>
    names.map((name) => text(source[name])).find(Boolean) ?? "";
  const hasOwnCredential =
    ownCredentials.has(text(type)) || (type === undefined && text(source.key) !== "");
  if (!hasOwnCredential) add("data_source", `${first(place).replace(/\/+$/, "")}/${first(index)}`);
  const { deployment_name: model } = record(source.embedding_dependency);
  if (text(model) !== "") add("deployment", text(model));
}

/**
 * An object in a store of the provider's cloud (`gs://`, `s3://`, `oss://`, `ms://`): every scheme
 * that is not the web's.
 */
export const cloudAddress = /^\s*(?!https?:|data:)[a-z][a-z0-9+.-]*:\/\//i;

export const formatFilesInMessage = ({ role, content }: JsonRecord): string[] =>
  role === "system" && typeof content === "string" && fileMessage.test(content)
    ? content.split(",").map((id) => id.trim().replace(/^fileid:(?:\/\/)?/i, ""))
    : [];

/** The sentence of a refusal: who can permit it, and by which setting. */
export const operatorRemedy =
  "It is read with the rights of the operator's account at the provider; an administrator can list it in known_state_ids of the channel's configuration, or permit every one with allow_unknown_state";
