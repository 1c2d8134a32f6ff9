// Writes the tables of docs/usage.md: every member of providers' usage, fees of tools, factors;
// `vitest -u` updates it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buckets, type Usage } from "../../../money/prices/price.ts";
import { priceFactors } from "../../../money/prices/price-factors.ts";
import { regionalFactors } from "../../../money/prices/regional-prices.ts";
import { requestFees, toolFees, toolFeesReadOn } from "../../../money/prices/tool-fees.ts";
import { gemini } from "../gemini.ts";
import { imageGenerations } from "../images.ts";
import { ocr } from "../ocr.ts";
import { rerank } from "../openai-basic-formats.ts";
import { responses } from "../responses.ts";
import { parseConverseUsage } from "./converse-usage.ts";
import { parseMessagesUsage } from "./messages-usage.ts";
import { type UsageFamily, usageFamilies } from "./reported-usage.ts";
import { isKnownUsageMember, usageMembers } from "./usage-members.ts";

const page = join(import.meta.dirname, "../../../../../docs/usage.md");
type UsageJson = Record<string, unknown>;

type Looked = Partial<
  Record<"webSearchQueries" | "imageSearchQueries" | "groundingChunks", number>
>;
const queries = (length = 0): string[] => Array.from({ length }, (_, n) => `search ${n}`);

/** Reads a usage object as the family's replies hold it. */
const readers: Readonly<Record<UsageFamily, (usage: UsageJson) => Usage | undefined>> = {
  openai: ({ tool_usage, meta, usage_info, ...usage }) => {
    if (meta !== undefined) return rerank.upstream.readReply({ results: [], meta })?.usage?.usage;
    if (usage_info !== undefined)
      return ocr.upstream.readReply({ pages: [], usage_info })?.usage?.usage;
    return responses.upstream.readReply({ object: "response", output: [], usage, tool_usage })
      ?.usage?.usage;
  },
  anthropic: (usage) => parseMessagesUsage(usage)?.usage,
  gemini: ({ groundingMetadata, ...usageMetadata }) => {
    const {
      webSearchQueries,
      imageSearchQueries,
      groundingChunks = 0,
    } = (groundingMetadata ?? {}) as Looked;
    const places = Array.from({ length: groundingChunks }, () => ({ maps: {} }));
    const candidates = [
      {
        groundingMetadata: {
          webSearchQueries: queries(webSearchQueries),
          imageSearchQueries: queries(imageSearchQueries),
          groundingChunks: places,
        },
      },
    ];
    return gemini.upstream.readReply({ candidates, usageMetadata })?.usage?.usage;
  },
  converse: (usage) => parseConverseUsage(usage)?.usage,
  openai_media: (usage) => imageGenerations.upstream.readReply({ data: [], usage })?.usage?.usage,
};

/** Enough of everything, so that a part of it can change alone. */
const bases: Readonly<Record<UsageFamily, UsageJson>> = {
  openai: { input_tokens: 1_000, output_tokens: 1_000 },
  anthropic: {
    input_tokens: 1_000,
    output_tokens: 1_000,
    cache_read_input_tokens: 1,
    cache_creation_input_tokens: 1,
  },
  gemini: { promptTokenCount: 1_000, cachedContentTokenCount: 500, candidatesTokenCount: 1_000 },
  converse: { inputTokens: 1_000, outputTokens: 1_000, cacheWriteInputTokens: 500 },
  openai_media: { input_tokens: 1_000, output_tokens: 1_000 },
};

const modalities: Readonly<Record<string, string>> = {
  input_audio: "AUDIO",
  cache_read_audio: "AUDIO",
  output_audio: "AUDIO",
  output_image: "IMAGE",
};

/** The object with this member; elements of lists get what selects them. */
function withMember(family: UsageFamily, path: string, bucket: string, value: number): UsageJson {
  const names = path.split(".");
  const element = { type: "advisor_message", ttl: "1h", modality: modalities[bucket] };
  const set = (target: unknown, [name = "", ...rest]: readonly string[]): unknown => {
    if (rest.length === 0) return { ...(target as UsageJson), [name]: value };
    if (rest[0] === "*") return { ...(target as UsageJson), [name]: [set(element, rest.slice(1))] };
    return { ...(target as UsageJson), [name]: set((target as UsageJson)?.[name] ?? {}, rest) };
  };
  const base = { ...bases[family] };
  // Chat completions name what Responses call input and output.
  if (/^(prompt|completion)_tokens/.test(path)) {
    Object.assign(base, {
      prompt_tokens: base.input_tokens,
      completion_tokens: base.output_tokens,
    });
    delete base.input_tokens;
    delete base.output_tokens;
  }
  if (path.startsWith("iterations.*.cache_creation.")) {
    base.cache_creation = { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 1 };
  }
  const [details = "", , age] = names;
  if (family === "openai" && age === "ephemeral_1h_input_tokens")
    base[details] = { cache_write_tokens: 500 };
  // The older name is read where the newer one is missing.
  if (path.endsWith("InputTokenCount")) delete base[path.replace("TokenCount", "Tokens")];
  if (path.startsWith("tool_usage.image_gen.") && path.includes("_tokens")) {
    const pictures = { input_tokens_details: { image_tokens: 500 } };
    const isCache = path.includes("cached");
    const cached = path.endsWith("cached_image_tokens") ? { cached_tokens: 400 } : {};
    if (isCache || path.includes("_details")) {
      base.tool_usage = { image_gen: { input_tokens: 1_000, ...(isCache && pictures), ...cached } };
    }
  }
  if (path === "reasoning_tokens") base.citation_tokens = 1;
  if (path === "total_tokens" && bucket === "input") {
    delete base.input_tokens;
    delete base.output_tokens;
  }
  return set(base, names) as UsageJson;
}

/** A count that holds others must be larger than these. */
const isLarge = (path: string): boolean => path.startsWith("total") || path === "promptTokenCount";

const chargedMembers = usageFamilies.flatMap((family) =>
  usageMembers[family].members.flatMap(({ path, buckets: charged }) =>
    charged.map((bucket) => ({ family, path, bucket })),
  ),
);

describe("a member of a provider's usage", () => {
  test.each(
    chargedMembers.filter(
      ({ family, bucket }) =>
        (family !== "openai_media" || bucket !== "output_audio") && bucket !== "map_requests",
    ),
  )("$family: $path is charged as $bucket", { tags: ["S2-02"] }, ({ family, path, bucket }) => {
    const small = readers[family](withMember(family, path, bucket, isLarge(path) ? 2_100 : 101));
    const large = readers[family](withMember(family, path, bucket, isLarge(path) ? 2_107 : 108));
    expect((large?.[bucket] ?? 0) - (small?.[bucket] ?? 0)).toBe(7);
  });
  test("gemini: places of Google Maps are charged as map_requests, once", {
    tags: ["S2-02"],
  }, () => {
    const placesOf = (places: number) =>
      readers.gemini(
        withMember("gemini", "groundingMetadata.groundingChunks", "map_requests", places),
      )?.map_requests;
    expect([placesOf(0), placesOf(1), placesOf(7)]).toEqual([undefined, 1, 1]);
  });
  test("is known with any index of a list, and unknown by any other name", () => {
    expect(isKnownUsageMember("anthropic", "iterations.12.input_tokens")).toBe(true);
    expect(isKnownUsageMember("openai", "cost_details.upstream_inference_cost")).toBe(true);
    expect(isKnownUsageMember("anthropic", "moon_tokens")).toBe(false);
  });
  test("names buckets that prices have", () => {
    for (const { bucket } of chargedMembers) expect(buckets).toContain(bucket);
  });
});

const heading = "## What a provider counts";
const introduction = `The provider's final count is the charge, bucket by bucket ([decision 7](decisions/0007-estimated-output.md)). A count that
is not in these tables marks the log row and the channel: it may be a new kind of fee. The tables are written by
\`gateway/src/relay/formats/usage/usage-page.test.ts\`, which reads each member.

A log row keeps what was reported in the column \`usage_details\` (\`usage\` of the API; users see reason and marks alone): a JSON
object with \`reason\` (\`none_reported\`, \`ended_early\`, \`distrusted\`, \`duration_unknown\`; missing where the final count is
charged), \`marks\` (\`usage_capped\`, \`usage_far\`, \`usage_corrected\`, \`fee_unknown\`), \`family\` (the tables below), \`reported\` (each
count by its path, elements of lists by index, at most 64) and \`unknown\` (paths of counts that are not charged). Rows of calls
that nothing was charged for, of realtime sessions and of calls that the sweeper ended have none.`;

const feesIntroduction = `Tools that a provider runs are charged per use beside their tokens, at the price of the list for the model, else at these fees of
${toolFeesReadOn}, else at $0.01 for a search of the web, $0.0025 for one of files, $0.005 for a program, $0.002 for a reranked query
(Cohere's search unit), $0.004 for a page whose text is recognized ($0.005 with annotations), and nothing for a model whose text is free. What is free each day or month at the provider is charged.

${[
  "| Provider | Use | Bucket | Dollars | |",
  "|---|---|---|---|---|",
  ...toolFees.map(
    ({ seller, what, bucket, dollars, source }) =>
      `| ${seller} | ${what} | \`${bucket}\` | ${dollars} | <${source}> |`,
  ),
].join("\n")}

A fetch of a page costs nothing beside the tokens of what was fetched (\`web_fetch_requests\`,
<https://platform.claude.com/docs/en/about-claude/pricing>).

Containers that run programs are billed by time and memory, which no answer counts: at OpenAI $0.03, $0.12, $0.48 or $1.92 for 20 minutes with 1, 4,
16 or 64 GB, by the minute, at least 5 (<https://developers.openai.com/api/docs/pricing>, <https://developers.openai.com/api/docs/changelog> of
2026-06-02). A container ends when it was unused for 20 minutes. So the call that starts one is charged 20 minutes of it (\`container_sessions\`, one
for each gigabyte of \`memory_limit\`, $0.03 where the price of the model states no other); a request with such a tool
holds for that. Which call started it is known by its id, which the gateway sees for the first time. A later call that runs in it is charged the
time since, once the 20 minutes have passed, so that it is paid for 20 minutes from then on; so are requests about the files of a container.

| Provider | Use | What it takes | Here |
|---|---|---|---|
| OpenAI | a container that the answer names | see above | charged to the call that starts it |
| OpenAI | a container that the answer does not name | the same | not charged; the row is marked \`fee_unknown\` where a program ran. Callers report that one is also started, and billed, for a call whose model runs no program (<https://community.openai.com/t/responses-api-excessive-charges-due-to-repetitive-container-creation-when-using-code-interpreter/1364328>) |
| OpenAI | a container of \`/v1/containers\` | the same | charged at its creation, at the price of the model \`container\`, and then as above |
| OpenAI | a container in a batch | the same | 1 GB for each that a line names; larger ones are refused |
| Anthropic | code execution beside a search or fetch of the web | nothing | nothing |
| Anthropic | code execution alone, at least 5 minutes of a container | $0.05 an hour above 1,550 hours a month of the organisation (<https://platform.claude.com/docs/en/about-claude/pricing>) | not charged, no mark: nearly all of it is free |

To pass such costs on, state a price: \`calls\` in \`prices\` of the channel's \`model_configs\` is a fee for each call that is charged, and
the costs that the provider lists without a model are a line of their own in the comparison with bills.

Perplexity takes a fee for each request beside the tokens, by what \`web_search_options\` of the request asks for, whether the model searches
or not. It is held and charged as the fee for the call (\`calls\`), also where a stream is left early. Without \`search_context_size\` it is that
of \`low\`; with \`search_type\` \`pro\` or \`auto\`, in a stream, that of several steps. \`calls\` in an operator's \`prices\` goes before this table and
holds for every size. A model of another name or with a price by ratios has no such fee: its row is marked \`fee_unknown\`.

${[
  "| Provider | Models | `low` | `medium` | `high` | In several steps | |",
  "|---|---|---|---|---|---|---|",
  ...requestFees.map(({ seller, models, dollars, dollarsInSteps, source }) => {
    const steps = dollarsInSteps ? Object.values(dollarsInSteps).join(", ") : "the same";
    return `| ${seller} | ${namesOf(models)} | ${dollars.low} | ${dollars.medium} | ${dollars.high} | ${steps} | <${source}> |`;
  }),
].join("\n")}

\`sonar-deep-research\` searches and reasons of its own accord: a call of it sets aside 30 searches and 200,000 tokens of reasoning besides. A
request with Google's search or maps as a tool sets aside one such call and one search.

Not charged, and marked \`fee_unknown\`, are pictures drawn in an answer without \`tool_usage\`, and vectors (\`output_format: "svg"\`) that a model
with a price of its own writes after a picture: channels refuse to have them drawn, unless they have \`pass_cost_members\`. The same goes for
searches of other companies through Google without a key of the client's (\`parallelAiSearch\`, \`enterpriseWebSearch\`), models chosen by a router of
Vertex AI (\`routingConfig\`), OpenAI's programs of access (\`access_programs\`), caches that live longer than the listed price says
(\`prompt_cache_options.ttl\`) and bills to other parties (Anthropic's \`billing_policy\`).`;

const factorsIntroduction = `A service tier, a fast mode or a place of processing multiplies every price per token; prices per search, picture or second stay. Factors
of requests are held for as asked and charged as served ([decision 22](decisions/0022-members-that-change-the-price.md)). A choice
without a row has no known price: channels without \`pass_cost_members\` refuse it. Anthropic itself refuses fast mode for Claude Opus 4.7.

${[
  "| Provider | Member | Values | Models | Factor | Read | |",
  "|---|---|---|---|---|---|---|",
  ...priceFactors.map(
    ({ seller, member, values, models, factor, read_on, source }) =>
      `| ${seller} | \`${member}\` | ${values.map((value) => `\`${value}\``).join(", ")} | ${namesOf(models)} | ${factor} | ${read_on} | <${source}> |`,
  ),
].join("\n")}

A channel's own place is part of its price ([decision 73](decisions/0073-the-price-of-a-place.md)):

${[
  "| Place | Factor | Read | |",
  "|---|---|---|---|",
  ...regionalFactors.map(
    ({ what, factor, read_on, source }) => `| ${what} | ${factor} | ${read_on} | <${source}> |`,
  ),
].join("\n")}

\`region_price_factor\` in a channel's configuration (0.1 to 10) goes before this table, and multiplies a price of \`model_configs\` too; 1
turns the table off. Without it, a price of \`model_configs\` is taken for that of the place. State it for places that the table does not
have: data zones and regions of Azure (their price list differs by model), Gemini in a region of Vertex AI, resellers. Amazon Bedrock needs
none: a regional model id and a \`global.\` one each have their own price in the list. Anthropic's own API says in its answer where it ran
(\`inference_geo\`), also where the workspace chose the place.`;

/** The pattern as a table of Markdown shows it. */
function namesOf({ source }: RegExp): string {
  return source === "." ? "all" : `\`${source.replaceAll("|", "\\|")}\``;
}

function tableOf(family: UsageFamily): string {
  const { title, sources, members } = usageMembers[family];
  const rows = members.map(({ path, buckets: charged, note = "" }) => {
    const where =
      charged.length > 0 ? charged.map((bucket) => `\`${bucket}\``).join(", ") : "not by itself";
    return `| \`${path}\` | ${where} | ${note} |`;
  });
  const pages = sources.map((source) => `<${source}>`).join(", ");
  return [
    `### \`${family}\`: ${title}`,
    `Described at ${pages}.`,
    ["| Member | Charged as | |", "|---|---|---|", ...rows].join("\n"),
  ].join("\n\n");
}

test("docs/usage.md lists every member and where it is charged", async () => {
  const written = readFileSync(page, "utf8");
  const end = written.indexOf(heading);
  const others = (end < 0 ? written : written.slice(0, end)).trimEnd();
  const tables = usageFamilies.map(tableOf);
  const text = [
    others,
    heading,
    introduction,
    ...tables,
    "### Fees of tools",
    feesIntroduction,
    "### Factors",
    factorsIntroduction,
  ].join("\n\n");
  await expect(`${text}\n`).toMatchFileSnapshot(page);
});
