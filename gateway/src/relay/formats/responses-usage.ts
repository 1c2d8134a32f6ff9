/** The usage in a response of OpenAI's: tokens, and the tools that the provider ran. */
import { type ExtraBucket, noUsage, type Usage } from "../../money/prices/price.ts";
import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import {
  collectContainers,
  findContainer,
  ranInContainer,
} from "./hold-size/container-sessions.ts";
import { parseOpenAiUsage } from "./usage/openai-usage.ts";
import { findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";

const searchBuckets: Readonly<Record<string, ExtraBucket>> = {
  web_search_call: "web_searches",
  // xAI's searches of X, at the price of a search of the web.
  x_search_call: "web_searches",
  file_search_call: "file_searches",
};

/**
 * The bucket of a search that the provider ran. A page that is opened, and what is looked for in
 * it, is no search: https://developers.openai.com/api/docs/guides/tools-web-search names search
 * actions alone as charged.
 */
export function findSearchBucket({ type, action }: JsonRecord): ExtraBucket | undefined {
  const { type: kind = "search" } = record(action);
  return kind === "search" ? searchBuckets[text(type)] : undefined;
}

/**
 * A container that is not named cannot be told from one that runs already; pictures have tokens,
 * which older answers leave out; and the model that writes vectors has a price of its own.
 */
function hasUnknownFee({ output, tool_usage, usage }: JsonRecord): boolean {
  if (isRecord(record(usage).server_side_tool_usage_details)) return false;
  const countsPictures = isRecord(record(tool_usage).image_gen);
  return records(output).some(
    (item) =>
      (ranInContainer(item) && findContainer(item) === undefined) ||
      (item.type === "image_generation_call" && (!countsPictures || isRecord(item.svg_usage))),
  );
}

/**
 * A program of the model that runs on asks no model: the provider counts 0 of everything, and that
 * is what it bills.
 */
function findUsageOfProgram({ usage, output }: JsonRecord): ReportedUsage | undefined {
  const isOfProgram = (item: JsonRecord): boolean => record(item.caller).type === "program";
  const items = records(output);
  if (record(usage).total_tokens !== 0 || items.length === 0 || !items.every(isOfProgram))
    return undefined;
  return {
    usage: { ...noUsage },
    hiddenOutput: 0,
    isCorrected: false,
    wire: { family: "openai", members: record(usage) },
  };
}

/**
 * Containers and searches are charged by xAI's count of those that it bills, else by the items that
 * show them, or more where a count says so.
 */
export function findUsageOfResponse(response: JsonRecord): ReportedUsage | undefined {
  const reported = parseOpenAiUsage(response.usage) ?? findUsageOfProgram(response);
  if (!reported) return undefined;
  const usage = { ...reported.usage };
  const { image_gen, web_search } = record(response.tool_usage);
  // https://docs.x.ai/developers/tools/tool-usage-details: searches that failed are shown, and not
  // billed.
  const { server_side_tool_usage_details: billedCalls } = record(response.usage);
  if (!isRecord(billedCalls)) {
    for (const item of records(response.output)) {
      const bucket = findSearchBucket(item);
      if (bucket) usage[bucket] = (usage[bucket] ?? 0) + 1;
    }
    const { size: containers } = collectContainers(records(response.output));
    if (containers > 0) usage.container_sessions = containers;
  }
  const searches = findTokenCount(record(web_search).num_requests) ?? 0;
  if (searches > 0) usage.web_searches = Math.max(usage.web_searches ?? 0, searches);
  addImageTool(usage, record(image_gen));
  const members = {
    ...record(response.usage),
    ...(isRecord(response.tool_usage) && { tool_usage: response.tool_usage }),
  };
  return {
    ...reported,
    usage,
    wire: { family: "openai", members },
    hiddenOutput: reported.hiddenOutput + (usage.output_image ?? 0),
    ...(hasUnknownFee(response) && { hasUnknownFee: true }),
  };
}

/**
 * The tool that draws is counted beside the model. Its tokens are charged at the model's rates for
 * pictures.
 */
function addImageTool(usage: Usage, tool: JsonRecord): void {
  const prompt = findTokenCount(tool.input_tokens) ?? 0;
  const output_image = findTokenCount(tool.output_tokens) ?? 0;
  const pictures = Math.min(
    findTokenCount(record(tool.input_tokens_details).image_tokens) ?? 0,
    prompt,
  );
  const { cached_image_tokens } = record(tool.cached_tokens_details);
  const cached = Math.min(findTokenCount(tool.cached_tokens) ?? 0, prompt);
  const cache_read_image = Math.min(findTokenCount(cached_image_tokens) ?? 0, cached, pictures);
  const cachedText = Math.min(cached - cache_read_image, prompt - pictures);
  usage.input += prompt - pictures - cachedText;
  usage.cache_read += cachedText;
  const input_image = pictures - cache_read_image;
  if (input_image > 0) usage.input_image = (usage.input_image ?? 0) + input_image;
  if (cache_read_image > 0)
    usage.cache_read_image = (usage.cache_read_image ?? 0) + cache_read_image;
  if (output_image > 0) usage.output_image = (usage.output_image ?? 0) + output_image;
}
