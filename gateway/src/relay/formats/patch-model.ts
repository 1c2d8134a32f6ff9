/** For interfaces whose callers may leave the model out: an upstream is told which one was priced. */
import { topLevelSpans, withMembers } from "../wire/json-spans.ts";
import { fieldOf, withField } from "../wire/multipart.ts";
import type { RelayCall } from "./api-format.ts";

export function patchModel({ form, body }: RelayCall, model: string): Buffer {
  if (form) return fieldOf(form, "model") === model ? body : withField(form, "model", model);
  const modelSpan = topLevelSpans(body).find(({ key }) => key === "model");
  const modelJson = JSON.stringify(model);
  return modelSpan && body.toString("utf8", modelSpan.start, modelSpan.end) === modelJson
    ? body
    : withMembers(body, { model: modelJson });
}
