/**
 * Text recognition: Mistral's API, whose request names a document and whose reply holds its pages;
 * Zhipu's request names a `file`, and its usage is in tokens. Both pass through as they are.
 */
import { type ExtraUsage, noUsage } from "../../money/prices/price.ts";
import { isRecord, type JsonRecord, parseObject, record, text } from "../wire/json-parts.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import type { ClientFormat, ReplyFacts } from "./api-format.ts";
import type { PlainRequest } from "./call-parts.ts";
import { openAiErrors } from "./openai-errors.ts";
import { wholeReply } from "./reply-facts.ts";
import { modelName, objectField, parseBody, patchBody } from "./request-fields.ts";
import { parseOpenAiUsage } from "./usage/openai-usage.ts";
import { buildChargedUsage, findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";

const request = objectField({ model: modelName });

/** The most pages that Mistral reads in one call. */
const pagesMax = 1_000;
/** A long document takes minutes. */
const firstByteTimeoutMs = 10 * 60_000;

/**
 * The pages that a request can have read: those that it names, one for a picture; `unknown` where
 * the document decides.
 */
function computePages({ pages, document }: JsonRecord, unknown: number): number {
  if (record(document).image_url !== undefined || record(document).type === "image_url") return 1;
  if (Array.isArray(pages) && pages.length > 0) return Math.min(pages.length, pagesMax);
  const ranges = typeof pages === "string" ? pages.split(",").map(computePagesOfRange) : [];
  const sum = ranges.reduce((total, range) => total + range, 0);
  return sum > 0 ? Math.min(sum, pagesMax) : unknown;
}

/** `computePagesOfRange` is about `3` or `0-5`; anything else may be all of them. */
function computePagesOfRange(range: string): number {
  const [, first, last] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(range) ?? [];
  if (first === undefined) return pagesMax;
  return last === undefined ? 1 : Math.max(1, Number(last) - Number(first) + 1);
}

/** Pages that the model also describes in a form that the client gives cost more. */
const isAnnotated = ({ document_annotation_format, bbox_annotation_format }: JsonRecord): boolean =>
  isRecord(document_annotation_format) || isRecord(bbox_annotation_format);

const buildPagesAsAsked = (asked: JsonRecord, pages: number): ExtraUsage =>
  isAnnotated(asked) ? { annotated_pages: pages } : { pages };

function parseRequest(json: unknown): PlainRequest {
  const { model } = parseBody(request, json, "invalid_ocr_request");
  const asked = json as JsonRecord;
  if (!isRecord(asked.document) && text(asked.file) === "") {
    throw refuseBadRequest("invalid_ocr_request", "document: is required", "document");
  }
  return {
    model,
    isStream: false,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: 0,
    choiceCount: 1,
    promptEstimate: 0,
    extras: buildPagesAsAsked(asked, computePages(asked, pagesMax)),
  };
}

/** Pages that the provider counted; where it counted none, those that it sent. */
function parsePages({ usage_info, pages }: JsonRecord): ReportedUsage | undefined {
  const sent = Array.isArray(pages) ? pages.length : 0;
  const counted = findTokenCount(record(usage_info).pages_processed);
  if (counted === undefined && sent === 0) return undefined;
  const wire = isRecord(usage_info) && {
    wire: { family: "openai" as const, members: { usage_info } },
  };
  return {
    usage: { ...noUsage, pages: counted ?? sent },
    hiddenOutput: 0,
    isCorrected: false,
    ...wire,
  };
}

function readReply(json: JsonRecord): ReplyFacts | undefined {
  const isReply =
    Array.isArray(json.pages) ||
    typeof json.md_results === "string" ||
    Array.isArray(json.layout_details);
  return isReply
    ? { usage: parsePages(json) ?? parseOpenAiUsage(json.usage), text: "" }
    : undefined;
}

export const ocr: ClientFormat = {
  endpoint: "ocr",
  parseRequest,
  passedHeaders: [],
  errorFormat: openAiErrors,
  upstream: {
    endpoint: "ocr",
    writeBody: (call, model) => patchBody(call, model),
    replies: wholeReply,
    readReply,
    usageFor(call, reported, _, __, limits) {
      const asked = parseObject(call.body.toString("utf8"));
      // Of an answer that was lost at least a page was read.
      const estimate = { ...noUsage, ...buildPagesAsAsked(asked, computePages(asked, 1)) };
      if (!reported) return buildChargedUsage(undefined, estimate, limits);
      const { pages = 0, ...rest } = reported.usage;
      const usage = pages > 0 ? { ...rest, ...buildPagesAsAsked(asked, pages) } : rest;
      // What the document holds is not seen: only the count tells it.
      return buildChargedUsage({ ...reported, usage }, estimate, {
        ...limits,
        isPromptSeen: () => false,
      });
    },
    firstByteTimeoutMs,
    createEventReader: () => () => ({ kind: "other", textBytes: 0 }),
    terminator: "",
  },
};
