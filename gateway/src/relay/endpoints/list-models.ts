/**
 * The models that a key may use, in the format of the client: OpenAI's and Anthropic's at
 * `/v1/models`, Google's at `/v1beta/models`.
 */
import { listTargets } from "../../catalogue/models/virtual-model-rules.ts";
import type {
  ArrivedRequest,
  ErrorFormatChoice,
  KnownCall,
  ReplyToClient,
} from "../exchange-parts.ts";
import { isAgentList, readAgentAlias, readModelBehindAlias } from "../formats/agent-aliases.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { ChannelPrice, RelayChannelTable } from "../routing/channel-table.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { buildCodexCatalogue } from "./codex-models.ts";
import { authenticateExchange, type CallerDeps, sendJson } from "./json-endpoint.ts";

interface ListModelsDeps extends CallerDeps {
  channels: Pick<RelayChannelTable, "snapshot">;
}

/** The price list itself. */
const wholeRatio = 1_000_000;
/**
 * The gateway does not know when a model was listed; clients that sort by the time get a fixed one.
 */
const created = 1_626_777_600;

const buildModelEntry = (id: string) => ({
  id,
  object: "model",
  created,
  owned_by: "tollgate",
  permission: [],
  root: id,
  parent: null,
});

const buildAnthropicEntry = (model: string, id = model) => ({
  type: "model",
  id,
  display_name: model,
  created_at: new Date(created * 1000).toISOString(),
});

const isCodexList = (url: string): boolean => /[?&]client_version=/.test(url);

/** Only clients of Anthropic's API send its version. */
function speaksAnthropic(exchange: ArrivedRequest & ErrorFormatChoice): boolean {
  if (exchange.request.headers["anthropic-version"] === undefined) return false;
  exchange.speak(anthropicMessages.errorFormat);
  return true;
}

export async function listModels(
  exchange: KnownCall & ErrorFormatChoice & ReplyToClient,
  deps: ListModelsDeps,
): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await formatModelNames(exchange, deps);
  const { url = "" } = exchange.request;
  if (!isAnthropic) {
    const catalogue = isCodexList(url)
      ? { models: buildCodexCatalogue(names, (name) => findModelPrice(name, deps)) }
      : {};
    return sendJson(exchange, { object: "list", data: names.map(buildModelEntry), ...catalogue });
  }
  const ids = isAgentList(url) ? names.map(readAgentAlias) : names;
  const data = names.map((name, at) => buildAnthropicEntry(name, ids[at]));
  sendJson(exchange, {
    data,
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  });
}

/**
 * `findModelPrice` is about the first channel that has the name; the facts of a virtual model are those of
 * its first target.
 */
function findModelPrice(
  name: string,
  { channels: { snapshot }, now }: ListModelsDeps,
): ChannelPrice | undefined {
  const routed = snapshot.routed(name);
  const model = routed ? (listTargets(routed)[0] ?? name) : name;
  const [channel] = snapshot.channelsFor(model);
  return channel && snapshot.price(channel, model, wholeRatio, now());
}

export async function readModel(
  exchange: KnownCall & ErrorFormatChoice & ReplyToClient,
  model: string,
  deps: ListModelsDeps,
): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await formatModelNames(exchange, deps);
  const name = isAnthropic ? readModelBehindAlias(model, (known) => names.includes(known)) : model;
  if (names.includes(name))
    return sendJson(
      exchange,
      isAnthropic ? buildAnthropicEntry(name, model) : buildModelEntry(name),
    );
  const missing = refuseModelNotFound(model);
  if (isAnthropic) throw missing;
  const { message, code } = missing.refusal;
  // Compatible servers answer 200 here, and their clients look for the error object.
  sendJson(exchange, { error: { message, type: "invalid_request_error", param: "model", code } });
}

const buildGeminiEntry = (id: string) => ({
  name: `models/${id}`,
  baseModelId: id,
  version: "",
  displayName: id,
  supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
});

export async function listGeminiModels(
  exchange: KnownCall & ReplyToClient,
  deps: ListModelsDeps,
): Promise<void> {
  sendJson(exchange, { models: (await formatModelNames(exchange, deps)).map(buildGeminiEntry) });
}

export async function readGeminiModel(
  exchange: KnownCall & ReplyToClient,
  model: string,
  deps: ListModelsDeps,
): Promise<void> {
  const names = await formatModelNames(exchange, deps);
  if (!names.includes(model)) throw refuseModelNotFound(model);
  sendJson(exchange, buildGeminiEntry(model));
}

function refuseModelNotFound(model: string): RelayRefused {
  const message = `The model '${model}' does not exist`;
  return new RelayRefused({
    status: 404,
    type: "not_found_error",
    code: "model_not_found",
    message,
  });
}

async function formatModelNames(exchange: KnownCall, deps: ListModelsDeps): Promise<string[]> {
  const caller = await authenticateExchange(exchange, deps);
  const { modelsOf, namesNeeded } = deps.channels.snapshot;
  const { models, groups } = caller;
  const served = modelsOf(groups);
  return models === null
    ? [...served]
    : served.filter((model) => namesNeeded(model).every((name) => models.has(name)));
}
