// Writes the tables of docs/translations.md that list dropped fields; `vitest -u` updates them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clientRequests } from "@tollgate/tests/support/client-requests.ts";
import { droppedFields } from "@tollgate/tests/support/translate-request.ts";
import { expect, test } from "vitest";
import type { ApiEndpoint } from "../formats/api-format.ts";
import { translations } from "../routing/translation-registry.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import type { Translation } from "./translation.ts";

const page = join(import.meta.dirname, "../../../../docs/translations.md");
const titles: Readonly<Partial<Record<ApiEndpoint, string>>> = {
  chat_completions: "Chat completions",
  response_api: "Responses",
  claude_messages: "Messages",
  gemini: "Gemini",
  bedrock_converse: "Converse",
  baidu_chat: "Baidu",
  tencent_chat: "Tencent",
  coze_chat: "Coze",
  replicate_prediction: "Replicate",
  deepl_translation: "DeepL",
  ai_proxy_answer: "AI Proxy",
  gemini_embeddings: "Gemini",
  baidu_embeddings: "Baidu",
  tencent_embeddings: "Tencent",
  bedrock_embeddings: "Bedrock",
  vertex_embeddings: "Vertex",
  replicate_pictures: "Replicate",
};
/**
 * Names that translations tell apart: of a model that reasons, of vendors at Bedrock, of an image
 * model.
 */
const models = ["m", "gpt-5", "openai.gpt-oss-120b", "us.amazon.nova-pro-v1:0", "imagen-4"];

/** `isSent` says whether a request has the field, or an object of the type, that a path names. */
function isSent(value: unknown, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return value !== undefined && value !== null;
  if (Array.isArray(value)) return value.some((item) => isSent(item, path));
  if (!isRecord(value)) return false;
  return isSent(value[name], rest) || (rest.length === 0 && value.type === name);
}

function cell(translation: Translation, path: string, requests: readonly JsonRecord[]): string {
  const sent = requests.filter((request) => isSent(request, path.split(".")));
  const calls = sent.flatMap((request) =>
    models.map((model) => droppedFields(translation, { model, ...request }, model)),
  );
  const dropped = calls.filter((names) => names.includes(path)).length;
  return dropped === 0 ? "" : dropped === calls.length ? "×" : "(×)";
}

function table(endpoint: ApiEndpoint): string {
  const requests = clientRequests[endpoint] ?? [];
  const columns = (translations[endpoint] ?? []).filter(
    ({ target }) => target.endpoint !== endpoint,
  );
  const paths = new Set(
    columns.flatMap((translation) =>
      requests.flatMap((request) =>
        models.flatMap((model) => droppedFields(translation, { model, ...request }, model)),
      ),
    ),
  );
  const head = [
    "Field",
    ...columns.map(({ target }) => titles[target.endpoint] ?? target.endpoint),
  ];
  const rows = [...paths].toSorted().map((path) => {
    return [`\`${path}\``, ...columns.map((translation) => cell(translation, path, requests))];
  });
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

const block = /(<!-- dropped fields of (\w+): .*? -->\n)[\s\S]*?(<!-- end -->)/g;

test("docs/translations.md lists the fields that each translation drops", async () => {
  const text = readFileSync(page, "utf8");
  const written = text.replaceAll(block, (_, start: string, endpoint: ApiEndpoint, end: string) => {
    return `${start}\n${table(endpoint)}\n\n${end}`;
  });
  const listed = [...text.matchAll(block)].map(([, , endpoint]) => endpoint);
  expect(listed.toSorted()).toEqual(Object.keys(clientRequests).toSorted());
  await expect(written).toMatchFileSnapshot(page);
});
