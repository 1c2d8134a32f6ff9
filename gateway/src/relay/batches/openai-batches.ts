/** OpenAI's batches: a file of requests becomes a file of answers. */
import { besideResponses, objectId } from "../creations/provider-objects.ts";
import { isRecord, record } from "../wire/json-parts.ts";
import { type BatchDialect, type BatchEnd, findPlausibleTime } from "./batch-dialect.ts";
import { batchFormats } from "./batch-line.ts";

const ends: Readonly<Record<string, BatchEnd>> = {
  completed: "completed",
  failed: "failed",
  expired: "expired",
  cancelled: "cancelled",
};

const parseSeconds = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) ? value * 1_000 : undefined;

export const openAiBatches: BatchDialect = {
  name: "openai",
  api: besideResponses,
  path: "batches",
  formatOf: (endpoint) =>
    Object.hasOwn(batchFormats, endpoint) ? batchFormats[endpoint] : undefined,
  endOf: ({ status }) =>
    typeof status === "string" && Object.hasOwn(ends, status) ? ends[status] : undefined,
  expiryOf: ({ expires_at }) => findPlausibleTime(parseSeconds(expires_at) ?? 0),
  // The answers, and the requests that failed.
  resultsOf: ({ output_file_id, error_file_id }) =>
    [output_file_id, error_file_id].flatMap((id) =>
      typeof id === "string" && objectId.test(id)
        ? [{ path: `files/${id}/content`, fileId: id }]
        : [],
    ),
  answerIn({ response }) {
    const { status_code, body } = record(response);
    return status_code === 200 && isRecord(body) ? body : undefined;
  },
  madeAt: ({ created_at }) => parseSeconds(created_at) ?? 0,
  hasTerms: ({ input_file_id, endpoint }, terms) =>
    input_file_id === terms.inputFileId && endpoint === terms.endpoint,
  areTermsUnique: true,
  lostCreation: "It appears in GET /v1/batches once that is known; until then its hold stays",
};
